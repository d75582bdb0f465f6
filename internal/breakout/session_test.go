package breakout

import (
	"reflect"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/schema"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func TestRoomsGetTheirNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rooms api.CountOrList[string]
		want  []string
	}{
		{api.CountOrList[string]{Count: 3}, []string{"Room 1", "Room 2", "Room 3"}},
		{api.CountOrList[string]{List: []string{"Red", "", "Blue"}}, []string{"Red", "Room 2", "Blue"}},
		{api.CountOrList[string]{List: []string{"Same", "Same"}}, []string{"Same", "Same"}},
	} {
		var got []string
		for _, r := range newSession(schema.Filled(api.BreakoutCreate{Rooms: c.rooms}), noon).Rooms {
			got = append(got, r.Name)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%+v: %q, want %q", c.rooms, got, c.want)
		}
	}
}

// A session begins with as many rooms as it may have later, at most.
func TestARequestMayHaveAsManyRoomsAsASession(t *testing.T) {
	t.Parallel()
	rooms, _ := reflect.TypeFor[api.BreakoutCreate]().FieldByName("Rooms")
	for _, limit := range []string{"maximum", "maxItems"} {
		if got := rooms.Tag.Get(limit); got != strconv.Itoa(mostRooms) {
			t.Errorf("%s of rooms is %q, a session has at most %d", limit, got, mostRooms)
		}
	}
	room, _ := reflect.TypeFor[api.BreakoutPlacement]().FieldByName("Room")
	if got := room.Tag.Get("maximum"); got != strconv.Itoa(mostRooms-1) {
		t.Errorf("a placement names rooms up to %s, the last of a session is %d", got, mostRooms-1)
	}
}

func TestANewRoomGetsTheLastPosition(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		positions []int
		want      string
	}{{[]int{0}, "Room 2"}, {[]int{0, 1, 2}, "Room 4"}, {[]int{0, 2}, "Room 4"}, {[]int{2}, "Room 4"}} {
		var s Session
		for _, p := range c.positions {
			s.Rooms = append(s.Rooms, Room{Position: p})
		}
		if got := orNumbered("", s.nextPosition()); got != c.want {
			t.Errorf("after %v: %s, want %s", c.positions, got, c.want)
		}
	}
}

// A session ends after its duration, or after a day. A warning ends it after a
// minute, but never later than it would end anyway.
func TestASessionEndsAfterItsDurationOrAWarning(t *testing.T) {
	t.Parallel()
	seconds := func(n int) api.BreakoutCreate { return api.BreakoutCreate{DurationSeconds: api.Set(n)} }
	for _, c := range []struct {
		name     string
		create   api.BreakoutCreate
		warnedAt time.Duration // after the start; 0: never
		ends     time.Duration // 0: open-ended
		deadline time.Duration
	}{
		{"open-ended", api.BreakoutCreate{}, 0, 0, 24 * time.Hour},
		{"a duration", seconds(60), 0, time.Minute, time.Minute},
		{"the longest duration", seconds(14400), 0, 4 * time.Hour, 4 * time.Hour},
		{"warned, open-ended", api.BreakoutCreate{}, time.Hour, time.Hour + time.Minute, time.Hour + time.Minute},
		{"warned well before the end", seconds(600), time.Minute, 2 * time.Minute, 2 * time.Minute},
		{"warned a minute before the end", seconds(600), 9 * time.Minute, 10 * time.Minute, 10 * time.Minute},
		{"warned just before the end", seconds(600), 10*time.Minute - time.Second, 10 * time.Minute, 10 * time.Minute},
		{"warned on the last minute of the day", api.BreakoutCreate{}, 24*time.Hour - time.Second, 24 * time.Hour, 24 * time.Hour},
	} {
		s := newSession(schema.Filled(c.create), noon)
		if c.warnedAt > 0 {
			s = s.warned(noon.Add(c.warnedAt))
			if s.Status != Closing {
				t.Errorf("%s: the status is %s", c.name, s.Status)
			}
			if again := s.warned(noon.Add(c.warnedAt + 30*time.Second)); !again.EndsAt.Equal(s.EndsAt) {
				t.Errorf("%s: after another warning it ends at %v, want %v", c.name, again.EndsAt, s.EndsAt)
			}
		}
		if (c.ends == 0) != s.EndsAt.IsZero() || c.ends > 0 && !s.EndsAt.Equal(noon.Add(c.ends)) {
			t.Errorf("%s: ends at %v, want %v after noon", c.name, s.EndsAt, c.ends)
		}
		if !s.deadline().Equal(noon.Add(c.deadline)) {
			t.Errorf("%s: the deadline is %v, want %v after noon", c.name, s.deadline(), c.deadline)
		}
	}
}

func TestWhichRoomsAPersonMayEnter(t *testing.T) {
	t.Parallel()
	s := Session{
		Rooms: []Room{{ID: "red"}, {ID: "blue"}},
		Placements: []Placement{
			{Person: "ada", BreakoutID: "red", CanReturn: true}, {Person: "bob", BreakoutID: "red"}, {Person: "cid"}, {Person: "host", BreakoutID: "blue"},
		},
	}
	for _, c := range []struct {
		person     string
		host       bool
		selfSelect bool
		to         string
		want       move
		mayReturn  bool
	}{
		{"ada", false, false, "red", enters, true},
		{"ada", false, false, "blue", refused, true},
		{"ada", false, true, "red", enters, true},
		{"ada", false, true, "blue", chooses, true},
		{"bob", false, false, "red", enters, false},
		{"bob", true, false, "red", enters, true}, // made co-host meanwhile
		{"cid", false, false, "red", refused, true},
		{"cid", false, true, "red", chooses, true},
		{"late", false, false, "red", refused, true},
		{"late", false, true, "red", chooses, true},
		{"host", true, false, "blue", enters, true},
		{"host", true, false, "red", visits, true},
		{"host", true, true, "red", visits, true},
		{"other host", true, false, "red", visits, true},
	} {
		s.SelfSelect = c.selfSelect
		if got := s.mayJoin(c.person, c.host, c.to); got != c.want {
			t.Errorf("%s (host %v) to %s, self_select %v: %v, want %v", c.person, c.host, c.to, c.selfSelect, got, c.want)
		}
		if got := s.mayReturn(c.person, c.host); got != c.mayReturn {
			t.Errorf("%s (host %v) may return: %v, want %v", c.person, c.host, got, c.mayReturn)
		}
	}
}

func TestAssignNoneLetsPeopleChoose(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		create api.BreakoutCreate
		want   bool
	}{
		{api.BreakoutCreate{}, false},
		{api.BreakoutCreate{Assign: api.Set("none")}, true},
		{api.BreakoutCreate{Assign: api.Set("none"), SelfSelect: api.Set(false)}, true},
		{api.BreakoutCreate{Assign: api.Set("auto"), SelfSelect: api.Set(true)}, true},
		{api.BreakoutCreate{Assign: api.Set("manual")}, false},
	} {
		if s := newSession(schema.Filled(c.create), noon); s.SelfSelect != c.want || !s.AutoJoin || !s.AllowReturn {
			t.Errorf("%+v: %+v", c.create, s)
		}
	}
}
