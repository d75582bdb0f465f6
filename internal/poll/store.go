package poll

import (
	"context"
	"fmt"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/id"
)

// filter selects polls: a condition on poll p, with its values.
type filter struct {
	where  string
	values []any
}

func byID(pollID, workspaceID string) filter {
	return filter{`p.id = $1 AND p.workspace_id = $2`, []any{pollID, workspaceID}}
}

func inRoom(pollID, roomID string) filter {
	return filter{`p.id = $1 AND p.room_id = $2`, []any{pollID, roomID}}
}

func ofRoom(roomID string) filter {
	return filter{`p.room_id = $1`, []any{roomID}}
}

func askedSince(roomID string, since time.Time) filter {
	return filter{`p.room_id = $1 AND p.created_at > $2`, []any{roomID, since.UnixMilli()}}
}

// onBoard selects the polls that people in a room's meeting see: the first
// mostShown of those that are open or were asked since then, with open ones
// before closed ones and newer ones before older ones.
func onBoard(roomID string, since time.Time) filter {
	const where = `p.id IN (SELECT q.id FROM poll q WHERE q.room_id = $1 AND (q.created_at > $2 OR q.status = 'open')
		ORDER BY CASE q.status WHEN 'open' THEN 0 ELSE 1 END, q.created_at DESC, q.id DESC LIMIT $3)`
	return filter{where, []any{roomID, since.UnixMilli(), mostShown}}
}

// load reads polls with their counts, newest first. It leaves out polls of deleted
// rooms.
func load(ctx context.Context, tx *db.Tx, w filter) ([]Poll, error) {
	polls, err := db.Query(ctx, tx, scanPoll, `
		SELECT p.id, p.room_id, p.workspace_id, p.question, p.kind, p.anonymous, p.results, p.status, p.created_by, p.created_at, p.closed_at
		FROM poll p JOIN room r ON r.id = p.room_id AND r.deleted_at IS NULL
		WHERE `+w.where+` ORDER BY p.created_at DESC, p.id DESC`, w.values...)
	if err != nil {
		return nil, fmt.Errorf("read polls: %w", err)
	}
	if len(polls) == 0 {
		return nil, nil
	}
	at := make(map[string]*Poll, len(polls))
	for i := range polls {
		at[polls[i].ID] = &polls[i]
	}
	if err := loadOptions(ctx, tx, w, at); err != nil {
		return nil, err
	}
	if err := countNamed(ctx, tx, w, at); err != nil {
		return nil, err
	}
	return polls, loadBoxes(ctx, tx, w, at)
}

// countSince counts the polls of a room that were asked since then.
func countSince(ctx context.Context, tx *db.Tx, roomID string, since time.Time) (n int, err error) {
	w := askedSince(roomID, since)
	if err := tx.QueryRow(ctx, `SELECT COUNT(*) FROM poll p WHERE `+w.where, w.values...).Scan(&n); err != nil {
		return 0, fmt.Errorf("count the polls of a room: %w", err)
	}
	return n, nil
}

// one reads the poll that w selects. It returns a not-found fault when there is
// none.
func one(ctx context.Context, tx *db.Tx, pollID string, w filter) (Poll, error) {
	if !id.Valid(pollID) {
		return Poll{}, fault.Missing()
	}
	polls, err := load(ctx, tx, w)
	if err == nil && len(polls) == 0 {
		err = fault.Missing()
	}
	if err != nil {
		return Poll{}, err
	}
	return polls[0], nil
}

func scanPoll(s db.Scanner) (Poll, error) {
	var (
		p       Poll
		created int64
		closed  db.Null[int64]
	)
	err := s.Scan(&p.ID, &p.RoomID, &p.WorkspaceID, &p.Question, &p.Kind, &p.Anonymous, &p.Results, &p.Status, &p.CreatedBy, &created, &closed)
	p.CreatedAt, p.ClosedAt = db.At(created), db.Time(closed)
	return p, err //nolint:wrapcheck // load says what was read
}

func loadOptions(ctx context.Context, tx *db.Tx, w filter, polls map[string]*Poll) error {
	type row struct {
		pollID string
		option Option
	}
	rows, err := db.Query(ctx, tx, func(s db.Scanner) (r row, err error) {
		return r, s.Scan(&r.pollID, &r.option.ID, &r.option.Label, &r.option.Counted)
	}, `SELECT o.poll_id, o.id, o.label, o.counted FROM poll_option o JOIN poll p ON p.id = o.poll_id
		WHERE `+w.where+` ORDER BY o.poll_id, o.position`, w.values...)
	if err != nil {
		return fmt.Errorf("read the options of polls: %w", err)
	}
	for _, r := range rows {
		if p := polls[r.pollID]; p != nil {
			p.Options = append(p.Options, r.option)
		}
	}
	return nil
}

func insert(ctx context.Context, tx *db.Tx, p Poll) error {
	_, err := tx.Exec(ctx, `INSERT INTO poll (id, room_id, workspace_id, question, kind, anonymous, results, status, created_by, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		p.ID, p.RoomID, p.WorkspaceID, p.Question, p.Kind, p.Anonymous, p.Results, p.Status, p.CreatedBy, p.CreatedAt.UnixMilli())
	if err != nil {
		return fmt.Errorf("ask a poll: %w", err)
	}
	for i, o := range p.Options {
		_, err := tx.Exec(ctx, `INSERT INTO poll_option (id, poll_id, position, label, counted) VALUES ($1, $2, $3, $4, 0)`, o.ID, p.ID, i, o.Label)
		if err != nil {
			return fmt.Errorf("write an option of a poll: %w", err)
		}
	}
	return nil
}

func saveStatus(ctx context.Context, tx *db.Tx, p Poll) error {
	var closed db.Null[int64]
	if !p.ClosedAt.IsZero() {
		closed = db.Some(p.ClosedAt.UnixMilli())
	}
	if _, err := tx.Exec(ctx, `UPDATE poll SET status = $1, closed_at = $2 WHERE id = $3`, p.Status, closed, p.ID); err != nil {
		return fmt.Errorf("change the status of a poll: %w", err)
	}
	return nil
}

func saveCount(ctx context.Context, tx *db.Tx, o Option) error {
	if _, err := tx.Exec(ctx, `UPDATE poll_option SET counted = $1 WHERE id = $2`, o.Counted, o.ID); err != nil {
		return fmt.Errorf("write the count of an option: %w", err)
	}
	return nil
}

// deletePoll deletes a poll; its options, votes and box go with it.
func deletePoll(ctx context.Context, tx *db.Tx, pollID string) error {
	if _, err := tx.Exec(ctx, `DELETE FROM poll WHERE id = $1`, pollID); err != nil {
		return fmt.Errorf("delete a poll: %w", err)
	}
	return nil
}

// deletePollsOf deletes the polls of a room, and their revision.
func deletePollsOf(ctx context.Context, tx *db.Tx, roomID string) error {
	for _, table := range []string{"poll", "poll_revision"} {
		if err := db.Delete(ctx, tx, table, "room_id", []string{roomID}); err != nil {
			return fmt.Errorf("delete a room's polls: %w", err)
		}
	}
	return nil
}

// revision returns how often the polls of a room have changed.
func revision(ctx context.Context, tx *db.Tx, roomID string) (int64, error) {
	var n int64
	err := tx.QueryRow(ctx, `SELECT COALESCE((SELECT revision FROM poll_revision WHERE room_id = $1), 0)`, roomID).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("read the revision of a room's polls: %w", err)
	}
	return n, nil
}

func bump(ctx context.Context, tx *db.Tx, roomID string) error {
	_, err := tx.Exec(ctx, `INSERT INTO poll_revision (room_id, revision) VALUES ($1, 1)
		ON CONFLICT (room_id) DO UPDATE SET revision = poll_revision.revision + 1`, roomID)
	if err != nil {
		return fmt.Errorf("raise the revision of a room's polls: %w", err)
	}
	return nil
}
