// Package api is the contract of the service: the JSON objects of /api/v1,
// the scopes of keys, the types of events and the codes of errors.
//
// It imports only the standard library, so that the server, the Go client library and
// tests can all use it.
package api
