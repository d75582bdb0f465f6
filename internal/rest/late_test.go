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
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/fault"
)

// lateBody is a body that arrives after something else has happened.
type lateBody struct {
	io.Reader

	before func()
}

func (b *lateBody) Read(p []byte) (int, error) {
	if b.before != nil {
		b.before()
		b.before = nil
	}
	return b.Reader.Read(p) //nolint:wrapcheck // a Reader returns errors unchanged
}

// Nobody can begin requests with a key, and complete them after the key was revoked or
// has lost a scope. The same holds for the session of a member.
func TestTheCallerIsRecognisedAgainAfterALateBody(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		after time.Duration
		ends  fault.Kind // of the refusal from then on; 0 for none
		want  int
		asked int // how often the caller was recognised
	}{
		"nothing ends":                      {time.Minute, 0, http.StatusOK, 2},
		"ends long before":                  {10 * time.Second, fault.Unauthenticated, http.StatusUnauthorized, 2},
		"ends half a second before":         {500 * time.Millisecond, fault.Unauthenticated, http.StatusUnauthorized, 2},
		"a moment later, as if it was read": {500*time.Millisecond - time.Nanosecond, fault.Unauthenticated, http.StatusOK, 1},
		"the clock was set back":            {-time.Hour, fault.Unauthenticated, http.StatusUnauthorized, 2},
		"lacks the scope now":               {time.Second, fault.Forbidden, http.StatusForbidden, 2},
	} {
		for _, by := range []string{"key", "session"} {
			t.Run(name+", "+by, func(t *testing.T) {
				t.Parallel()
				w, pass := clocked(t, nil)
				asked, changed, ended := 0, 0, false
				recognise := func(ctx context.Context) (context.Context, string, error) {
					asked++
					p := auth.Principal{WorkspaceID: "w1", Scopes: api.Scopes()}
					switch {
					case ended && c.ends == fault.Forbidden:
						p.Scopes = nil
					case ended && c.ends == fault.Unauthenticated:
						return nil, "", fault.New(fault.Unauthenticated, api.CodeAPIKeyRevoked, "It has ended.")
					}
					return auth.WithPrincipal(ctx, p), "caller", nil
				}
				d := w.Group("/late/v1", func(ctx context.Context, _ string) (context.Context, string, error) { return recognise(ctx) },
					OrSessions(Sessions{
						Cookie: "session", Header: "Workspace",
						Recognise: func(ctx context.Context, _, _ string) (context.Context, string, error) { return recognise(ctx) },
					}))
				Handle(d, Op{ID: "change", Method: http.MethodPost, Path: "/change", Scope: api.ScopeRoomsWrite},
					func(context.Context, *struct{ Body padUpdate }) (pad, error) { changed++; return aPad(), nil })
				r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://meet.example.com/late/v1/change",
					&lateBody{Reader: strings.NewReader(`{"name":"Notes"}`), before: func() { pass(c.after); ended = true }})
				r.Header.Set("Content-Type", "application/json")
				if by == "key" {
					r.Header.Set("Authorization", "Bearer key")
				} else {
					r.AddCookie(&http.Cookie{Name: "session", Value: "token"})
				}
				answer := httptest.NewRecorder()
				w.ServeHTTP(answer, r)
				if done := changed == 1; answer.Code != c.want || done != (c.want == http.StatusOK) || asked != c.asked {
					t.Errorf("%d %s, done: %v, recognised %d times; want %d, and %d times", answer.Code, answer.Body, done, asked, c.want, c.asked)
				}
			})
		}
	}
}
