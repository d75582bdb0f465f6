// Package mediatest tests media servers.
//
// Exercise is the suite that every media.Server has to pass, the fake one and
// the real one. Join brings a person with real media into a test; what such a
// person does is package mediaclient.
package mediatest
