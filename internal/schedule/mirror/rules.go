package mirror

import (
	"errors"
	"time"

	"github.com/conclave-rooms/conclave/internal/schedule"
	"github.com/conclave-rooms/conclave/internal/schedule/calendar"
)

const (
	// givenUpAfter is how long a calendar may do nothing but fail
	// (docs/reference/retention.md).
	givenUpAfter = 7 * 24 * time.Hour
	// longestPause limits the pause that a provider may ask for.
	longestPause = 24 * time.Hour
	// mostConnections limits the calendars of one account.
	mostConnections = 10
)

// pauses are the pauses after one failure, two, and so on. The last one is repeated
// until the connection is given up.
var pauses = []time.Duration{ //nolint:gochecknoglobals // a table of constants
	10 * time.Second, 30 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute, 30 * time.Minute, time.Hour,
}

// pause returns how long to wait after a number of failures in a row. asked is the
// pause that the provider asked for.
func pause(failures int, asked time.Duration) time.Duration {
	own := pauses[min(max(failures, 1), len(pauses))-1]
	return min(max(own, asked), longestPause)
}

// action is what to do with a meeting's entry in a calendar.
type action int

const (
	keep   action = iota + 1 // leave it unchanged for good
	write                    // write the meeting's current state
	end                      // end the series now; past occurrences stay
	remove                   // remove the entry
)

// decide returns what to do with the entry of a meeting.
//
//	meeting      person and calendar        then
//	cancelled    any                        the entry is removed
//	exists       member, connected          the entry is written
//	is over      one has left               the entry stays
//	upcoming     one has left               the entry is removed
//	under way    one has left               the series ends now
//
// ahead says whether an occurrence is under way or follows later.
func decide(m schedule.Meeting, there, belongs, ahead bool, now time.Time) action {
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

// EntryOf returns the calendar entry of a meeting; publicURL is the service's address.
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

// verdict is the meaning of a failed request.
type verdict struct {
	scope scope
	word  string        // shown to the person; see docs/reference/calendars.md
	after time.Duration // the pause that the provider asks for
}

// scope is what a failure affects.
type scope int

const (
	wholeAccess scope = iota + 1 // the access has ended, until the person connects again
	wholeServer                  // every request fails until the server recovers
	oneEntry                     // this entry fails, and is tried again
	oneForGood                   // this entry will never be accepted
)

// notAnswering is the word for a server that does not answer, or has an error.
const notAnswering = "not_answering"

// concerns narrows a verdict to one entry: since the entry began to fail, the calendar
// took another one, so it is not the server that fails. since is when the entry began to
// fail and serverSince when all of the calendar's entries did; zero: they do not.
func (v verdict) concerns(since, serverSince time.Time) verdict {
	if v.scope == wholeServer && v.word == notAnswering && !since.IsZero() && (serverSince.IsZero() || serverSince.After(since)) {
		v.scope = oneEntry
	}
	return v
}

// verdictOn turns an error of a calendar into a verdict.
func verdictOn(err error) verdict {
	var (
		busy   *calendar.BusyError
		answer *calendar.AnswerError
	)
	switch {
	case errors.Is(err, calendar.ErrRevoked):
		return verdict{scope: wholeAccess, word: "access_ended"}
	case errors.As(err, &busy):
		return verdict{scope: wholeServer, word: "busy", after: busy.After}
	case errors.Is(err, calendar.ErrNoCalendar):
		return verdict{scope: wholeServer, word: "calendar_missing"}
	case errors.Is(err, calendar.ErrClient):
		return verdict{scope: wholeServer, word: "client_refused"}
	case errors.Is(err, calendar.ErrForeign):
		return verdict{scope: oneForGood, word: "foreign_event"}
	case errors.Is(err, calendar.ErrChanged):
		return verdict{scope: oneEntry, word: "event_changes"}
	case calendar.TooLong(err):
		return verdict{scope: oneForGood, word: "refused"}
	case calendar.Unanswered(err):
		return verdict{scope: wholeServer, word: notAnswering}
	case errors.As(err, &answer) && answer.Lasting():
		return verdict{scope: oneForGood, word: "refused"}
	case errors.As(err, &answer) && answer.Status >= 500:
		return verdict{scope: wholeServer, word: notAnswering}
	}
	return verdict{scope: oneEntry, word: "refused"}
}
