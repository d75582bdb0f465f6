package feed

import (
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/schedule"
	"github.com/conclave-rooms/conclave/internal/schedule/calendar"
)

// An occurrence of a series is a single event with an id of its own, which stays the same
// each time it is written. A single meeting keeps its id.
func TestTheEntryOfAnOccurrence(t *testing.T) {
	t.Parallel()
	const id = "018f2b1e-7c3a-7b6e-9d4e-0123456789ab"
	description, zone := "Not for visitors", "Europe/Berlin"
	starts := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	until := starts.AddDate(1, 0, 0)
	entry := func(recurrence string, starts time.Time) calendar.Entry {
		m := schedule.Meeting{
			ID: id, Title: "Review", Description: &description, Timezone: &zone, Recurrence: recurrence, RecurrenceUntil: &until,
			StartsAt: starts.AddDate(0, 0, -70), EndsAt: starts.AddDate(0, 0, -70).Add(time.Hour),
		}
		return occurrenceEntry(schedule.Occurrence{Title: m.Title, Starts: starts, Ends: starts.Add(time.Hour), Meeting: m}, "https://meet.example.com")
	}
	once, first, second := entry("none", starts), entry("weekly", starts), entry("weekly", starts.AddDate(0, 0, 7))
	if once.Meeting != id {
		t.Errorf("a single meeting has the id %s", once.Meeting)
	}
	if first.Meeting == id || first.Meeting == second.Meeting || first.Meeting != entry("weekly", starts).Meeting {
		t.Errorf("the occurrences of %s have the ids %s and %s", id, first.Meeting, second.Meeting)
	}
	if !second.Starts.Equal(starts.AddDate(0, 0, 7)) || !second.Ends.Equal(second.Starts.Add(time.Hour)) {
		t.Errorf("the second occurrence is from %s to %s", second.Starts, second.Ends)
	}
	for _, e := range []calendar.Entry{once, first} {
		if e.Description != "" || e.Zone != "" || e.Recurrence != calendar.None || e.Until != nil {
			t.Errorf("the entry tells more than visitors may know: %+v", e)
		}
	}
}
