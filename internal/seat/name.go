package seat

import (
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/room"
)

// renameAgain is how long after a person changed their name they can change it
// again. It is time enough to correct a typing error, and every change goes to
// everybody in the meeting.
const renameAgain = 5 * time.Second

// RefuseRename refuses a person who may not change their name in the meeting. A
// name from a media token, a join link or an account is one that others know them
// by. In a strict room the others' devices have checked a statement with the name.
func (s Seat) RefuseRename(r room.Room, now time.Time) error {
	wait := s.RenamedAt.Add(renameAgain).Sub(now)
	switch {
	case !s.OwnName && s.Kind == KindUser:
		return errRename("You are here under the name of your account, and cannot change it in the meeting.")
	case !s.OwnName:
		return errRename("The person who invited you has chosen your name. You cannot change it in the meeting.")
	case !s.May(r).Rename:
		return errRename("In this room the devices of the others have checked your name. To use another one, leave and join again.")
	case wait > 0:
		f := fault.New(fault.RateLimited, api.CodeRateLimited, "You have just changed your name. Try again in a few seconds.")
		f.RetryAfter = wait
		return f
	default:
		return nil
	}
}

func errRename(sentence string) error {
	return fault.New(fault.Forbidden, api.CodeCannotRename, sentence)
}

// Renamed is the seat with another name of the person.
func (s Seat) Renamed(name string, at time.Time) Seat {
	s.Name, s.RenamedAt = name, at
	return s
}
