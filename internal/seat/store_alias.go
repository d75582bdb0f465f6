package seat

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/conclave-rooms/conclave/internal/db"
)

// SaveAlias notes another name of the person on a seat, if their identity changes
// when they come back: the browser of a guest, the user_id behind a join link. The
// first alias stays, because a seat does not change its person.
func SaveAlias(ctx context.Context, tx *db.Tx, seat Seat, alias string) error {
	_, err := tx.Exec(ctx, `INSERT INTO seat_alias (room_id, identity, alias) VALUES ($1, $2, $3) ON CONFLICT (room_id, identity) DO NOTHING`,
		seat.RoomID, seat.Identity, alias)
	if err != nil {
		return fmt.Errorf("note the person on the seat of %s: %w", seat.Identity, err)
	}
	return nil
}

// mostOfAlias is how many seats of one alias are looked at: a browser has few, but a
// stranger may take many.
const mostOfAlias = 20

// OfAlias reads the last seats of a room to which a guest with this alias may come back:
// those whose connection was lost, and those with something from a host that lasts until
// the meeting ends, if the guest left or has not connected.
func OfAlias(ctx context.Context, tx *db.Tx, roomID, alias string) ([]Seat, error) {
	seats, err := db.Query(ctx, tx, scan, `SELECT `+columns+` FROM seat WHERE room_id = $1 AND (status = 'lost' OR status IN ('left', 'new') AND (admitted OR cohost))
		AND identity IN (SELECT identity FROM seat_alias WHERE room_id = $1 AND alias = $2)
		ORDER BY COALESCE(left_at, admitted_at) DESC, identity LIMIT $3`, roomID, alias, mostOfAlias)
	if err != nil {
		return nil, fmt.Errorf("read the seats of a guest who comes back: %w", err)
	}
	return seats, nil
}

// deleteAlias deletes the alias of a seat that is deleted.
func deleteAlias(ctx context.Context, tx *db.Tx, k Key) error {
	if _, err := tx.Exec(ctx, `DELETE FROM seat_alias WHERE room_id = $1 AND identity = $2`, k.RoomID, k.Identity); err != nil {
		return fmt.Errorf("delete the alias of a seat: %w", err)
	}
	return nil
}

// PersonOn names the person on a seat, by the same name after they left and came
// back: the seat's alias if it has one, otherwise the part of the identity before
// the dot. Things that each person has once, such as a vote, are kept under this
// name.
func PersonOn(ctx context.Context, tx *db.Tx, seat Seat) (string, error) {
	var alias string
	err := tx.QueryRow(ctx, `SELECT alias FROM seat_alias WHERE room_id = $1 AND identity = $2`, seat.RoomID, seat.Identity).Scan(&alias)
	if errors.Is(err, db.ErrNoRows) {
		return Person(seat.Identity), nil
	}
	if err != nil {
		return "", fmt.Errorf("find the person on the seat of %s: %w", seat.Identity, err)
	}
	return alias, nil
}

// PersonsOn names the people on the seats of everybody who is in, as PersonOn does, by
// the identities of the seats.
func PersonsOn(ctx context.Context, tx *db.Tx, roomID string) (map[string]string, error) {
	persons := map[string]string{}
	_, err := db.Query(ctx, tx, func(row db.Scanner) (identity string, err error) {
		var alias db.Null[string]
		err = row.Scan(&identity, &alias)
		persons[identity] = cmp.Or(alias.V, Person(identity))
		return identity, err //nolint:wrapcheck // wrapped below
	}, `SELECT s.identity, a.alias FROM seat s LEFT JOIN seat_alias a ON a.room_id = s.room_id AND a.identity = s.identity
		WHERE s.room_id = $1 AND s.status = 'in'`, roomID)
	if err != nil {
		return nil, fmt.Errorf("find the people on the seats of a room: %w", err)
	}
	return persons, nil
}
