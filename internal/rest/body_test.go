package rest

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
)

// The server gives up on a body that stops half way, whether or not an
// operation reads it, and closes the connection: the rest of the body must not
// be taken for the next request.
func TestAConnectionClosesWhenABodyStopsHalfWay(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	for name, test := range map[string]struct {
		head   string
		status int
		code   string
	}{
		"part of it":             {"POST /api/v1/pads HTTP/1.1\r\nAuthorization: Bearer all\r\nContent-Type: application/json\r\nContent-Length: 99", 400, api.CodeInvalidJSON},
		"nothing of it":          {"POST /api/v1/pads HTTP/1.1\r\nAuthorization: Bearer all\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked", 400, api.CodeInvalidJSON},
		"nobody reads it":        {"POST /api/v1/pads HTTP/1.1\r\nContent-Length: 99", 401, api.CodeAPIKeyMissing},
		"no such path":           {"POST /api/v1/nothing HTTP/1.1\r\nContent-Length: 99", 404, api.CodeRouteNotFound},
		"outside of every group": {"POST /elsewhere HTTP/1.1\r\nContent-Length: 99", 418, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newPadServer(t, func(c *Config) { c.BodyTimeout = 20 * time.Millisecond })
			server := httptest.NewServer(w.Wrap(mux))
			defer server.Close()
			part := ""
			if test.code == api.CodeInvalidJSON && name == "part of it" {
				part = `{"name": `
			}
			res := raw(t, server, test.head+"\r\nHost: x\r\n\r\n"+part)
			if res.StatusCode != test.status || !res.Close {
				t.Errorf("%d, connection closed: %v; want %d and a closed connection", res.StatusCode, res.Close, test.status)
			}
			if test.code == "" {
				return
			}
			e := refusalOf(t, res)
			if e.Code != test.code || (e.Code == api.CodeInvalidJSON && e.Message != "The body did not arrive completely.") {
				t.Errorf("%s: %s", e.Code, e.Message)
			}
		})
	}
}

// deadlines is a response writer that records the read deadlines of its
// connection.
type deadlines struct {
	http.ResponseWriter

	set []time.Time
}

func (d *deadlines) SetReadDeadline(until time.Time) error {
	d.set = append(d.set, until)
	return nil
}

// The deadline is only for the body. The handler may take longer, and so may
// the next request on the same connection.
func TestTheHandlerHasItsOwnTime(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]io.Reader{
		"in one piece": strings.NewReader(`{"name": "a"}`),
		"in chunks":    io.MultiReader(strings.NewReader(`{"name": `), strings.NewReader(`"a"}`)), // of unknown length
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer := httptest.NewRecorder()
			connection := &deadlines{ResponseWriter: answer}
			w := newPadServer(t, func(c *Config) { c.BodyTimeout = time.Hour })
			w.handler = func(context.Context) error {
				if n := len(connection.set); n < 2 || connection.set[0].IsZero() || !connection.set[n-1].IsZero() {
					t.Errorf("when the handler begins, the deadlines were %v; want one for the body, and none after it", connection.set)
				}
				return nil
			}
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/v1/pads", body)
			r.Header.Set("Authorization", "Bearer all")
			r.Header.Set("Content-Type", "application/json")
			w.ServeHTTP(connection, r)
			if answer.Code != http.StatusCreated {
				t.Errorf("%d %s", answer.Code, answer.Body)
			}
			if !connection.set[len(connection.set)-1].IsZero() {
				t.Error("the next request on the connection has a deadline")
			}
		})
	}
}

// Over HTTP/2, what arrives of a body is kept in memory until it is read or closed.
// Nobody reads the body of a request for a stream, which lasts for hours.
func TestTheBodyOfAStreamIsNotKept(t *testing.T) {
	t.Parallel()
	w := newPadServer(t, nil)
	body := &closing{Reader: strings.NewReader("nobody reads this")}
	HandleRaw(w.group, Op{ID: "last", Method: "GET", Path: "/last", Produces: "text/event-stream", Summary: "Last", Tag: "Pads"},
		func(http.ResponseWriter, *http.Request) error {
			if !body.closed {
				t.Error("the body is kept while the stream lasts")
			}
			return nil
		})
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://meet.example.com/api/v1/last", body)
	r.Header.Set("Authorization", "Bearer all")
	answer := httptest.NewRecorder()
	w.ServeHTTP(answer, r)
	if answer.Code != http.StatusOK {
		t.Errorf("the answer is %d", answer.Code)
	}
}

// closing is a body that says whether it was closed.
type closing struct {
	io.Reader

	closed bool
}

// Close closes the body.
func (c *closing) Close() error {
	c.closed = true
	return nil
}
