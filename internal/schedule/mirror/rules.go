package mirror

import (
	"errors"
	"time"

	"github.com/conclave-rooms/conclave/internal/outbound"
	"github.com/conclave-rooms/conclave/internal/schedule"
	"github.com/conclave-rooms/conclave/internal/schedule/calendar"
)

const (
	// givenUpAfter is how long a calendar may do nothing but fail
	// (docs/reference/retention.md).
	givenUpAfter = 7 * 24 * time.Hour
	// longestPause bounds how long a provider may ask to be left alone.
	longestPause = 24 * time.Hour
	// mostConnections bounds the calendars of one account.
	mostConnections = 10
)

// pauses are how long nothing is sent after one failure, two, and so on. The
// last one goes on until the connection is given up.
var pauses = []time.Duration{ //nolint:gochecknoglobals // a table of constants
	10 * time.Second, 30 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute, 30 * time.Minute, time.Hour,
}

// pause is how long nothing is sent after a number of failures in a row, the
// last of which may have asked for more.
func pause(failures int, asked time.Duration) time.Duration {
	own := pauses[min(max(failures, 1), len(pauses))-1]
	return min(max(own, asked), longestPause)
}

// deed is what is done to a meeting's entry in a calendar.
type deed int

const (
	keep   deed = iota + 1 // leave it as it is, and be done with it
	write                  // make it what the meeting is
	end                    // end the series now: what was before stays
	remove                 // take it out
)

// decide says what the entry of a meeting should become.
//
//	meeting      person and calendar        then
//	cancelled    whatever                   the entry is removed
//	is there     both belong                the entry is written
//	is over      one has left               the entry stays
//	lies ahead   one has left               the entry is removed
//	goes on      one has left               the series ends now
//
// ahead says whether an occurrence is under way or comes later.
func decide(m schedule.Meeting, there, belongs, ahead bool, now time.Time) deed {
	switch {
	case !there || m.Deleted():
		return remove
	case belongs:
		return write
	case !ahead:
		return keep
	case m.Repeats() && m.StartsAt.Before(now):
		return end
	}
	return remove
}

// EntryOf is a meeting as calendars get it; publicURL is the service's address.
func EntryOf(m schedule.Meeting, publicURL string) calendar.Entry {
	object := m.Object(publicURL)
	e := calendar.Entry{
		Meeting: m.ID, Title: m.Title, Starts: m.StartsAt, Ends: m.EndsAt, Recurrence: calendar.Recurrence(m.Recurrence), Until: m.RecurrenceUntil,
		Sequence: int(m.Sequence), Created: m.CreatedAt, Updated: m.UpdatedAt,
	}
	if m.Description != nil {
		e.Description = *m.Description
	}
	if m.Timezone != nil {
		e.Zone = *m.Timezone
	}
	if object.JoinURL != nil {
		e.JoinURL = *object.JoinURL
	}
	return e
}

// verdict is what a failed request means.
type verdict struct {
	scope scope
	word  string        // for the person: docs/reference/calendars.md
	after time.Duration // how long the provider asks to be left alone
}

// scope says what a failure concerns.
type scope int

const (
	wholeAccess scope = iota + 1 // the access ended: nothing works until the person connects again
	wholeServer                  // every request fails until the server recovers
	oneEntry                     // this entry fails, and is tried again
	oneForGood                   // this entry will never be taken
)

// judge reads an error of a calendar.
func judge(err error) verdict {
	var (
		busy   *calendar.BusyError
		answer *calendar.AnswerError
		silent *outbound.Error
	)
	switch {
	case errors.Is(err, calendar.ErrRevoked):
		return verdict{scope: wholeAccess, word: "access_ended"}
	case errors.As(err, &busy):
		return verdict{scope: wholeServer, word: "busy", after: busy.After}
	case errors.Is(err, calendar.ErrNoCalendar):
		return verdict{scope: wholeServer, word: "calendar_missing"}
	case errors.Is(err, calendar.ErrForeign):
		return verdict{scope: oneForGood, word: "foreign_event"}
	case errors.Is(err, calendar.ErrChanged):
		return verdict{scope: oneEntry, word: "event_changes"}
	case errors.As(err, &silent):
		return verdict{scope: wholeServer, word: "not_answering"}
	case errors.As(err, &answer) && answer.Lasting():
		return verdict{scope: oneForGood, word: "refused"}
	case errors.As(err, &answer) && answer.Status >= 500:
		return verdict{scope: wholeServer, word: "not_answering"}
	}
	return verdict{scope: oneEntry, word: "refused"}
}
