package join_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// office is a workspace with a key.
type office struct {
	*servertest.Service

	t   *testing.T
	key string
}

func (o office) ask(method, path, bearer, body string, out any) servertest.Answer {
	o.t.Helper()
	a := o.Send(servertest.Request{Method: method, Path: path, Bearer: bearer, Body: body})
	if err := json.Unmarshal(a.Body, out); err != nil || a.Status/100 != 2 {
		o.t.Fatalf("%s %s: %d %s", method, path, a.Status, a.Body)
	}
	return a
}

func (o office) room() (r api.Room) {
	o.t.Helper()
	o.ask(http.MethodPost, "/api/v1/rooms", o.key, `{"name": "Weekly"}`, &r)
	return r
}

// link makes a join link and returns the body that its holder sends to join.
func (o office) link(r api.Room, life time.Duration) string {
	o.t.Helper()
	var l api.JoinLink
	o.ask(http.MethodPost, "/api/v1/rooms/"+r.ID+"/join-links", o.key, fmt.Sprintf(`{"name": "Ada", "expires_in": %d}`, int(life.Seconds())), &l)
	_, secret, _ := strings.Cut(l.URL, "#join=")
	return fmt.Sprintf(`{"code": %q, "join_secret": %q}`, r.Code, secret)
}

// opens says how the door answers a person who opens a link.
func (o office) opens(link, ticket string) string {
	o.t.Helper()
	a := o.Send(servertest.Request{Method: http.MethodPost, Path: "/meet/v1/look-up", Bearer: ticket, Body: link})
	if a.Status == http.StatusOK {
		return "works"
	}
	return a.Code()
}

func TestOldJoinLinksAreForgotten(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		o := office{Service: servertest.Start(t, where, servertest.Options{}), t: t}
		o.key = o.Key(o.Workspace("acme", "owner@acme.example"), api.Scopes()...)
		r, doomed := o.room(), o.room()
		const month = 30 * 24 * time.Hour
		short, long := o.link(r, time.Hour), o.link(r, 2*month)
		o.link(doomed, 2*month)
		stays := o.link(r, time.Hour) // a person joins with it, and stays for a month
		var seat struct{ Ticket, Token string }
		o.ask(http.MethodPost, "/meet/v1/join", "", stays, &seat)
		upstream, _, err := o.Joins.LetThrough(t.Context(), seat.Token)
		if err == nil {
			_, err = o.Media.Connect(upstream)
		}
		if err != nil {
			t.Fatal(err)
		}
		o.Settle()
		want := func(when string, links int, answer string) {
			t.Helper()
			o.Forget()
			if n := o.Count("join_link"); n != links {
				t.Errorf("%s %d links are kept, want %d", when, n, links)
			}
			for link, want := range map[string]string{long: "works", short: answer} {
				if got := o.opens(link, ""); got != want {
					t.Errorf("%s a link answers %s, want %s", when, got, want)
				}
			}
			if got := o.opens(stays, seat.Ticket); got != "works" {
				t.Errorf("%s a person who is in and comes back gets %s", when, got)
			}
		}
		want("at first", 4, "works")
		o.ask(http.MethodDelete, "/api/v1/rooms/"+doomed.ID, o.key, "", &struct{}{})
		want("once a room is deleted", 3, "works")
		o.Advance(time.Hour + month)
		want("thirty days after it expired", 3, api.CodeLinkExpired)
		o.multiply(1000)
		o.Advance(time.Second)
		want("a second later", 2, api.CodeNotFound)
	})
}

// multiply makes many links that expire with the short one.
func (o office) multiply(n int) {
	o.t.Helper()
	err := o.DB().Write(o.t.Context(), func(tx *db.Tx) error {
		_, err := tx.Exec(o.t.Context(), `
			INSERT INTO join_link (id, room_id, workspace_id, secret_hash, name, role, created_at, expires_at)
			WITH RECURSIVE made (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM made WHERE n < $1)
			SELECT 'link ' || made.n, l.room_id, l.workspace_id, 'hash ' || made.n, l.name, l.role, l.created_at, l.expires_at
			FROM made, (SELECT * FROM join_link ORDER BY expires_at LIMIT 1) l`, n)
		return err
	})
	if err != nil {
		o.t.Fatal(err)
	}
}
