// Package extendedconnect makes net/http accept extended CONNECT requests, with which
// browsers open WebSockets over HTTP/2 (RFC 8441). A program imports it for that
// effect.
//
// net/http refuses them by default, because most packages for WebSockets cannot serve
// them (https://go.dev/issue/71128), and asks the environment once, while it is
// initialized. This package is initialized before: Go initializes packages in the order
// of their import paths, and each as soon as what it imports is ready. So its path has to
// sort before net/http, and it may import nothing that needs net/http. An operator
// switches it off with GODEBUG=http2xconnect=0.
package extendedconnect
