// Package resttest holds every answer a test sees against the OpenAPI
// document: the document promises, and a test that hears something else
// fails, whatever it was about.
//
//	server := httptest.NewServer(resttest.Handler(t, edge, next))
//
// or, around a client that talks to a server elsewhere:
//
//	http.Client{Transport: resttest.Transport(t, document, http.DefaultTransport)}
package resttest
