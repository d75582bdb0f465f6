package poll

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/conclave-rooms/conclave/internal/db"
)

// ballotTable is the table of open boxes. Rows deleted from it must disappear
// from the files of the database as well.
const ballotTable = "poll_ballots"

// loadBoxes reads the boxes of anonymous polls and sets the polls' counts: the
// votes counted by closings plus the ballots in the open box.
func loadBoxes(ctx context.Context, tx *db.Tx, w filter, polls map[string]*Poll) error {
	boxes, err := db.Query(ctx, tx, scanBox, `SELECT v.poll_id, v.secret, v.counted, COALESCE(b.voters, '[]'), COALESCE(b.ballots, '{}')
		FROM poll_voters v JOIN poll p ON p.id = v.poll_id LEFT JOIN poll_ballots b ON b.poll_id = v.poll_id WHERE `+w.where, w.values...)
	if err != nil {
		return fmt.Errorf("read ballot boxes: %w", err)
	}
	for _, b := range boxes {
		if p := polls[b.PollID]; p != nil {
			p.box = &b
			b.countInto(p)
		}
	}
	return nil
}

func scanBox(s db.Scanner) (box, error) {
	var (
		b                        box
		counted, voters, ballots string
	)
	if err := s.Scan(&b.PollID, &b.Secret, &counted, &voters, &ballots); err != nil {
		return box{}, err //nolint:wrapcheck // loadBoxes says what it reads
	}
	err := errors.Join(json.Unmarshal([]byte(counted), &b.Counted), json.Unmarshal([]byte(voters), &b.Voters), json.Unmarshal([]byte(ballots), &b.Ballots))
	if err != nil {
		return box{}, fmt.Errorf("read the ballot box of %s: %w", b.PollID, err)
	}
	return b, nil
}

// insertBox creates the empty box of a new poll; secret is the sealed key of its
// hashes.
func insertBox(ctx context.Context, tx *db.Tx, pollID, secret string) error {
	_, err := tx.Exec(ctx, `INSERT INTO poll_voters (poll_id, secret, counted) VALUES ($1, $2, '[]')`, pollID, secret)
	if err != nil {
		return fmt.Errorf("make a ballot box: %w", err)
	}
	return openBox(ctx, tx, pollID)
}

// openBox creates an empty box that takes ballots from now on.
func openBox(ctx context.Context, tx *db.Tx, pollID string) error {
	if _, err := tx.Exec(ctx, `INSERT INTO poll_ballots (poll_id, voters, ballots) VALUES ($1, '[]', '{}')`, pollID); err != nil {
		return fmt.Errorf("open a ballot box: %w", err)
	}
	return nil
}

// saveBallots writes an open box as a whole: all ballots and all voters, sorted.
func saveBallots(ctx context.Context, tx *db.Tx, b box) error {
	voters, votersErr := json.Marshal(b.Voters)
	ballots, ballotsErr := json.Marshal(b.Ballots) // encoding/json sorts the keys of a map
	if err := errors.Join(votersErr, ballotsErr); err != nil {
		return fmt.Errorf("write a ballot box: %w", err)
	}
	n, err := tx.Exec(ctx, `UPDATE poll_ballots SET voters = $1, ballots = $2 WHERE poll_id = $3`, string(voters), string(ballots), b.PollID)
	if err == nil && n != 1 {
		err = errors.New("it is not open")
	}
	if err != nil {
		return fmt.Errorf("write a ballot box: %w", err)
	}
	return nil
}

// saveCounted writes the hashes of the people whose votes were counted.
func saveCounted(ctx context.Context, tx *db.Tx, b box) error {
	counted, err := json.Marshal(b.Counted)
	if err == nil {
		_, err = tx.Exec(ctx, `UPDATE poll_voters SET counted = $1 WHERE poll_id = $2`, string(counted), b.PollID)
	}
	if err != nil {
		return fmt.Errorf("write the voters of a poll: %w", err)
	}
	return nil
}

// deleteBallots deletes open boxes with their ballots.
func deleteBallots(ctx context.Context, tx *db.Tx, w filter) (deleted bool, err error) {
	n, err := tx.Exec(ctx, `DELETE FROM poll_ballots WHERE poll_id IN (SELECT p.id FROM poll p WHERE `+w.where+`)`, w.values...)
	if err != nil {
		return false, fmt.Errorf("delete ballots: %w", err)
	}
	return n > 0, nil
}
