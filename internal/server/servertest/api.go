package servertest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/event"
	"github.com/conclave-rooms/conclave/internal/identity"
)

// Request is a request that a test sends.
type Request struct {
	Method string
	Path   string // with its prefix, such as /api/v1/rooms
	Bearer string // "": no Authorization header
	Body   string // "": none
	Header http.Header
}

// Answer is the answer to a Request.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Code is the code of a refusal, "" for any other answer.
func (a Answer) Code() string { return a.Refusal().Code }

// Refusal decodes the envelope of a refusal.
func (a Answer) Refusal() api.Error {
	var envelope api.ErrorResponse
	_ = json.Unmarshal(a.Body, &envelope) // anything else is not a refusal
	return envelope.Error
}

// Send sends a request. The answer is checked against the OpenAPI document.
func (s *Service) Send(r Request) Answer {
	s.t.Helper()
	res, err := s.dispatch(r)
	if err != nil {
		s.t.Fatalf("%s %s: %v", r.Method, r.Path, err)
	}
	return readAnswer(s.t, res)
}

func readAnswer(t testing.TB, res *http.Response) Answer {
	t.Helper()
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatalf("read the answer: %v", err)
	}
	return Answer{Status: res.StatusCode, Header: res.Header, Body: body}
}

func (s *Service) dispatch(r Request) (*http.Response, error) {
	var body io.Reader
	if r.Body != "" {
		body = strings.NewReader(r.Body)
	}
	req, err := s.NewRequest(s.t.Context(), r, body)
	if err != nil {
		return nil, err
	}
	return s.client.Do(req) //nolint:wrapcheck // the caller names the request
}

// NewRequest makes a request with any body.
func (s *Service) NewRequest(ctx context.Context, r Request, body io.Reader) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, r.Method, s.web.URL+r.Path, body)
	if err != nil {
		return nil, fmt.Errorf("make the request: %w", err)
	}
	if r.Bearer != "" {
		req.Header.Set("Authorization", "Bearer "+r.Bearer)
	}
	if r.Body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for name, values := range r.Header {
		req.Header[name] = values
	}
	return req, nil
}

// Workspace makes a workspace with an owner and returns its id.
func (s *Service) Workspace(name, owner string) string {
	s.t.Helper()
	w, _, err := s.Identity.CreateWorkspace(s.t.Context(), name, owner)
	if err != nil {
		s.t.Fatalf("make the workspace %s: %v", name, err)
	}
	return w.ID
}

// SignIn accepts a new invitation of an account under a name, and returns the
// value of the session's cookie.
func (s *Service) SignIn(email, name string) string {
	s.t.Helper()
	inv, err := s.Identity.Invite(s.t.Context(), email)
	if err != nil {
		s.t.Fatalf("invite %s: %v", email, err)
	}
	_, session, err := s.Identity.Accept(s.t.Context(), strings.TrimPrefix(inv.URL, PublicURL+"/invitation#"), name, "correct horse battery")
	if err != nil {
		s.t.Fatalf("sign %s in: %v", email, err)
	}
	return session
}

// InSession is the header for requests of a member in one of their workspaces.
func InSession(session, workspaceID string) http.Header {
	return http.Header{"Cookie": {identity.SessionCookie(PublicURL) + "=" + session}, identity.WorkspaceHeader: {workspaceID}}
}

// Key makes a key of a workspace's owner that never expires.
func (s *Service) Key(workspaceID string, scopes ...api.Scope) string {
	s.t.Helper()
	key, _, err := s.Identity.CreateKey(s.t.Context(), identity.KeyRequest{WorkspaceID: workspaceID, Scopes: scopes})
	if err != nil {
		s.t.Fatalf("make a key: %v", err)
	}
	return key
}

// KeyUntil makes a key of a workspace's owner that expires, and returns its id.
func (s *Service) KeyUntil(workspaceID string, expires time.Time, scopes ...api.Scope) (key, keyID string) {
	s.t.Helper()
	key, k, err := s.Identity.CreateKey(s.t.Context(), identity.KeyRequest{WorkspaceID: workspaceID, Scopes: scopes, ExpiresAt: &expires})
	if err != nil {
		s.t.Fatalf("make a key: %v", err)
	}
	return key, k.ID
}

// EventLog reads all events, oldest first.
func (s *Service) EventLog() []event.Event {
	s.t.Helper()
	var all []event.Event
	err := s.Identity.DB.Read(s.t.Context(), func(tx *db.Tx) (err error) {
		all, err = s.Events.List(s.t.Context(), tx, event.Filter{})
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return all
}
