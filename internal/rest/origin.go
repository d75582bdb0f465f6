package rest

import "net/http"

// AnyOrigin lets pages of every origin use the group (CORS, as in the Fetch
// standard). That gives a page no new rights: such a group takes credentials
// from the Authorization header only, which the page must know, and never from
// a cookie, which a browser would add by itself. Groups for API keys do not
// have it, because keys are for servers.
func AnyOrigin() GroupOption { return func(g *Group) { g.anyOrigin = true } }

// preflightAge is for how many seconds a browser may remember the answer to a
// preflight. Chromium remembers for two hours at most, other browsers for up to
// a day.
const preflightAge = "7200"

// allowOrigins lets a page read an answer and its useful headers.
func allowOrigins(h http.Header) {
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers", "Date, Request-Id, Retry-After")
}

// preflight returns the method for which a browser asks permission; empty when
// the request is not a preflight.
func preflight(r *http.Request) string {
	if r.Method != http.MethodOptions || r.Header.Get("Origin") == "" {
		return ""
	}
	return r.Header.Get("Access-Control-Request-Method")
}

// allowMethod answers a preflight. A preflight has no credentials and does not
// count for the limits of the request that follows it.
func allowMethod(w http.ResponseWriter, method string) {
	h := w.Header()
	h.Set("Access-Control-Allow-Methods", method)
	h.Set("Access-Control-Allow-Headers", "Authorization, Content-Digest, Content-Type, Last-Event-ID")
	h.Set("Access-Control-Max-Age", preflightAge)
	h.Set("Content-Length", "0")
	w.WriteHeader(http.StatusOK)
}
