package schedule_test

import (
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// tryPlan tries to schedule a meeting or a series, and returns the answer.
func tryPlan(s *servertest.Service, key string, series bool) servertest.Answer {
	recurrence := "none"
	if series {
		recurrence = "weekly"
	}
	return s.Send(servertest.Request{
		Method: http.MethodPost, Path: "/api/v1/meetings", Bearer: key,
		Body: `{"title": "One more", "starts_at": "2026-11-23T10:00:00Z", "ends_at": "2026-11-23T11:00:00Z", "recurrence": "` + recurrence + `"}`,
	})
}

// A workspace has a limit of scheduled meetings, single ones and series together. A
// cancelled meeting makes room for another. Other workspaces are not affected.
func TestAWorkspaceHasALimitOfMeetings(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *servertest.Service, key string) {
		const most = 40
		s.Schedule.MostMeetings = most
		var last api.Meeting
		for i := range most {
			last = plan(t, s, key, "Review", []string{"", `, "recurrence": "daily"`}[i%2])
		}
		before := len(s.EventLog())
		for _, series := range []bool{false, true} {
			if a := tryPlan(s, key, series); a.Status != http.StatusConflict || a.Code() != api.CodeLimitReached {
				t.Errorf("one more got %d %s", a.Status, a.Body)
			}
		}
		if told := len(s.EventLog()) - before; told != 0 {
			t.Errorf("%d events report refused meetings", told)
		}
		send[api.Meeting](t, s, key, http.MethodPatch, "/meetings/"+last.ID, `{"title": "Changed"}`)
		send[api.Meeting](t, s, key, http.MethodDelete, "/meetings/"+last.ID, "")
		if a := tryPlan(s, key, true); a.Status != http.StatusCreated {
			t.Errorf("in the place of a cancelled one: %d %s", a.Status, a.Body)
		}
		if a := tryPlan(s, key, true); a.Code() != api.CodeLimitReached {
			t.Errorf("one more got %d %s", a.Status, a.Body)
		}
		elsewhere := s.Key(s.Workspace("other", "eve@other.example"), api.Scopes()...)
		if a := tryPlan(s, elsewhere, false); a.Status != http.StatusCreated {
			t.Errorf("in another workspace: %d %s", a.Status, a.Body)
		}
	})
}

// Requests at the same time do not exceed the limit together.
func TestTheLimitOfMeetingsHoldsAtOnce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *servertest.Service, key string) {
		const most = 5
		s.Schedule.MostMeetings = most
		statuses := make([]int, 2*most)
		var all sync.WaitGroup
		for i := range statuses {
			all.Go(func() { statuses[i] = tryPlan(s, key, i%2 == 0).Status })
		}
		all.Wait()
		slices.Sort(statuses)
		want := slices.Concat(slices.Repeat([]int{http.StatusCreated}, most), slices.Repeat([]int{http.StatusConflict}, most))
		if !slices.Equal(statuses, want) {
			t.Errorf("the answers are %v", statuses)
		}
	})
}

// Meetings that another node scheduled count after a minute, even if this node still
// had an allowance.
func TestTheLimitOfMeetingsHoldsOnAllNodes(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *servertest.Service, key string) {
		other := s.AnotherNode()
		const most = 40
		s.Schedule.MostMeetings, other.Schedule.MostMeetings = most, most
		plan(t, s, key, "Review", "") // two more are allowed without counting
		for range most - 1 {
			plan(t, other, key, "Review", "")
		}
		s.Pass(time.Minute)
		if a := tryPlan(s, key, false); a.Code() != api.CodeLimitReached {
			t.Errorf("one more got %d %s", a.Status, a.Body)
		}
	})
}
