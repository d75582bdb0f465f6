package mirror

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/schedule"
	"github.com/conclave-rooms/conclave/internal/schedule/calendar"
)

func TestDecide(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 23, 10, 0, 0, 0, time.UTC)
	once := schedule.Meeting{Recurrence: schedule.Once, StartsAt: now.Add(-time.Minute)}
	begun := schedule.Meeting{Recurrence: schedule.Weekly, StartsAt: now.Add(-time.Millisecond)}
	begins := schedule.Meeting{Recurrence: schedule.Weekly, StartsAt: now}
	cancelled := schedule.Meeting{Recurrence: schedule.Once, DeletedAt: now}
	for name, c := range map[string]struct {
		m                     schedule.Meeting
		there, belongs, ahead bool
		want                  action
	}{
		"a meeting":                             {once, true, true, true, write},
		"a meeting that is over":                {once, true, true, false, write},
		"a cancelled meeting":                   {cancelled, true, true, true, remove},
		"a cancelled meeting, person left":      {cancelled, true, false, false, remove},
		"a meeting that was deleted":            {schedule.Meeting{}, false, false, false, remove},
		"a meeting that is over, person left":   {once, true, false, false, keep},
		"a meeting under way, person left":      {once, true, false, true, remove},
		"a series that began, person left":      {begun, true, false, true, end},
		"a series that begins now, person left": {begins, true, false, true, remove},
		"a series that is over, person left":    {begun, true, false, false, keep},
		"a series that goes on, person stayed":  {begun, true, true, true, write},
	} {
		if got := decide(c.m, c.there, c.belongs, c.ahead, now); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

func TestPauses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		failures    int
		asked, want time.Duration
	}{
		{0, 0, 10 * time.Second},
		{1, 0, 10 * time.Second},
		{2, 0, 30 * time.Second},
		{7, 0, time.Hour},
		{1000, 0, time.Hour},
		{1, time.Minute, time.Minute},
		{7, time.Minute, time.Hour},
		{1, 24 * time.Hour, 24 * time.Hour},
		{1, 25 * time.Hour, 24 * time.Hour},
	} {
		if got := pause(c.failures, c.asked); got != c.want {
			t.Errorf("after %d failures, asked for %v: %v, want %v", c.failures, c.asked, got, c.want)
		}
	}
}

func TestHowFarAFailureReachesAndWhenToTryAgain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		want verdict
	}{
		{calendar.ErrRevoked, verdict{wholeAccess, "access_ended", 0}},
		{&calendar.BusyError{After: time.Minute}, verdict{wholeServer, "busy", time.Minute}},
		{calendar.ErrNoCalendar, verdict{wholeServer, "calendar_missing", 0}},
		{calendar.ErrClient, verdict{wholeServer, "client_refused", 0}},
		{calendar.ErrForeign, verdict{oneForGood, "foreign_event", 0}},
		{calendar.ErrChanged, verdict{oneEntry, "event_changes", 0}},
		{&calendar.AnswerError{Status: 500}, verdict{wholeServer, "not_answering", 0}},
		{&calendar.AnswerError{Status: 423}, verdict{oneEntry, "refused", 0}},
		{&calendar.AnswerError{Status: 400}, verdict{oneForGood, "refused", 0}},
		{errors.New("anything"), verdict{oneEntry, "refused", 0}},
	} {
		if got := verdictOn(fmt.Errorf("write the event: %w", c.err)); got != c.want {
			t.Errorf("%v: %+v, want %+v", c.err, got, c.want)
		}
	}
}

// An error concerns one entry, if the calendar took another one since that began to fail.
func TestAnErrorConcernsOneEntryIfAnotherOneWasTaken(t *testing.T) {
	t.Parallel()
	at := func(minutes int) time.Time { return time.Date(2026, 11, 23, 9, minutes, 0, 0, time.UTC) }
	failing, busy := verdict{wholeServer, "not_answering", 0}, verdict{wholeServer, "busy", time.Minute}
	for _, c := range []struct {
		v             verdict
		entry, server time.Time
		want          scope
	}{
		{failing, time.Time{}, time.Time{}, wholeServer},
		{failing, time.Time{}, at(1), wholeServer},
		{failing, at(1), at(1), wholeServer},
		{failing, at(2), at(1), wholeServer},
		{failing, at(1), at(2), oneEntry},
		{failing, at(1), time.Time{}, oneEntry},
		{busy, at(1), time.Time{}, wholeServer},
		{verdict{oneForGood, "refused", 0}, at(1), time.Time{}, oneForGood},
	} {
		if got := c.v.concerns(c.entry, c.server).scope; got != c.want {
			t.Errorf("%+v, the entry since %v, the server since %v: %v, want %v", c.v, c.entry, c.server, got, c.want)
		}
	}
}
