package seat

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
)

// AllWaiting reads the seats of people who wait for a host to answer or to arrive,
// oldest first, also of those who are WaitedOut.
func AllWaiting(ctx context.Context, tx *db.Tx, roomID string) ([]Seat, error) {
	seats, err := db.Query(ctx, tx, scan, `SELECT `+columns+` FROM seat
		WHERE room_id = $1 AND status IN ('waiting', 'early') ORDER BY waiting_since, identity`, roomID)
	if err != nil {
		return nil, fmt.Errorf("read who waits: %w", err)
	}
	return seats, nil
}

// WaitingAccounts reads the seats of accounts that wait in a room, oldest first, also of
// those who are WaitedOut.
func WaitingAccounts(ctx context.Context, tx *db.Tx, roomID string) ([]Seat, error) {
	seats, err := db.Query(ctx, tx, scan, `SELECT `+columns+` FROM seat
		WHERE room_id = $1 AND status IN ('waiting', 'early') AND kind = 'user' ORDER BY waiting_since, identity`, roomID)
	if err != nil {
		return nil, fmt.Errorf("read which accounts wait: %w", err)
	}
	return seats, nil
}

// knocks is the condition of Seat.Knocks, with waitsSince as the last argument.
const knocks = `status = 'waiting' AND (away_at IS NULL OR away_at = admitted_at) AND waiting_since > `

// waitsSince is the time after which everybody came who still waits: the others are
// WaitedOut.
func waitsSince(now time.Time) int64 { return now.Add(-WaitLimit).UnixMilli() }

// MoveGuests changes the status of all waiting guests of a room from one to
// another, except those who are WaitedOut, and says how many they are.
func MoveGuests(ctx context.Context, tx *db.Tx, roomID string, from, to Status, now time.Time) (int64, error) {
	const those = ` WHERE room_id = $2 AND status = $3 AND kind = 'guest' AND waiting_since > $4`
	statement, args := `UPDATE seat SET status = $1`+those, []any{string(to), roomID, string(from), waitsSince(now)}
	if to == LetThrough {
		statement = `UPDATE seat SET status = $1, admitted_at = $5, waiting_since = NULL, away_at = NULL` + those
		args = append(args, now.UnixMilli())
	}
	n, err := tx.Exec(ctx, statement, args...)
	if err != nil {
		return 0, fmt.Errorf("move the guests who wait: %w", err)
	}
	return n, nil
}

// Knocker is a person who knocks, as hosts see them.
type Knocker struct {
	Identity string
	Name     string
	Avatar   string
	Since    time.Time
}

// Knockers reads the people that a host can answer, oldest first: their seats
// satisfy Knocks.
func Knockers(ctx context.Context, tx *db.Tx, roomID string, now time.Time) ([]Knocker, error) {
	list, err := db.Query(ctx, tx, func(s db.Scanner) (k Knocker, err error) {
		var since db.Null[int64]
		err = s.Scan(&k.Identity, &k.Name, &k.Avatar, &since)
		k.Since = db.Time(since)
		return k, err //nolint:wrapcheck // wrapped below
	}, `SELECT identity, name, avatar, waiting_since FROM seat
		WHERE room_id = $1 AND `+knocks+`$2 ORDER BY waiting_since, identity`, roomID, waitsSince(now))
	if err != nil {
		return nil, fmt.Errorf("read who knocks: %w", err)
	}
	return list, nil
}

// AdmitGuests lets in every guest who knocks in a room and is there, in one
// statement, and says how many they are.
func AdmitGuests(ctx context.Context, tx *db.Tx, roomID string, now time.Time) (int64, error) {
	n, err := tx.Exec(ctx, `UPDATE seat SET status = 'new', admitted = TRUE, admitted_at = $1, waiting_since = NULL, away_at = NULL
		WHERE room_id = $2 AND kind = 'guest' AND `+knocks+`$3`, now.UnixMilli(), roomID, waitsSince(now))
	if err != nil {
		return 0, fmt.Errorf("let every guest in: %w", err)
	}
	return n, nil
}

// Overdue reads the seats of people who have waited since before one moment, or
// whose devices have been gone since before another.
func Overdue(ctx context.Context, tx *db.Tx, waiting, away time.Time) ([]Seat, error) {
	// Two queries, because each has an index of its own.
	const those = `SELECT ` + columns + ` FROM seat WHERE status IN ('waiting', 'early') AND `
	seats, err := db.Query(ctx, tx, scan, those+`waiting_since <= $1 UNION `+those+`away_at <= $2`, waiting.UnixMilli(), away.UnixMilli())
	if err != nil {
		return nil, fmt.Errorf("read who has waited for too long: %w", err)
	}
	slices.SortFunc(seats, func(a, b Seat) int {
		return cmp.Or(a.WaitingSince.Compare(b.WaitingSince), cmp.Compare(a.Identity, b.Identity))
	})
	return seats, nil
}

// MarkAllAway notes for everybody who waits that no device of theirs follows. It returns
// the rooms of the people who were not marked before.
func MarkAllAway(ctx context.Context, tx *db.Tx, now time.Time) (roomIDs []string, err error) {
	roomIDs, err = db.IDs(ctx, tx, `UPDATE seat SET away_at = $1 WHERE status IN ('waiting', 'early') AND away_at IS NULL RETURNING room_id`, now.UnixMilli())
	if err != nil {
		return nil, fmt.Errorf("note that no device of people who wait follows: %w", err)
	}
	slices.Sort(roomIDs)
	return slices.Compact(roomIDs), nil
}

// SetAway notes since when no device of a person who waits follows; the zero time
// when one does. It says whether that changed something: the person still waits
// with this ticket, and was not noted as away, or as being there, before.
func SetAway(ctx context.Context, tx *db.Tx, k Key, ticketHash string, at time.Time) (changed bool, err error) {
	const those = ` WHERE room_id = $2 AND identity = $3 AND ticket_hash = $4 AND status IN ('waiting', 'early') AND `
	statement := `UPDATE seat SET away_at = $1` + those + `away_at IS NULL`
	if at.IsZero() {
		statement = `UPDATE seat SET away_at = $1` + those + `away_at IS NOT NULL`
	}
	n, err := tx.Exec(ctx, statement, db.Millis(at), k.RoomID, k.Identity, ticketHash)
	if err != nil {
		return false, fmt.Errorf("note whether a person who waits is there: %w", err)
	}
	return n > 0, nil
}

// EndWaiting closes the seats of people who wait, because the meeting was ended.
func EndWaiting(ctx context.Context, tx *db.Tx, roomID string) error {
	if _, err := tx.Exec(ctx, `UPDATE seat SET status = 'over', network = '' WHERE room_id = $1 AND status IN ('waiting', 'early')`, roomID); err != nil {
		return fmt.Errorf("close the seats of people who wait: %w", err)
	}
	return nil
}
