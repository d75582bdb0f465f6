package feed

import (
	"time"

	"github.com/google/uuid"

	"github.com/conclave-rooms/conclave/internal/schedule"
	"github.com/conclave-rooms/conclave/internal/schedule/calendar"
	"github.com/conclave-rooms/conclave/internal/schedule/mirror"
)

// Occurrence writes one occurrence of a meeting for visitors of the room, who may only
// know its title, its times and its room. So it leaves out the description, the time
// zone and the rule of a series.
func (s *Service) Occurrence(o schedule.Occurrence) ([]byte, error) {
	return calendar.Object(occurrenceEntry(o, s.PublicURL), mirror.Host(s.PublicURL))
}

// occurrenceEntry makes the calendar entry of an occurrence. A meeting that does not
// repeat keeps its id, so that calendars recognise a later file as the same event. An
// occurrence of a series gets its own id, made of the series and its start. With the
// id of the series, the file would replace a series in the calendar by one event.
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
