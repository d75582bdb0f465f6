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
	// Check asks the provider whether the calendar exists and may be used. It
	// changes nothing.
	Check(ctx context.Context) error
	// Write puts the entry into the calendar. It replaces an older version of it.
	Write(ctx context.Context, e Entry) (Ref, error)
	// Delete removes everything about a meeting from the calendar. It is not an error
	// if there is nothing to remove.
	Delete(ctx context.Context, meeting string) error
}

// Ref is where an entry was written. Write and Delete do not need it to find an
// event; it is stored to help people who search for a mistake.
type Ref struct {
	ID      string // CalDAV: the address; otherwise the provider's id
	Version string // the ETag, "" when the provider did not give one
}

// Errors of calendars.
var (
	// ErrRevoked means that the access has ended: the password or the consent is
	// no longer valid. Only the person can connect the calendar again.
	ErrRevoked = errors.New("the calendar no longer grants access")
	// ErrForeign means that there is an event without our mark where ours should
	// be. It was not changed.
	ErrForeign = errors.New("another event is in the place of this meeting")
	// ErrChanged means that the event changed twice between reading and writing
	// it. Try again later.
	ErrChanged = errors.New("the event keeps changing")
	// ErrNoCalendar means that the calendar does not exist or does not accept
	// events.
	ErrNoCalendar = errors.New("there is no calendar that accepts events")
	// ErrClient means that the provider does not accept the client with which the
	// operator registered the service, for example because its secret has expired. No
	// calendar at this provider can be used until the operator has corrected that.
	ErrClient = errors.New("the provider does not accept this service's client id or secret")
)

// BusyError means that the provider asks for a pause.
type BusyError struct {
	After time.Duration // zero when the provider does not say how long
}

// Error describes the error.
func (e *BusyError) Error() string {
	if e.After == 0 {
		return "the calendar is busy"
	}
	return fmt.Sprintf("the calendar is busy for %s", e.After)
}

// AnswerError is an unexpected answer.
type AnswerError struct {
	Doing  string // the action: "write the event"
	Status int
	Code   string // the provider's error code, "" if there is none
}

// Error names the action and the answer.
func (e *AnswerError) Error() string {
	text := fmt.Sprintf("%s: the calendar answered %d", e.Doing, e.Status)
	if e.Code != "" {
		text += " (" + e.Code + ")"
	}
	return text
}

// Lasting reports whether the same request would get the same answer again, because
// the request is wrong and not the server in trouble.
func (e *AnswerError) Lasting() bool {
	switch e.Status {
	case 408, 409, 423, 425: // timeout, conflict, locked, too early
		return false
	}
	return e.Status < 500
}

// retryChanged calls attempt again, once, if the event changed in between.
func retryChanged[T any](attempt func() (T, error)) (T, error) {
	done, err := attempt()
	if errors.Is(err, ErrChanged) {
		return attempt()
	}
	return done, err
}
