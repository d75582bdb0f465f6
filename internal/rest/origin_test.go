package rest

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/rest/limit"
)

// openGroup is a padServer with a group for tickets that pages of every origin may
// use. Its limit is one request, so that a preflight that counted would show.
func openGroup(t *testing.T) *padServer {
	t.Helper()
	w := newPadServer(t, func(c *Config) {
		c.Limits = DefaultLimits()
		for _, name := range []string{ClassRequests, ClassPublic} {
			class := c.Limits.Classes[name]
			class.Quota = limit.Quota{Count: 1, Window: class.Window}
			c.Limits.Classes[name] = class
		}
	})
	missing := fault.New(fault.Unauthenticated, api.CodeTicketInvalid, "Send your ticket.")
	d := w.Group("/meet/v1", authenticatePads, Tickets(missing), AnyOrigin())
	Handle(d, Op{ID: "raiseHand", Method: "POST", Path: "/hand", Summary: "Hand", Tag: "Meeting"},
		func(_ context.Context, in *struct{}) (pad, error) { w.saw(*in); return aPad(), nil })
	return w
}

func TestPreflights(t *testing.T) {
	t.Parallel()
	w := openGroup(t)
	ask := func(path, method string) *http.Response {
		return w.call(t, "OPTIONS", path, "", "Authorization", "", "Origin", "https://app.example.com",
			"Access-Control-Request-Method", method, "Access-Control-Request-Headers", "authorization,content-type")
	}
	for range 3 {
		res := ask("/meet/v1/hand", "POST")
		body, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != http.StatusOK || len(body) != 0 {
			t.Fatalf("%d %q %v, want 200 with nothing in it", res.StatusCode, body, err)
		}
		for name, want := range map[string]string{
			"Access-Control-Allow-Origin":      "*",
			"Access-Control-Allow-Methods":     "POST",
			"Access-Control-Allow-Headers":     "Authorization, Content-Digest, Content-Type, Last-Event-ID",
			"Access-Control-Max-Age":           "7200",
			"Access-Control-Allow-Credentials": "",
			"Content-Length":                   "0",
		} {
			if got := res.Header.Get(name); got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
	}
	if w.count() != 0 {
		t.Error("a preflight reached the handler")
	}
	if res := ask("/meet/v1/hand", "DELETE"); res.StatusCode != http.StatusMethodNotAllowed || refusalOf(t, res).Code != api.CodeMethodNotAllowed {
		t.Errorf("a method that the path does not have: %d", res.StatusCode)
	}
	if res := ask("/meet/v1/foot", "POST"); res.StatusCode != http.StatusNotFound {
		t.Errorf("a path that is not there: %d", res.StatusCode)
	}
	if res := ask("/api/v1/pads", "POST"); res.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("a group for keys: %d", res.StatusCode)
	}
	// An OPTIONS that is not a preflight and has no operation.
	if res := w.call(t, "OPTIONS", "/meet/v1/hand", "", "Origin", "https://app.example.com"); res.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("OPTIONS alone: %d", res.StatusCode)
	}
	if res := w.call(t, "POST", "/meet/v1/hand", "", "Origin", "https://app.example.com"); res.StatusCode != http.StatusOK {
		t.Errorf("the request itself, after many preflights: %d", res.StatusCode)
	}
}

// A page can read every answer of a group for every origin.
func TestAnswersToOtherOrigins(t *testing.T) {
	t.Parallel()
	w := openGroup(t)
	for _, test := range []struct {
		path, bearer string
		status       int
	}{
		{"/meet/v1/hand", "Bearer all", 200},
		{"/meet/v1/hand", "Bearer all", 429},
		{"/meet/v1/hand", "Bearer nobody", 401},
		{"/meet/v1/hand", "", 401},
		{"/meet/v1/hand", "Bearer broken", 500},
		{"/meet/v1/nothing", "Bearer all", 404},
		{"/api/v1/fail", "Bearer other", 500},
		{"/api/v1/fail", "", 401},
	} {
		h := w.call(t, "POST", test.path, "", "Authorization", test.bearer, "Origin", "https://app.example.com")
		if h.StatusCode != test.status {
			t.Errorf("%s with %q: %d, want %d", test.path, test.bearer, h.StatusCode, test.status)
		}
		origin, expose := "*", "Date, Request-Id, Retry-After"
		if strings.HasPrefix(test.path, "/api/") {
			origin, expose = "", ""
		}
		if got := h.Header.Values("Access-Control-Allow-Origin"); strings.Join(got, "|") != origin {
			t.Errorf("%s %d: Access-Control-Allow-Origin is %q", test.path, h.StatusCode, got)
		}
		if got := h.Header.Get("Access-Control-Expose-Headers"); got != expose {
			t.Errorf("%s %d: Access-Control-Expose-Headers is %q", test.path, h.StatusCode, got)
		}
	}
}
