package main_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/identity"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// A person who is no longer a host, because of a command, must leave a breakout
// that they only visited, as after any other change of their role.
func TestACommandThatEndsAHostsRoleEndsTheirVisit(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		s := servertest.Start(t, where, servertest.Options{})
		workspace := s.Workspace("acme", "owner@acme.example")
		administrate(t, where, &map[string]any{}, "members", "add", "--workspace", workspace, "--email", "liz@acme.example", "--role", "admin")
		ask := func(bearer, cookie, path, body string, out any) {
			t.Helper()
			a := s.Send(servertest.Request{Method: http.MethodPost, Path: path, Bearer: bearer, Body: body, Header: http.Header{"Cookie": {cookie}}})
			if err := json.Unmarshal(a.Body, out); err != nil || a.Status/100 != 2 {
				t.Fatalf("%s: %d %s", path, a.Status, a.Body)
			}
			s.Settle()
		}
		key := s.Key(workspace, api.Scopes()...)
		var room api.Room
		ask(key, "", "/api/v1/rooms", `{"name": "Weekly"}`, &room)
		var seat struct{ Ticket, Token string }
		ask("", signedIn(t, s, "liz@acme.example"), "/meet/v1/join", `{"code": "`+room.Code+`"}`, &seat)
		upstream, _, err := s.Joins.LetThrough(t.Context(), seat.Token)
		if err == nil {
			_, err = s.Media.Connect(upstream)
		}
		if err != nil {
			t.Fatal(err)
		}
		s.Settle()
		var session api.BreakoutSession
		ask(key, "", "/api/v1/rooms/"+room.ID+"/breakouts", `{"rooms": 1}`, &session)
		ask(seat.Ticket, "", "/meet/v1/breakouts/join", `{"breakout_id": "`+session.Rooms[0].ID+`"}`, &struct{}{})
		administrate(t, where, &map[string]any{}, "members", "add", "--workspace", workspace, "--email", "liz@acme.example", "--role", "member")
		var renewed struct {
			BreakoutID *string `json:"breakout_id"`
		}
		ask(seat.Ticket, "", "/meet/v1/token", "", &renewed)
		if renewed.BreakoutID != nil {
			t.Error("they still get the key of the breakout they visited")
		}
	})
}

// signedIn signs an account in and returns the session's cookie.
func signedIn(t *testing.T, s *servertest.Service, email string) string {
	t.Helper()
	invitation, err := s.Identity.Invite(t.Context(), email)
	if err != nil {
		t.Fatal(err)
	}
	secret := strings.TrimPrefix(invitation.URL, servertest.PublicURL+"/invitation#")
	_, session, err := s.Identity.Accept(t.Context(), secret, "Liz", "correct horse battery")
	if err != nil {
		t.Fatal(err)
	}
	return identity.SessionCookie(servertest.PublicURL) + "=" + session
}
