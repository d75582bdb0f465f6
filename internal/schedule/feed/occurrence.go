package feed

import (
	"time"

	"github.com/google/uuid"

	"github.com/conclave-rooms/conclave/internal/schedule"
	"github.com/conclave-rooms/conclave/internal/schedule/calendar"
	"github.com/conclave-rooms/conclave/internal/schedule/mirror"
)

// Occurrence writes one occurrence of a meeting for people who may know its
// title, its times and its room, and nothing else of it: visitors of the room.
// So the description, the time zone and the rule of a series are left out.
func (s *Service) Occurrence(o schedule.Occurrence) ([]byte, error) {
	return calendar.Object(occurrenceEntry(o, s.PublicURL), mirror.Host(s.PublicURL))
}

// occurrenceEntry is an occurrence as calendars get it. A meeting that does not
// repeat keeps its id, so that a calendar takes a later file for the same event.
// An occurrence of a series has an id of its own, made of the series and its
// start: with the id of the series, the file would replace a series that the
// calendar holds already by one event.
func occurrenceEntry(o schedule.Occurrence, publicURL string) calendar.Entry {
	e := mirror.EntryOf(o.Meeting, publicURL)
	if o.Meeting.Repeats() {
		series := uuid.NewSHA1(uuid.NameSpaceURL, []byte(publicURL+"/meetings/"+o.Meeting.ID))
		e.Meeting = uuid.NewSHA1(series, []byte(o.Starts.UTC().Format(time.RFC3339Nano))).String()
	}
	e.Title, e.Description = o.Title, ""
	e.Starts, e.Ends, e.Zone = o.Starts, o.Ends, ""
	e.Recurrence, e.Until = calendar.None, nil
	return e
}
