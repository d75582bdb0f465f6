package server_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// members is a workspace with its owner and a plain member, both signed in.
type members struct {
	workspace, key string
	owner, ada     http.Header // headers with which they act in it
	ownerFar       http.Header // header with which the owner acts in the personal workspace
	session        string      // the owner's
}

func newMembers(t *testing.T, s *servertest.Service) members {
	t.Helper()
	workspace := s.Workspace("acme", "owner@acme.example")
	if _, err := s.Identity.AddMember(t.Context(), workspace, "ada@acme.example", "member"); err != nil {
		t.Fatal(err)
	}
	owner, ada := s.SignIn("owner@acme.example", "Olga"), s.SignIn("ada@acme.example", "Ada")
	return members{
		workspace: workspace, key: s.Key(workspace, api.Scopes()...),
		owner: servertest.InSession(owner, workspace), ada: servertest.InSession(ada, workspace),
		ownerFar: http.Header{"Cookie": servertest.InSession(owner, "")["Cookie"]}, session: owner,
	}
}

// ownObjects makes a room, a poll, a meeting and a recording as the plain
// member.
func ownObjects(t *testing.T, s *servertest.Service, m members) objects {
	t.Helper()
	ids := objects{}
	for _, o := range []struct{ name, path, body string }{
		{"room_id", "/rooms", `{"name": "Ada's"}`},
		{"poll_id", "/rooms/{room_id}/polls", `{"question": "Tea?", "options": ["yes", "no"]}`},
		{"meeting_id", "/meetings", `{"title": "Review", "starts_at": "2026-11-23T10:00:00Z", "ends_at": "2026-11-23T11:00:00Z"}`},
	} {
		a := s.Send(servertest.Request{Method: http.MethodPost, Path: operation{path: o.path}.at(ids), Header: m.ada, Body: o.body})
		var made struct {
			ID string `json:"id"`
		}
		if err := json.Unmarshal(a.Body, &made); err != nil || a.Status != http.StatusCreated {
			t.Fatalf("make %s: %d %s", o.name, a.Status, a.Body)
		}
		ids[o.name] = made.ID
	}
	a := s.Send(servertest.Request{Method: http.MethodGet, Path: operation{path: "/rooms/{room_id}"}.at(ids), Header: m.ada})
	var r api.Room
	if err := json.Unmarshal(a.Body, &r); err != nil {
		t.Fatal(err)
	}
	ids["recording_id"] = s.Recorded(m.ada, `{"code": "`+r.Code+`", "name": "Ada"}`)
	return ids
}

// forMembers are the operations that take sessions: all that need a scope.
func forMembers(operations []operation) []operation {
	return slices.DeleteFunc(slices.Clone(operations), func(o operation) bool { return o.scope == "" })
}

// nobodyThere says whether an operation got as far as it can in a new room,
// where nobody is and no breakouts are open.
func nobodyThere(o operation, a servertest.Answer) bool {
	return a.Code() == api.CodeBreakoutNotOpen || strings.Contains(o.path, "{identity}") && a.Status == http.StatusNotFound && a.Refusal().Param == "identity"
}

// With a session, an owner can do everything that a key with every scope can.
func TestAnOwnerDoesWhatAKeyDoes(t *testing.T) {
	t.Parallel()
	_, operations := contract(t)
	each(t, servertest.Options{}, func(t *testing.T, s *servertest.Service) {
		m := newMembers(t, s)
		for _, o := range forMembers(operations) {
			ids := newObjects(t, s, m.key)
			a := s.Send(servertest.Request{Method: o.method, Path: o.at(ids), Header: m.owner, Body: o.smallest(t)})
			if a.Status != o.success && !nobodyThere(o, a) {
				t.Errorf("%s answers an owner %d %s, want %d", o.name(), a.Status, a.Body, o.success)
			}
			ids.withoutWebhook(s, m.key)
		}
	})
}

// A plain member can read rooms and meetings and make new ones. Everything else
// needs the right to manage the object.
func TestAPlainMemberManagesTheirOwnObjects(t *testing.T) {
	t.Parallel()
	_, operations := contract(t)
	forEverybody := []string{"listRooms", "getRoom", "createRoom", "listMeetings", "getMeeting", "createMeeting", "listRecordings", "getRecording", "downloadRecording", "getRecordingPart"}
	each(t, servertest.Options{}, func(t *testing.T, s *servertest.Service) {
		m := newMembers(t, s)
		for _, o := range forMembers(operations) {
			ids := newObjects(t, s, m.key)
			want := api.CodeRoomNotManaged
			switch {
			case slices.Contains(forEverybody, o.id):
				want = ""
			case o.scope == api.ScopeWebhooksManage:
				want = api.CodeInsufficientScope
			case o.scope == api.ScopeMeetingsWrite:
				want = api.CodeMeetingNotManaged
			case o.scope == api.ScopeRecordingsWrite:
				want = api.CodeRecordingNotManaged
			}
			before := len(s.EventLog())
			a := s.Send(servertest.Request{Method: o.method, Path: o.at(ids), Header: m.ada, Body: o.smallest(t)})
			if want == "" && a.Status != o.success || want != "" && (a.Status != http.StatusForbidden || a.Code() != want) {
				t.Errorf("%s on what others made answers a member %d %s, want %q", o.name(), a.Status, a.Body, want)
			}
			if want != "" && len(s.EventLog()) != before {
				t.Errorf("%s is refused and sends an event", o.name())
			}
			ids.withoutWebhook(s, m.key)
			if o.scope == api.ScopeWebhooksManage {
				continue
			}
			theirs := ownObjects(t, s, m)
			a = s.Send(servertest.Request{Method: o.method, Path: o.at(theirs), Header: m.ada, Body: o.smallest(t)})
			if a.Status != o.success && !nobodyThere(o, a) {
				t.Errorf("%s on what they made answers a member %d %s, want %d", o.name(), a.Status, a.Body, o.success)
			}
		}
	})
}

// When a member acts in another of their workspaces, nothing of this one is
// found.
func TestMembersFindNothingOfOtherWorkspaces(t *testing.T) {
	t.Parallel()
	_, operations := contract(t)
	each(t, servertest.Options{}, func(t *testing.T, s *servertest.Service) {
		m := newMembers(t, s)
		ids := newObjects(t, s, m.key)
		body := ""
		for _, o := range forMembers(operations) {
			if !strings.Contains(o.path, "{") {
				continue
			}
			for _, ids := range []objects{ids, same("0192f3a1-7c3e-7d3a-9a41-3b6f0e5d2c11"), same("nonsense")} {
				a := s.Send(servertest.Request{Method: o.method, Path: o.at(ids), Header: m.ownerFar, Body: o.smallest(t)})
				if a.Status != http.StatusNotFound || a.Code() != api.CodeNotFound {
					t.Fatalf("%s with the ids %.60q answers %d %s", o.name(), ids, a.Status, a.Body)
				}
				if body == "" {
					body = anonymous(a)
				}
				if got := anonymous(a); got != body {
					t.Errorf("%s with the ids %.60q answers %s, elsewhere %s", o.name(), ids, got, body)
				}
			}
		}
	})
}

// Every operation first refuses sessions that have ended and requests caused by
// pages of other sites.
func TestEveryOperationChecksTheSessionFirst(t *testing.T) {
	t.Parallel()
	_, operations := contract(t)
	each(t, servertest.Options{}, func(t *testing.T, s *servertest.Service) {
		m := newMembers(t, s)
		other := s.Workspace("other", "owner@other.example")
		ids := newObjects(t, s, m.key)
		before := len(s.EventLog())
		with := func(h http.Header, name, value string) http.Header {
			h = h.Clone()
			h.Set(name, value)
			return h
		}
		for _, c := range []struct {
			what   string
			header http.Header
			status int
			code   string
		}{
			{"an unknown session", servertest.InSession("nonsense", m.workspace), 401, api.CodeSignInRequired},
			{"another site's page", with(m.owner, "Sec-Fetch-Site", "cross-site"), 403, api.CodeCrossOrigin},
			{"another host's page", with(m.owner, "Sec-Fetch-Site", "same-site"), 403, api.CodeCrossOrigin},
			{"an old browser on another site", with(m.owner, "Origin", "https://evil.example"), 403, api.CodeCrossOrigin},
			{"another workspace", servertest.InSession(m.session, other), 403, api.CodeNotAMember},
			{"no workspace", servertest.InSession(m.session, "x"), 403, api.CodeNotAMember},
			{"two workspaces", http.Header{"Cookie": m.owner["Cookie"], "Conclave-Workspace": {m.workspace, m.workspace}}, 403, api.CodeNotAMember},
		} {
			for _, o := range forMembers(operations) {
				for _, body := range []string{o.smallest(t), "{"} {
					a := s.Send(servertest.Request{Method: o.method, Path: o.at(ids), Header: c.header, Body: body})
					if a.Status != c.status || a.Code() != c.code {
						t.Fatalf("%s, %s: %d %s, want %d %s", o.name(), c.what, a.Status, a.Body, c.status, c.code)
					}
				}
			}
		}
		if after := len(s.EventLog()); after != before {
			t.Errorf("%d events were written by requests that are refused", after-before)
		}
	})
}

// Requests count for the account, in any workspace, also when they name a
// workspace of others.
func TestTheRateLimitOfMembers(t *testing.T) {
	t.Parallel()
	each(t, servertest.Options{RateLimits: true}, func(t *testing.T, s *servertest.Service) {
		m := newMembers(t, s)
		strange := servertest.InSession(m.session, "x")
		for i := range 100 {
			header, want := m.owner, http.StatusOK
			switch i % 3 {
			case 1:
				header = m.ownerFar
			case 2:
				header, want = strange, http.StatusForbidden
			}
			if a := s.Send(servertest.Request{Method: http.MethodGet, Path: "/api/v1/rooms", Header: header}); a.Status != want {
				t.Fatalf("request %d answers %d %s", i+1, a.Status, a.Body)
			}
		}
		for _, header := range []http.Header{m.owner, m.ownerFar, strange} {
			if a := s.Send(servertest.Request{Method: http.MethodGet, Path: "/api/v1/rooms", Header: header}); a.Status != http.StatusTooManyRequests {
				t.Errorf("one more answers %d %s", a.Status, a.Body)
			}
		}
		if a := s.Send(servertest.Request{Method: http.MethodGet, Path: "/api/v1/rooms", Header: m.ada}); a.Status != http.StatusOK {
			t.Errorf("another member is answered %d %s", a.Status, a.Body)
		}
		if a := s.Send(servertest.Request{Method: http.MethodGet, Path: "/api/v1/rooms", Bearer: m.key}); a.Status != http.StatusOK {
			t.Errorf("a key of the workspace is answered %d %s", a.Status, a.Body)
		}
	})
}
