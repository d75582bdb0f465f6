package server_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/identity"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// anonymous is a refusal without the parts that differ in every request.
func anonymous(a servertest.Answer) string {
	id := a.Refusal().RequestID
	if id == "" {
		return string(a.Body)
	}
	return string(bytes.ReplaceAll(a.Body, []byte(id), []byte("req_")))
}

// headers is the headers of an answer, without those that differ in every
// request.
func headers(a servertest.Answer) string {
	names := slices.Sorted(maps.Keys(a.Header))
	var b strings.Builder
	for _, name := range names {
		if name != "Request-Id" && name != "Date" {
			b.WriteString(name + ": " + a.Header.Get(name) + "\n")
		}
	}
	return b.String()
}

// keysThatDoNotWork makes one key for every reason why a key can fail.
func keysThatDoNotWork(t *testing.T, s *servertest.Service, workspace string) map[string]string {
	t.Helper()
	ctx := t.Context()
	expired, _ := s.KeyUntil(workspace, s.Now().Add(time.Second), api.Scopes()...)
	revoked, revokedID := s.KeyUntil(workspace, s.Now().Add(24*time.Hour), api.Scopes()...)
	if err := s.Identity.RevokeKey(ctx, revokedID); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Identity.AddMember(ctx, workspace, "bob@acme.example", "admin"); err != nil {
		t.Fatal(err)
	}
	inactive, _, err := s.Identity.CreateKey(ctx, identity.KeyRequest{WorkspaceID: workspace, Scopes: api.Scopes(), CreatedBy: "bob@acme.example"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Identity.AddMember(ctx, workspace, "bob@acme.example", "member"); err != nil {
		t.Fatal(err)
	}
	s.Advance(time.Second)
	right := s.Key(workspace, api.Scopes()...)
	last := right[len(right)-1:]
	return map[string]string{
		"":                              api.CodeAPIKeyMissing,
		"nonsense":                      api.CodeAPIKeyInvalid,
		strings.Repeat("x", 4000):       api.CodeAPIKeyInvalid,
		strings.TrimSuffix(right, last): api.CodeAPIKeyInvalid,
		right + last:                    api.CodeAPIKeyInvalid,
		"svc_test_" + right[9:]:         api.CodeAPIKeyInvalid,
		"svc_live_4fQz81KdabcdefghijklmnopqrstuvwxyzABC2gQauS": api.CodeAPIKeyInvalid, // well-formed and unknown
		expired:  api.CodeAPIKeyExpired,
		revoked:  api.CodeAPIKeyRevoked,
		inactive: api.CodeAPIKeyInactive,
	}
}

// Without a valid key every operation refuses, in the same words.
func TestEveryOperationNeedsAValidKey(t *testing.T) {
	t.Parallel()
	_, operations := contract(t)
	each(t, servertest.Options{}, func(t *testing.T, s *servertest.Service) {
		workspace := s.Workspace("acme", "owner@acme.example")
		ids := newObjects(t, s, s.Key(workspace, api.Scopes()...))
		before := len(s.EventLog())
		words := map[string]string{}
		for key, code := range keysThatDoNotWork(t, s, workspace) {
			for _, o := range operations {
				for _, body := range []string{o.smallest(t), "{", ""} { // right and wrong ones: the key is checked first
					a := s.Send(servertest.Request{Method: o.method, Path: o.at(ids), Bearer: key, Body: body})
					if a.Status != http.StatusUnauthorized || a.Code() != code || a.Header.Get("Www-Authenticate") != "Bearer" {
						t.Fatalf("%s with the key %.40q answers %d %s, want 401 %s", o.name(), key, a.Status, a.Body, code)
					}
					if words[code] == "" {
						words[code] = anonymous(a)
					}
					if got := anonymous(a); got != words[code] {
						t.Errorf("%s with the key %.40q answers %s, elsewhere %s", o.name(), key, got, words[code])
					}
				}
			}
		}
		if after := len(s.EventLog()); after != before {
			t.Errorf("%d events were written by requests without a key", after-before)
		}
	})
}

// With every scope but its own, an operation is refused, whatever else is
// wrong; with its own scope alone it works.
func TestEveryOperationNeedsItsScope(t *testing.T) {
	t.Parallel()
	_, operations := contract(t)
	each(t, servertest.Options{}, func(t *testing.T, s *servertest.Service) {
		workspace := s.Workspace("acme", "owner@acme.example")
		all := s.Key(workspace, api.Scopes()...)
		for _, o := range operations {
			ids := newObjects(t, s, all)
			others := slices.DeleteFunc(api.Scopes(), func(scope api.Scope) bool { return scope == o.scope })
			key := s.Key(workspace, others...)
			for _, ids := range []objects{ids, same("nowhere")} {
				for _, body := range []string{o.smallest(t), "{"} {
					if o.scope == "" {
						continue
					}
					a := s.Send(servertest.Request{Method: o.method, Path: o.at(ids), Bearer: key, Body: body})
					if a.Status != http.StatusForbidden || a.Code() != api.CodeInsufficientScope || a.Refusal().RequiredScope != string(o.scope) {
						t.Errorf("%s without %s answers %d %s", o.name(), o.scope, a.Status, a.Body)
					}
				}
			}
			only := o.scope
			if only == "" {
				only = api.ScopeWebhooksManage // any key will do
			}
			a := s.Send(servertest.Request{Method: o.method, Path: o.at(ids), Bearer: s.Key(workspace, only), Body: o.smallest(t)})
			// Nobody is in the new room and it has no breakouts, so some
			// operations cannot do more.
			nobody := a.Code() == api.CodeBreakoutNotOpen || strings.Contains(o.path, "{identity}") && a.Status == http.StatusNotFound && a.Refusal().Param == "identity"
			if a.Status != o.success && !nobody {
				t.Errorf("%s with %s alone answers %d %s, want %d", o.name(), only, a.Status, a.Body, o.success)
			}
			ids.withoutWebhook(s, all)
		}
	})
}

// Ids that are unknown, deleted, malformed or of another workspace get the same
// answer, byte for byte, so that nobody learns what exists elsewhere.
func TestEveryForeignIDIsNotFound(t *testing.T) {
	t.Parallel()
	_, operations := contract(t)
	each(t, servertest.Options{}, func(t *testing.T, s *servertest.Service) {
		key := s.Key(s.Workspace("acme", "owner@acme.example"), api.Scopes()...)
		other := s.Key(s.Workspace("other", "owner@other.example"), api.Scopes()...)
		foreign, own, deleted := newObjects(t, s, other), newObjects(t, s, key), newObjects(t, s, key)
		s.Send(servertest.Request{Method: http.MethodDelete, Path: "/api/v1/rooms/" + deleted["room_id"], Bearer: key})
		s.Send(servertest.Request{Method: http.MethodDelete, Path: "/api/v1/meetings/" + deleted["meeting_id"], Bearer: key})
		s.Send(servertest.Request{Method: http.MethodDelete, Path: "/api/v1/recordings/" + deleted["recording_id"], Bearer: key})
		deleted.withoutWebhook(s, key)
		deleted["event_id"] = foreign["event_id"] // events are never deleted one by one
		spelled := func(how func(string) string) objects {
			out := objects{}
			for name, id := range own {
				out[name] = how(id)
			}
			return out
		}
		before := len(s.EventLog())
		body, head := "", ""
		for _, o := range operations {
			if !strings.Contains(o.path, "{") {
				continue
			}
			tried := []objects{
				foreign, deleted, spelled(strings.ToUpper), spelled(func(id string) string { return "%7B" + id + "%7D" }),
				spelled(func(id string) string { return strings.NewReplacer("-", "", "_", "").Replace(id) }),
				spelled(func(id string) string { return id + "%20" }), spelled(func(id string) string { return id + "%00" }),
				// A delivery to another endpoint of the same workspace.
				{"webhook_id": own["webhook_id"], "delivery_id": foreign["delivery_id"], "room_id": "x", "event_id": "x", "poll_id": "x", "meeting_id": "x", "recording_id": "x"},
			}
			for _, id := range []string{
				"0192f3a1-7c3e-7d3a-9a41-3b6f0e5d2c11", "00000000-0000-0000-0000-000000000000", "nonsense", "0", "null", "-1",
				"%00", "%F0%9F%98%80", "%2e%2e%2fme", "'%20OR%201=1--", strings.Repeat("x", 4000),
			} {
				tried = append(tried, same(id))
			}
			for _, id := range tried {
				if id["webhook_id"] == own["webhook_id"] && !strings.Contains(o.path, "{delivery_id}") {
					continue
				}
				a := s.Send(servertest.Request{Method: o.method, Path: o.at(id), Bearer: key, Body: o.smallest(t)})
				if a.Status != http.StatusNotFound || a.Code() != api.CodeNotFound {
					t.Fatalf("%s with the ids %.60q answers %d %s", o.name(), id, a.Status, a.Body)
				}
				if body == "" {
					body, head = anonymous(a), headers(a)
				}
				if got := anonymous(a); got != body {
					t.Errorf("%s with the ids %.60q answers %s, elsewhere %s", o.name(), id, got, body)
				}
				if got := headers(a); got != head {
					t.Errorf("%s with the ids %.60q has the headers\n%s\nelsewhere\n%s", o.name(), id, got, head)
				}
			}
		}
		if after := len(s.EventLog()); after != before {
			t.Errorf("%d events were written by requests for what is not there", after-before)
		}
	})
}

// Each request is also wrong for every later step, so that only the order
// decides the answer.
func TestTheOrderOfChecksOfEveryOperation(t *testing.T) {
	t.Parallel()
	_, operations := contract(t)
	each(t, servertest.Options{}, func(t *testing.T, s *servertest.Service) {
		workspace := s.Workspace("acme", "owner@acme.example")
		key, none, other := s.Key(workspace, api.Scopes()...), s.Key(workspace, api.ScopeWebhooksManage), s.Key(workspace, api.ScopeRoomsRead)
		huge := `{"nome": "` + strings.Repeat("x", 70<<10) + `"`
		text := http.Header{"Content-Type": {"text/plain"}}
		for _, o := range operations {
			if o.scope == "" {
				continue
			}
			none := none
			if o.scope == api.ScopeWebhooksManage {
				none = other
			}
			type step struct {
				what   string
				status int
				code   string
				r      servertest.Request
			}
			steps := []step{
				{"route", 404, api.CodeRouteNotFound, servertest.Request{Method: "BREW", Path: "/api/v1/nothing/nowhere", Body: huge, Header: text}},
				{"method", 405, api.CodeMethodNotAllowed, servertest.Request{Method: "BREW", Path: o.at(same("nowhere")), Body: huge, Header: text}},
				{"key", 401, api.CodeAPIKeyMissing, servertest.Request{Method: o.method, Path: o.at(same("nowhere")) + "?x=1", Body: huge, Header: text}},
				{"scope", 403, api.CodeInsufficientScope, servertest.Request{Method: o.method, Path: o.at(same("nowhere")) + "?x=1", Bearer: none, Body: huge, Header: text}},
			}
			if o.method != http.MethodGet {
				steps = append(steps,
					step{"media type", 415, api.CodeUnsupportedMediaType, servertest.Request{Method: o.method, Path: o.at(same("nowhere")) + "?x=1", Bearer: key, Body: huge, Header: text}},
					step{"size", 413, api.CodePayloadTooLarge, servertest.Request{Method: o.method, Path: o.at(same("nowhere")) + "?x=1", Bearer: key, Body: huge}},
					step{"JSON", 400, api.CodeInvalidJSON, servertest.Request{Method: o.method, Path: o.at(same("nowhere")) + "?x=1", Bearer: key, Body: `{"nome": 1`}})
			}
			steps = append(steps, step{"fields", 400, api.CodeParameterUnknown, servertest.Request{Method: o.method, Path: o.at(same("nowhere")) + "?x=1", Bearer: key, Body: o.smallest(t)}})
			for _, step := range steps {
				if a := s.Send(step.r); a.Status != step.status || a.Code() != step.code {
					t.Errorf("%s, %s: %d %.300s, want %d %s", o.name(), step.what, a.Status, a.Body, step.status, step.code)
				}
			}
		}
	})
}

// The object is checked before its state: a foreign strict room is not found.
// Fields are checked before the object, even when they contradict each other.
func TestAnObjectIsCheckedBeforeItsState(t *testing.T) {
	t.Parallel()
	each(t, servertest.Options{}, func(t *testing.T, s *servertest.Service) {
		key := s.Key(s.Workspace("acme", "owner@acme.example"), api.Scopes()...)
		other := s.Key(s.Workspace("other", "owner@other.example"), api.Scopes()...)
		strict := newRoom(t, s, key, `{"name": "Strict", "settings": {"encryption": "strict"}}`)
		for _, c := range []struct {
			key, method, path, body string
			status                  int
			code                    string
		}{
			{key, http.MethodPost, "/tokens", `{"name": "Ada"}`, 409, api.CodeEncryptionStrict},
			{other, http.MethodPost, "/tokens", `{"name": "Ada"}`, 404, api.CodeNotFound},
			{other, http.MethodPost, "/tokens", `{"name": ""}`, 400, api.CodeParameterInvalid},
			{key, http.MethodPost, "/tokens", `{"name": ""}`, 400, api.CodeParameterInvalid},
			{other, http.MethodPatch, "", `{"settings": {"recordings": "workspace"}}`, 404, api.CodeNotFound},
			{other, http.MethodPatch, "", `{"settings": {"encryption": "strict", "recordings": "workspace"}}`, 400, api.CodeParameterInvalid},
		} {
			a := s.Send(servertest.Request{Method: c.method, Path: "/api/v1/rooms/" + strict + c.path, Bearer: c.key, Body: c.body})
			if a.Status != c.status || a.Code() != c.code {
				t.Errorf("%s %s %s: %d %s, want %d %s", c.method, c.path, c.body, a.Status, a.Body, c.status, c.code)
			}
		}
	})
}

// The limit is checked after the key and before the scope.
func TestTheRateLimitIsCheckedBetweenKeyAndScope(t *testing.T) {
	t.Parallel()
	each(t, servertest.Options{RateLimits: true}, func(t *testing.T, s *servertest.Service) {
		workspace := s.Workspace("acme", "owner@acme.example")
		key, spare := s.Key(workspace, api.ScopeRoomsRead), s.Key(workspace, api.ScopeRoomsRead)
		send := func(method, key string) servertest.Answer {
			return s.Send(servertest.Request{Method: method, Path: "/api/v1/rooms", Bearer: key})
		}
		for i := range 100 {
			if a := send(http.MethodGet, key); a.Status != http.StatusOK {
				t.Fatalf("request %d answers %d %s", i+1, a.Status, a.Body)
			}
		}
		a := send(http.MethodPost, key) // it does not have the scope
		var e api.ErrorResponse
		if err := json.Unmarshal(a.Body, &e); err != nil || a.Status != http.StatusTooManyRequests || e.Error.RetryAfter < 1 || a.Header.Get("Retry-After") == "" {
			t.Errorf("request 101 answers %d %s", a.Status, a.Body)
		}
		if a := send(http.MethodGet, key+"x"); a.Status != http.StatusUnauthorized {
			t.Errorf("an unknown key is answered %d %s", a.Status, a.Body)
		}
		if a := send(http.MethodGet, spare); a.Status != http.StatusOK {
			t.Errorf("another key of the workspace is answered %d %s", a.Status, a.Body)
		}
		s.Advance(time.Duration(e.Error.RetryAfter) * time.Second)
		if a := send(http.MethodGet, key); a.Status != http.StatusOK {
			t.Errorf("after Retry-After: %d %s", a.Status, a.Body)
		}
	})
}
