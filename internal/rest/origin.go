package rest

import "net/http"

// AnyOrigin lets pages of every origin use the door (CORS, as the Fetch
// standard has it). That gives no page what its person does not have: a door
// with it takes credentials from the Authorization header only, which a page
// has to know, and never from a cookie, which a browser would add by itself.
// Doors for API keys do without: keys are for servers.
func AnyOrigin() DoorOption { return func(d *Door) { d.anyOrigin = true } }

// preflightAge is for how many seconds a browser need not ask again. No
// browser that asks remembers for longer than a day, Chromium for two hours.
const preflightAge = "7200"

// allowOrigins lets a page read an answer and the headers that help it.
func allowOrigins(h http.Header) {
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers", "Date, Request-Id, Retry-After")
}

// preflight gives the method about which a browser asks before it sends the
// request itself, empty when this is no such question.
func preflight(r *http.Request) string {
	if r.Method != http.MethodOptions || r.Header.Get("Origin") == "" {
		return ""
	}
	return r.Header.Get("Access-Control-Request-Method")
}

// allowMethod answers a preflight. It carries no credentials, and costs
// nothing of what the request it announces may cost.
func allowMethod(w http.ResponseWriter, method string) {
	h := w.Header()
	h.Set("Access-Control-Allow-Methods", method)
	h.Set("Access-Control-Allow-Headers", "Authorization, Content-Digest, Content-Type, Last-Event-ID")
	h.Set("Access-Control-Max-Age", preflightAge)
	h.Set("Content-Length", "0")
	w.WriteHeader(http.StatusOK)
}
