package rest

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
)

// Bodies that stop half way are given up, read by an operation or not, and
// the connection with them: the rest of the body is not the next request.
func TestBodiesThatDoNotArrive(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	for name, test := range map[string]struct {
		head   string
		status int
		code   string
	}{
		"part of it":       {"POST /api/v1/pads HTTP/1.1\r\nAuthorization: Bearer all\r\nContent-Type: application/json\r\nContent-Length: 99", 400, api.CodeInvalidJSON},
		"nothing of it":    {"POST /api/v1/pads HTTP/1.1\r\nAuthorization: Bearer all\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked", 400, api.CodeInvalidJSON},
		"nobody reads it":  {"POST /api/v1/pads HTTP/1.1\r\nContent-Length: 99", 401, api.CodeAPIKeyMissing},
		"no such path":     {"POST /api/v1/nothing HTTP/1.1\r\nContent-Length: 99", 404, api.CodeRouteNotFound},
		"behind the doors": {"POST /elsewhere HTTP/1.1\r\nContent-Length: 99", 418, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(c *Config) { c.BodyTimeout = 20 * time.Millisecond })
			server := httptest.NewServer(w.Wrap(mux))
			defer server.Close()
			part := ""
			if test.code == api.CodeInvalidJSON && name == "part of it" {
				part = `{"name": `
			}
			res := raw(t, server, test.head+"\r\nHost: x\r\n\r\n"+part)
			if res.StatusCode != test.status || !res.Close {
				t.Errorf("%d, connection closed: %v; want %d and that it is", res.StatusCode, res.Close, test.status)
			}
			if test.code == "" {
				return
			}
			e := refusalOf(t, res)
			if e.Code != test.code || (e.Code == api.CodeInvalidJSON && e.Message != "The body did not arrive whole.") {
				t.Errorf("%s: %s", e.Code, e.Message)
			}
		})
	}
}

// The time is the body's. What the handler does with it may take longer, and
// so may the next request of the same connection.
func TestTheHandlerHasItsOwnTime(t *testing.T) {
	t.Parallel()
	const timeout = 20 * time.Millisecond
	w := newWorld(t, func(c *Config) { c.BodyTimeout = timeout })
	w.handler = func(ctx context.Context) error {
		select {
		case <-ctx.Done():
			return errors.New("interrupted")
		case <-time.After(3 * timeout):
			return nil
		}
	}
	server := httptest.NewServer(w.Wrap(http.NotFoundHandler()))
	defer server.Close()
	const request = "POST /api/v1/pads HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer all\r\nContent-Type: application/json\r\n"
	for name, body := range map[string]string{
		"in one piece": "Content-Length: 13\r\n\r\n" + `{"name": "a"}`,
		"in chunks":    "Transfer-Encoding: chunked\r\n\r\nd\r\n" + `{"name": "a"}` + "\r\n0\r\n\r\n",
	} {
		res := raw(t, server, request+body)
		text, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != http.StatusCreated {
			t.Errorf("%s: %d %s %v", name, res.StatusCode, text, err)
		}
	}
}
