package schedule_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/schedule"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// each runs a test on both databases, with a key of a workspace.
func each(t *testing.T, test func(t *testing.T, s *servertest.Service, key string)) {
	t.Helper()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		s := servertest.Start(t, where, servertest.Options{})
		test(t, s, s.Key(s.Workspace("acme", "owner@acme.example"), api.Scopes()...))
	})
}

// send sends a request that has to succeed and reads its answer.
func send[T any](t *testing.T, s *servertest.Service, key, method, path, body string) (out T) {
	t.Helper()
	a := s.Send(servertest.Request{Method: method, Path: "/api/v1" + path, Bearer: key, Body: body})
	if err := json.Unmarshal(a.Body, &out); err != nil || a.Status/100 != 2 {
		t.Fatalf("%s %s: %d %s", method, path, a.Status, a.Body)
	}
	return out
}

// plan schedules a meeting for 23 November 2026, 10:00.
func plan(t *testing.T, s *servertest.Service, key, title, more string) api.Meeting {
	t.Helper()
	return send[api.Meeting](t, s, key, http.MethodPost, "/meetings",
		fmt.Sprintf(`{"title": %q, "starts_at": "2026-11-23T10:00:00Z", "ends_at": "2026-11-23T11:00:00Z"%s}`, title, more))
}

// titles lists the next thirty days.
func titles(t *testing.T, s *servertest.Service, key string) []string {
	t.Helper()
	var out []string
	for _, m := range send[api.List[api.Meeting]](t, s, key, http.MethodGet, "/meetings", "").Data {
		out = append(out, m.Title)
	}
	return out
}

// Two changes at the same time are made one after the other. The second is checked
// against the result of the first, and each event reports its own change.
func TestConcurrentChangesAreMadeOneAfterTheOther(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *servertest.Service, key string) {
		for range 10 {
			m := plan(t, s, key, "Review", `, "recurrence": "daily"`)
			before := len(s.EventLog())
			var both sync.WaitGroup
			answers := make([]servertest.Answer, 2)
			for i, body := range []string{`{"starts_at": "2026-11-23T10:45:00Z"}`, `{"ends_at": "2026-11-23T10:30:00Z"}`} {
				both.Go(func() {
					answers[i] = s.Send(servertest.Request{Method: http.MethodPatch, Path: "/api/v1/meetings/" + m.ID, Bearer: key, Body: body})
				})
			}
			both.Wait()
			statuses := []int{answers[0].Status, answers[1].Status}
			slices.Sort(statuses)
			if !slices.Equal(statuses, []int{200, 400}) {
				t.Fatalf("two changes that contradict each other got %v: %s, %s", statuses, answers[0].Body, answers[1].Body)
			}
			if told := len(s.EventLog()) - before; told != 1 {
				t.Errorf("%d events report them, want 1", told)
			}
			if got := send[api.Meeting](t, s, key, http.MethodGet, "/meetings/"+m.ID, ""); !got.EndsAt.After(got.StartsAt.Time) {
				t.Errorf("the meeting is from %s to %s", got.StartsAt, got.EndsAt)
			}
		}
	})
}

// OnChange is called for every change, in its transaction.
func TestOnChange(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *servertest.Service, key string) {
		var heard []string
		var refuse error
		s.Schedule.OnChange = func(_ context.Context, _ *db.Tx, before *schedule.Meeting, after schedule.Meeting) error {
			text := "new"
			if before != nil {
				text = before.Title + before.RoomCode
			}
			heard = append(heard, fmt.Sprintf("%s > %s%s %v", text, after.Title, after.RoomCode, after.Deleted()))
			return refuse
		}
		s.Schedule.OnManyChanged = func(_ context.Context, _ *db.Tx, accountIDs []string) error {
			heard = append(heard, fmt.Sprintf("many, of %d", len(accountIDs)))
			return refuse
		}
		room := send[api.Room](t, s, key, http.MethodPost, "/rooms", `{"name": "Weekly"}`)
		other := send[api.Room](t, s, key, http.MethodPost, "/rooms", `{"name": "Empty"}`)
		m := plan(t, s, key, "A", `, "room_id": "`+room.ID+`"`)
		plan(t, s, key, "elsewhere", "")
		send[api.Meeting](t, s, key, http.MethodPatch, "/meetings/"+m.ID, `{"title": "B"}`)
		send[api.Meeting](t, s, key, http.MethodPatch, "/meetings/"+m.ID, `{"title": "B"}`)
		send[api.Room](t, s, key, http.MethodDelete, "/rooms/"+other.ID, "")
		send[api.Room](t, s, key, http.MethodDelete, "/rooms/"+room.ID, "")
		send[api.Meeting](t, s, key, http.MethodDelete, "/meetings/"+m.ID, "")
		want := []string{
			"new > A" + room.Code + " false", "new > elsewhere false", "A" + room.Code + " > B" + room.Code + " false",
			"many, of 1", "B > B true",
		}
		if !slices.Equal(heard, want) {
			t.Errorf("heard\n%q\nwant\n%q", heard, want)
		}
		// An error of OnChange undoes the change.
		refuse = errors.New("no calendar today")
		a := s.Send(servertest.Request{
			Method: http.MethodPost, Path: "/api/v1/meetings", Bearer: key,
			Body: `{"title": "C", "starts_at": "2026-11-23T10:00:00Z", "ends_at": "2026-11-23T11:00:00Z", "recurrence": "daily"}`,
		})
		if a.Status != http.StatusInternalServerError {
			t.Errorf("a change that OnChange refuses got %d %s", a.Status, a.Body)
		}
		if got := titles(t, s, key); !slices.Equal(got, []string{"elsewhere"}) {
			t.Errorf("the list is %q", got)
		}
	})
}

// The account of the key is recorded as the meeting's creator.
func TestTheCreatorIsRemembered(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *servertest.Service, key string) {
		var creator string
		s.Schedule.OnChange = func(_ context.Context, _ *db.Tx, _ *schedule.Meeting, after schedule.Meeting) error {
			creator = after.CreatedBy
			return nil
		}
		plan(t, s, key, "Review", "")
		if n := s.Count("account WHERE id = $1 AND email = 'owner@acme.example'", creator); n != 1 {
			t.Errorf("the creator is %q", creator)
		}
	})
}

// Each node keeps series in memory, and still shows what another node has changed.
func TestNodesShowTheSameSeries(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *servertest.Service, key string) {
		other := s.AnotherNode()
		expect := func(want ...string) {
			t.Helper()
			for _, node := range []*servertest.Service{s, other} {
				if got := titles(t, node, key); !slices.Equal(got, want) {
					t.Fatalf("a node lists %q, want %q", got, want)
				}
			}
		}
		a := plan(t, s, key, "a", `, "recurrence": "daily"`)
		expect("a")
		b := plan(t, other, key, "b", `, "recurrence": "weekly"`)
		expect("a", "b")
		send[api.Meeting](t, s, key, http.MethodPatch, "/meetings/"+b.ID, `{"title": "bb"}`)
		expect("a", "bb")
		send[api.Meeting](t, s, key, http.MethodPatch, "/meetings/"+a.ID, `{"starts_at": "2026-11-24T10:00:00Z", "ends_at": "2026-11-24T11:00:00Z"}`)
		expect("bb", "a")
		send[api.Meeting](t, other, key, http.MethodPatch, "/meetings/"+b.ID, `{"recurrence": "none"}`)
		expect("bb", "a")
		send[api.Meeting](t, s, key, http.MethodDelete, "/meetings/"+a.ID, "")
		expect("bb")
	})
}

// A node that has not listed a workspace for a month does not show meetings that were
// cancelled and deleted meanwhile.
func TestAnIdleNodeShowsNoCancelledMeetings(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *servertest.Service, key string) {
		other := s.AnotherNode()
		a := plan(t, s, key, "a", `, "recurrence": "daily"`)
		plan(t, s, key, "b", `, "recurrence": "daily"`)
		if got := titles(t, other, key); !slices.Equal(got, []string{"a", "b"}) {
			t.Fatalf("the list is %q", got)
		}
		send[api.Meeting](t, s, key, http.MethodDelete, "/meetings/"+a.ID, "")
		for _, node := range []*servertest.Service{s, other} {
			node.Pass(31 * 24 * time.Hour)
		}
		s.Forget()
		if n := s.Count("scheduled_meeting"); n != 1 {
			t.Errorf("%d meetings are in the database, want 1", n)
		}
		if got := titles(t, other, key); !slices.Equal(got, []string{"b"}) {
			t.Errorf("the list is %q", got)
		}
	})
}
