// Package rest is the edge of the service: everything between a socket and a
// feature's handler.
//
// A feature registers an operation and returns a value or an error:
//
//	rest.Handle(group, rest.Op{
//		ID: "createRoom", Method: "POST", Path: "/rooms", Scope: api.ScopeRoomsWrite, Status: 201,
//	}, func(ctx context.Context, in *struct{ Body api.RoomCreate }) (api.Room, error) { ... })
//
// The edge does the rest:
//
//	request ─► route ─► method ─► origin ─► credentials ─► rate ─► scope ─► media type ─► size ─► JSON ─► fields ─► turn
//	             │         │        │            │          │        │          │          │       │        │       │
//	            404       405      403          401        429      403        415        413     400      400     503
//	                                                                                                                │
//	            answer ◄── stored answer, if the Idempotency-Key of the request was used before ◄───────────────────┤
//	               ▲                                                                                                ▼
//	               └──────────────────── value or fault ◄───────────────────────────────────────────────────── handler
//
// Only changes under /meet/v1 wait for a turn, among those of their network. The
// answer to a preflight leaves this way after the method; streams, uploads and files
// leave it after the scope.
//
// The order is fixed and tested, because it decides what a stranger can learn:
// without a key nobody learns what a body may hold, and a 403 tells nobody
// whether an object exists. Read-only fields are checked with the handler,
// because only the object says whether they have its values.
// Credentials and scope are checked again after a body that took long to arrive.
//
// The types of the operation (the In struct, its Body, the Out value) and their
// tags are the single source for decoding, for refusals and their texts, and
// for the OpenAPI document. Package schema reads the tags, reads requests by them
// and writes the document; the edge decides when, and knows what stands around
// them in HTTP: openapi.go says which headers, credentials and refusals an
// operation has.
//
// A Group is a prefix with its own credentials. /api/v1 takes API keys with
// scopes, and members' sessions with the scopes of their roles. /meet/v1 takes
// the tickets of people in a meeting, and pages of every origin may use it
// (origin.go). /account/v1 takes the cookie of people who signed in, but not in
// requests that a page of another site causes (cookie.go).
//
// Every refusal has the envelope of api.ErrorResponse (answer.go), wherever it
// comes from. A fault has its own code and sentence. For any other error the caller
// gets internal_error, and the cause is logged once.
package rest
