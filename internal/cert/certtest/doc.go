// Package certtest makes certificates for tests (issue.go), and starts Pebble, a
// certificate authority for tests, with a name server for which every name is this
// machine (pebble.go).
package certtest
