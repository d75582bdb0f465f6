package calendar

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Calendar is one calendar of one person. CalDAV, Google and Microsoft
// implement it.
type Calendar interface {
	// Check asks the provider whether the calendar is there and may be used. It
	// changes nothing.
	Check(ctx context.Context) error
	// Write makes the calendar hold the entry as it is now, whatever of it was
	// there before.
	Write(ctx context.Context, e Entry) (Ref, error)
	// Delete makes the calendar hold nothing of a meeting. That it holds nothing
	// already is no error.
	Delete(ctx context.Context, meeting string) error
}

// Ref is where an entry was written. Nothing needs it: Write and Delete find
// events without. It is for the log and for people who look for a mistake.
type Ref struct {
	ID      string // CalDAV: the address; otherwise the provider's id
	Version string // the ETag, "" when the provider did not give one
}

// What a calendar may answer instead of doing as it was told.
var (
	// ErrRevoked is an access that ended: the password or the consent is no
	// longer good. Only the person can connect the calendar again.
	ErrRevoked = errors.New("the calendar no longer grants access")
	// ErrForeign is an event in the place of ours that does not carry our mark.
	// It was left as it is.
	ErrForeign = errors.New("an event of somebody else is in the place of this meeting")
	// ErrChanged is an event that changed, twice, between looking at it and
	// writing it. Try again later.
	ErrChanged = errors.New("the event keeps changing")
	// ErrNoCalendar is a calendar that does not exist or does not take events.
	ErrNoCalendar = errors.New("there is no calendar that takes events")
)

// BusyError is a provider that asks to be left alone for a while.
type BusyError struct {
	After time.Duration // zero when it does not say for how long
}

// Error says so.
func (e *BusyError) Error() string {
	if e.After == 0 {
		return "the calendar is busy"
	}
	return fmt.Sprintf("the calendar is busy for %s", e.After)
}

// AnswerError is an answer that was not expected.
type AnswerError struct {
	Doing  string // what was asked for: "write the event"
	Status int
	Code   string // the provider's word for what is wrong, "" without
}

// Error says what was answered to what.
func (e *AnswerError) Error() string {
	text := fmt.Sprintf("%s: the calendar answered %d", e.Doing, e.Status)
	if e.Code != "" {
		text += " (" + e.Code + ")"
	}
	return text
}

// Lasting says whether the same request would get the same answer again: that
// of a mistake in the request, and not of a server in trouble.
func (e *AnswerError) Lasting() bool {
	switch e.Status {
	case 408, 409, 423, 425: // timeout, conflict, locked, too early
		return false
	}
	return e.Status < 500
}

// again tries a second time what met a change in between.
func again[T any](attempt func() (T, error)) (T, error) {
	done, err := attempt()
	if errors.Is(err, ErrChanged) {
		return attempt()
	}
	return done, err
}
