package join

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// aliasOf is the name by which a visitor is the same person when they come back.
// For a link with a user_id it is this user, and for guests on the room's own link
// the browser that they name. "" when the identity alone is enough.
func aliasOf(v visitor, browser string) string {
	switch {
	case v.Link != nil && v.Link.UserID != nil:
		return tokenPerson(*v.Link.UserID)
	case v.Kind == seat.KindGuest && browser != "":
		return "browser_" + browserHash(v.Room, browser)
	default:
		return ""
	}
}

// browserHash is how a browser is remembered in a room. It reveals nothing about
// the browser, nor that it was in another room.
func browserHash(r room.Room, browser string) string {
	sum := sha256.Sum256([]byte(r.ID + "/" + browser))
	return hex.EncodeToString(sum[:16])
}

// seatOfBrowser finds the seat of a guest who comes back in the same browser without
// its ticket, which is lost with the tab: if their connection was lost, or if a host gave
// them something that lasts until the meeting ends, and they left or have not connected.
// A second tab beside one that is in the meeting is another person.
func seatOfBrowser(ctx context.Context, tx *db.Tx, v visitor, browser string) (*seat.Seat, error) {
	if browser == "" {
		return nil, nil //nolint:nilnil // no seat is an answer, not an error
	}
	seats, err := seat.OfAlias(ctx, tx, v.Room.ID, aliasOf(v, browser))
	if err != nil || len(seats) == 0 {
		return nil, err
	}
	return bestFor(seats, v.Room), nil
}

// bestFor chooses among the seats to which a guest may come back, of which the last comes
// first: in a locked room one whose connection was lost, because the lock stops everybody
// who left; otherwise one with something from a host.
func bestFor(seats []seat.Seat, r room.Room) *seat.Seat {
	rank := func(s seat.Seat) int {
		n := 0
		if r.Locked && s.Status != seat.Lost {
			n += 2
		}
		if !s.Admitted && !s.Cohost {
			n++
		}
		return n
	}
	best := slices.MinFunc(seats, func(a, b seat.Seat) int { return cmp.Compare(rank(a), rank(b)) })
	return &best
}

// remember notes the alias of a visitor who got a seat, or a place in the line.
func remember(ctx context.Context, tx *db.Tx, v visitor, browser string, held seat.Seat) error {
	if alias := aliasOf(v, browser); alias != "" {
		return seat.SaveAlias(ctx, tx, held, alias)
	}
	return nil
}
