package mediaroom

import (
	"context"
	"time"

	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/id"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/seal"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// Passphrases makes and keeps the end-to-end passphrases of standard rooms.
type Passphrases struct {
	DB     *db.DB
	Sealer *seal.Sealer
	Now    func() time.Time
}

// Of returns the passphrase of the media room where a seat has to be, for
// a token that is valid until the given moment. Strict rooms have none: "".
func (p *Passphrases) Of(ctx context.Context, tx *db.Tx, r room.Room, breakoutID string, until time.Time) (string, error) {
	switch {
	case r.Strict():
		return "", nil
	case breakoutID == "":
		return p.ofMain(ctx, tx, r.ID, until)
	}
	return p.ofBreakout(ctx, tx, r.ID, breakoutID)
}

// OfManaged finds a room as room.FindManaged does, and its passphrase if that
// exists and is kept until the given moment anyway, so that nothing has to be written for
// a token that is valid until then; otherwise "".
func (p *Passphrases) OfManaged(ctx context.Context, by auth.Principal, roomID string, until time.Time) (r room.Room, passphrase string, err error) {
	var (
		sealed     db.Null[string]
		validUntil db.Null[int64]
	)
	err = p.DB.ReadOne(ctx, func(tx *db.Tx) error {
		r, err = room.FindManagedBeside(ctx, tx, by, roomID, passphraseBeside(&sealed, &validUntil))
		return err
	})
	if err != nil || sealed.V == "" || until.After(db.At(validUntil.V)) {
		return r, "", err
	}
	plain, err := p.Sealer.Open(sealed.V, mainBinding(r.ID))
	return r, string(plain), err
}

// ofMain returns the meeting's end-to-end passphrase for a token that is
// valid until the given moment. It is made with the first token. It is replaced
// only when no meeting runs and every token that carries it has expired.
func (p *Passphrases) ofMain(ctx context.Context, tx *db.Tx, roomID string, until time.Time) (string, error) {
	sealed, validUntil, err := readPassphrase(ctx, tx, roomID)
	if err != nil {
		return "", err
	}
	if sealed != "" && p.Now().After(validUntil) {
		running, err := seat.Running(ctx, tx, roomID)
		if err != nil {
			return "", err
		}
		if !running {
			sealed = ""
		}
	}
	if sealed != "" {
		if until.After(validUntil) {
			// One minute more than needed, so that a busy room is written once
			// a minute instead of once for each token.
			if err := extendPassphrase(ctx, tx, roomID, until.Add(time.Minute)); err != nil {
				return "", err
			}
		}
		plain, err := p.Sealer.Open(sealed, mainBinding(roomID))
		return string(plain), err
	}
	passphrase := id.Secret()
	if sealed, err = p.Sealer.Seal([]byte(passphrase), mainBinding(roomID)); err != nil {
		return "", err
	}
	return passphrase, replacePassphrase(ctx, tx, roomID, sealed, until.Add(time.Minute))
}

// ofBreakout returns the passphrase of an open breakout. It is made with the
// first token.
func (p *Passphrases) ofBreakout(ctx context.Context, tx *db.Tx, roomID, breakoutID string) (string, error) {
	sealed, err := sealedBreakoutPassphrase(ctx, tx, breakoutID)
	if err != nil {
		return "", err
	}
	if sealed != "" {
		plain, err := p.Sealer.Open(sealed, breakoutBinding(roomID, breakoutID))
		return string(plain), err
	}
	passphrase := id.Secret()
	if sealed, err = p.Sealer.Seal([]byte(passphrase), breakoutBinding(roomID, breakoutID)); err != nil {
		return "", err
	}
	return passphrase, saveBreakoutPassphrase(ctx, tx, breakoutID, sealed)
}

// mainBinding names where a passphrase is kept, for its seal.
func mainBinding(roomID string) string { return "live_room/passphrase/" + roomID }

// breakoutBinding names where a breakout's passphrase is kept, for its seal.
func breakoutBinding(roomID, breakoutID string) string {
	return "breakout_media/passphrase/" + roomID + "/" + breakoutID
}
