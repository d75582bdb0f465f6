package live

import (
	"context"
	"slices"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/id"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// The functions with which package breakout changes a meeting's media rooms. It
// decides which breakouts there are and who belongs where. This package makes the
// seats, the gate and the media server agree with that.

// breakoutBinding names where a breakout's passphrase is kept, for its seal.
func breakoutBinding(roomID, breakoutID string) string {
	return "breakout_media/passphrase/" + roomID + "/" + breakoutID
}

// OpenBreakout makes a breakout's place among the media rooms. Its media room and
// its key are made for the first person who goes there.
func (s *Service) OpenBreakout(ctx context.Context, tx *db.Tx, roomID, breakoutID string) error {
	return insertMedia(ctx, tx, roomID, breakoutID)
}

// CloseBreakout forgets the key of a breakout and sends everybody who is there
// back to the main room. Its media room closes after they had time to go.
func (s *Service) CloseBreakout(ctx context.Context, tx *db.Tx, roomID, breakoutID string) error {
	seats, err := seat.PlacedIn(ctx, tx, roomID, breakoutID)
	if err != nil {
		return err
	}
	now := s.Now()
	for _, held := range seats {
		if err := seat.Save(ctx, tx, held.Placed("", now)); err != nil {
			return err
		}
	}
	tx.AfterCommit(func() { s.RequestSync(roomID) })
	return closeMedia(ctx, tx, breakoutID, now)
}

// Place sends every device of a person to a breakout, or with "" to the main
// room. Devices that do not follow the stream would not notice, and stay.
func (s *Service) Place(ctx context.Context, tx *db.Tx, roomID, person, breakoutID string) error {
	seats, err := seat.OfPerson(ctx, tx, roomID, person)
	if err != nil {
		return err
	}
	now := s.Now()
	for _, held := range seats {
		if held.BreakoutID == breakoutID || !held.Alive() && held.Status != seat.LetThrough || breakoutID != "" && !held.Listens() {
			continue
		}
		if err := seat.Save(ctx, tx, held.Placed(breakoutID, now)); err != nil {
			return err
		}
	}
	tx.AfterCommit(func() { s.RequestSync(roomID) })
	return nil
}

// onHostLost is the reaction when a seat stops giving a host's powers. If it was
// the last such seat of the person, their devices go back to where the person was
// placed, because only hosts visit other rooms.
func (s *Service) onHostLost(ctx context.Context, tx *db.Tx, before seat.Seat) error {
	if !before.Directs() {
		return nil
	}
	person := seat.Person(before.Identity)
	seats, err := seat.OfPerson(ctx, tx, before.RoomID, person)
	if err != nil || slices.ContainsFunc(seats, seat.Seat.Directs) {
		return err
	}
	to, err := s.PlaceOf(ctx, tx, before.RoomID, person)
	if err != nil {
		return err
	}
	return s.Place(ctx, tx, before.RoomID, person, to)
}

// Passphrase returns the passphrase of the media room where a seat has to be, for
// a token that is valid until the given moment. Strict rooms have none: "".
func (s *Service) Passphrase(ctx context.Context, tx *db.Tx, r room.Room, breakoutID string, until time.Time) (string, error) {
	switch {
	case r.Strict():
		return "", nil
	case breakoutID == "":
		return s.mainPassphrase(ctx, tx, r.ID, until)
	}
	return s.breakoutPassphrase(ctx, tx, r.ID, breakoutID)
}

// breakoutPassphrase returns the passphrase of an open breakout. It is made with the
// first token.
func (s *Service) breakoutPassphrase(ctx context.Context, tx *db.Tx, roomID, breakoutID string) (string, error) {
	sealed, err := sealedBreakoutPassphrase(ctx, tx, breakoutID)
	if err != nil {
		return "", err
	}
	if sealed != "" {
		plain, err := s.Sealer.Open(sealed, breakoutBinding(roomID, breakoutID))
		return string(plain), err
	}
	passphrase := id.Secret()
	if sealed, err = s.Sealer.Seal([]byte(passphrase), breakoutBinding(roomID, breakoutID)); err != nil {
		return "", err
	}
	return passphrase, saveBreakoutPassphrase(ctx, tx, breakoutID, sealed)
}
