package client_test

import (
	"errors"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/client"
)

func TestErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		header http.Header
		status int
		body   string
		want   client.Error
		text   string
	}{
		{
			"a refusal of the service",
			http.Header{"Request-Id": {"req_1"}},
			400,
			`{"error": {"type": "invalid_request_error", "code": "parameter_invalid", "message": "name must be 1 to 80 characters long.", "param": "name", "request_id": "req_1", "later": 1}}`,
			client.Error{Status: 400, Code: "parameter_invalid", Message: "name must be 1 to 80 characters long.", Param: "name", RequestID: "req_1"},
			"GET /me: name must be 1 to 80 characters long. (parameter_invalid, req_1)",
		},
		{
			"a refusal of a scope, whose id is only in the header",
			http.Header{"Request-Id": {"req_2"}},
			403,
			`{"error": {"code": "insufficient_scope", "message": "The key lacks a scope.", "required_scope": "rooms:write", "retry_after": 9}}`,
			client.Error{Status: 403, Code: "insufficient_scope", Message: "The key lacks a scope.", RequiredScope: "rooms:write", RequestID: "req_2", RetryAfter: 9 * time.Second},
			"GET /me: The key lacks a scope. (insufficient_scope, req_2)",
		},
		{
			"the page of a proxy",
			http.Header{"Retry-After": {"-1"}},
			404, "<html>",
			client.Error{Status: 404},
			"GET /me: the service answered 404 Not Found",
		},
		{
			"the page of a proxy with an id",
			http.Header{"Request-Id": {"x"}, "Retry-After": {"3"}},
			418, "",
			client.Error{Status: 418, RequestID: "x", RetryAfter: 3 * time.Second},
			"GET /me: the service answered 418 I'm a teapot (x)",
		},
	} {
		p := &played{answers: []answer{func(w http.ResponseWriter) error {
			for name, values := range c.header {
				w.Header()[name] = values
			}
			w.WriteHeader(c.status)
			_, err := io.WriteString(w, c.body)
			return err
		}}}
		_, err := p.client().GetMe(t.Context())
		got, refused := errors.AsType[*client.Error](err)
		if !refused {
			t.Errorf("%s: %v is no Error", c.name, err)
			continue
		}
		if got.Status != c.want.Status || got.Code != c.want.Code || got.Message != c.want.Message || got.Param != c.want.Param ||
			got.RequiredScope != c.want.RequiredScope || got.RequestID != c.want.RequestID || got.RetryAfter != c.want.RetryAfter {
			t.Errorf("%s: the error is %+v, want %+v", c.name, *got, c.want)
		}
		if err.Error() != c.text {
			t.Errorf("%s: the error says %q, want %q", c.name, err, c.text)
		}
	}
}
