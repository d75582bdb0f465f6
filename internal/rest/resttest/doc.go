// Package resttest checks every answer in a test against the OpenAPI document.
// A test fails when an answer differs, whatever the test is about.
//
//	server := httptest.NewServer(resttest.Handler(t, edge, next))
//
// or, around a client of a server in another process:
//
//	http.Client{Transport: resttest.Transport(t, document, http.DefaultTransport)}
package resttest
