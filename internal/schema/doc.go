// Package schema reads and describes the JSON of the contract. The Go types of
// an operation and their tags are its single source: package schema derives from
// them what a request may hold, reads requests strictly by that, and writes the
// OpenAPI document. It knows no HTTP; package rest, the edge, brings it what a
// request sent.
//
//	Go types and tags ──► Schema, Input ──┬──► Read ──► Reading ──► Verdict
//	    (Of, InputOf)                     └──► Document ──► JSON
//
// Of compiles a type to a Schema, InputOf the input of an operation, which also
// has values from the path and the query (schema.go, input.go).
//
// Input.Read parses a body (json.go), checks each value against the rules of its
// tags (decode.go, check.go), and gives fields that were left out their defaults
// (defaults.go). The Reading holds everything that is wrong, in the order of the
// schema, so that one answer can name it all. Read-only fields are judged last, by
// Verdict, because only the object shows whether they have its values
// (readonly.go).
//
// A Document describes operations with the same schemas (document.go,
// describe.go). Its members keep the order of the code (object.go). The web
// client's types are made from the document of /meet/v1, and the limits of members'
// forms from the other documents: run `go generate ./...` after a change.
package schema
