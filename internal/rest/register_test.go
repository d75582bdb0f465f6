package rest

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
)

// TestMistakesOfARegistration checks that a program with such a mistake does
// not start.
func TestMistakesOfARegistration(t *testing.T) {
	t.Parallel()
	type none = struct{}
	ok := func(context.Context, *none) (pad, error) { return pad{}, nil }
	for name, test := range map[string]struct {
		register func(d *Group)
		want     string
	}{
		"the same id":              {func(d *Group) { Handle(d, Op{ID: "getMe", Method: "GET", Path: "/x"}, ok) }, "two operations"},
		"the same route":           {func(d *Group) { Handle(d, Op{ID: "x", Method: "GET", Path: "/me"}, ok) }, "registered twice"},
		"no id":                    {func(d *Group) { Handle(d, Op{Method: "GET", Path: "/x"}, ok) }, "incomplete"},
		"unknown code":             {func(d *Group) { Handle(d, Op{ID: "x", Method: "GET", Path: "/x", Errors: []string{"oops"}}, ok) }, "table of codes"},
		"a class of handlers":      {func(d *Group) { Handle(d, Op{ID: "x", Method: "GET", Path: "/x", Limit: ClassAnnouncements}, ok) }, "not a class"},
		"unknown class":            {func(d *Group) { Handle(d, Op{ID: "x", Method: "GET", Path: "/x", Limit: "oops"}, ok) }, "not a class"},
		"a path without its value": {func(d *Group) { Handle(d, Op{ID: "x", Method: "GET", Path: "/x/{id}"}, ok) }, "disagree on id"},
		"a value without its path": {func(d *Group) {
			Handle(d, Op{ID: "x", Method: "GET", Path: "/x"}, func(context.Context, *padPath) (pad, error) { return pad{}, nil })
		}, "disagree on room_id"},
		"a field of no place": {func(d *Group) {
			Handle(d, Op{ID: "x", Method: "GET", Path: "/x"}, func(context.Context, *struct{ X int }) (pad, error) { return pad{}, nil })
		}, "neither path nor query nor Body"},
		"a type of no contract": {func(d *Group) {
			Handle(d, Op{ID: "x", Method: "GET", Path: "/x"}, func(context.Context, *none) (chan int, error) { return nil, nil })
		}, "not a type of the contract"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newPadServer(t, nil)
			defer func() {
				if p := fmt.Sprint(recover()); !strings.Contains(p, test.want) {
					t.Errorf("got %s, want %q", p, test.want)
				}
			}()
			test.register(w.group)
		})
	}
}

func TestOperationsForTicketsNeedNoScopesOrKeys(t *testing.T) {
	t.Parallel()
	w := newPadServer(t, nil)
	missing := fault.New(fault.Unauthenticated, api.CodeAPIKeyInvalid, "Your ticket is not valid.")
	meet := w.Group("/meet/v1", authenticatePads, Tickets(missing), Titled("Meeting", ""))
	Handle(meet, Op{ID: "leave", Method: "POST", Path: "/leave", Scope: api.ScopeRoomsWrite},
		func(context.Context, *struct{}) (pad, error) { return aPad(), nil })
	if res := w.call(t, "POST", "/meet/v1/leave", "", "Authorization", ""); refusalOf(t, res).Code != missing.Code {
		t.Error("a request without a ticket does not get the group's refusal")
	}
	// Neither scopes nor idempotency keys, because a person is not a program.
	for range 2 {
		res := w.call(t, "POST", "/meet/v1/leave", "", "Authorization", "Bearer readonly", "Idempotency-Key", "k")
		if res.StatusCode != http.StatusOK || res.Header.Get("Idempotency-Replayed") != "" {
			t.Errorf("%d", res.StatusCode)
		}
	}
	doc, err := meet.Document()
	if err != nil || strings.Contains(string(doc), "x-required-scope") || strings.Contains(string(doc), "IdempotencyKey") || strings.Contains(string(doc), "api_key_expired") {
		t.Errorf("the document speaks of keys (%v):\n%s", err, doc)
	}
	if res := w.call(t, "POST", "/api/v1/leave", ""); res.StatusCode != http.StatusNotFound {
		t.Error("an operation of one group answers in another")
	}
}
