// Package rest is the edge of the service: everything between a socket and a
// feature's handler.
//
// A feature registers an operation and returns a value or an error:
//
//	rest.Handle(door, rest.Op{
//		ID: "createRoom", Method: "POST", Path: "/rooms", Scope: api.ScopeRoomsWrite, Status: 201,
//	}, func(ctx context.Context, in *struct{ Body api.RoomCreate }) (api.Room, error) { ... })
//
// What it gets for that, without a word of HTTP:
//
//	request ──► route ──► method ──► credentials ──► rate ──► scope ──► media type ──► size ──► JSON ──► fields
//	               │         │            │            │        │           │           │        │         │
//	              404       405          401          429      403         415         413      400       400
//	                                                                                                       │
//	            answer ◄── stored answer, if the request carries an Idempotency-Key it had before ◄────────┤
//	               ▲                                                                                       ▼
//	               └──────────────────── value or fault ◄──────────────────────────────────────────── handler
//
// The order is fixed and tested, because it decides what a stranger can learn:
// nobody without a key learns what a body may hold, and nobody learns from a
// 403 whether an object exists. Read-only fields come with the handler: whether
// they have the value the object has is a question about the object.
//
// The types of the operation (the In struct, its Body, the Out value) are the
// single source: what they say with their tags is what is decoded, what is
// refused in which words, and what the OpenAPI document says. schema.go reads
// the tags, decode.go applies them, openapi.go tells them.
//
// A Door is a prefix with its own credentials: /api/v1 takes API keys with
// scopes, and sessions of members with the scopes of their roles; /meet/v1 takes the tickets of people in a meeting, and lets pages of
// every origin use it (origin.go); /account/v1 takes the cookie of people who
// signed in, and nothing that another site's page asks for (cookie.go).
//
// Every refusal, whoever makes it, leaves in the envelope of api.ErrorResponse
// (answer.go). A fault carries its code and sentence; any other error is an
// accident: the caller reads internal_error and the log gets the cause, once.
package rest
