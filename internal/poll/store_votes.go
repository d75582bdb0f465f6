package poll

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/conclave-rooms/conclave/internal/db"
)

// mostOptions is how many options a poll has at most (docs/reference/polls.md).
const mostOptions = 10

// countNamed counts the votes of polls that are not anonymous.
func countNamed(ctx context.Context, tx *db.Tx, w filter, polls map[string]*Poll) error {
	type row struct {
		pollID string
		voters int
		votes  [mostOptions]int
	}
	var sums strings.Builder
	for n := range mostOptions {
		fmt.Fprintf(&sums, ", CAST(SUM((v.picked >> %d) & 1) AS BIGINT)", n)
	}
	rows, err := db.Query(ctx, tx, func(s db.Scanner) (r row, err error) {
		into := []any{&r.pollID, &r.voters}
		for n := range r.votes {
			into = append(into, &r.votes[n])
		}
		return r, s.Scan(into...)
	}, `SELECT v.poll_id, count(*)`+sums.String()+` FROM poll_vote v JOIN poll p ON p.id = v.poll_id WHERE `+w.where+` GROUP BY v.poll_id`, w.values...)
	if err != nil {
		return fmt.Errorf("count votes: %w", err)
	}
	for _, r := range rows {
		p := polls[r.pollID]
		if p == nil {
			continue
		}
		p.Voters = r.voters
		for n := range p.Options {
			p.Options[n].Votes = r.votes[n]
		}
	}
	return nil
}

// votesIn reads who picked what, in polls that are not anonymous.
func votesIn(ctx context.Context, tx *db.Tx, w filter) (map[string][]vote, error) {
	type row struct {
		pollID string
		vote   vote
	}
	rows, err := db.Query(ctx, tx, func(s db.Scanner) (r row, err error) {
		return r, s.Scan(&r.pollID, &r.vote.Voter, &r.vote.Name, &r.vote.Picks)
	}, `SELECT v.poll_id, v.voter, v.name, v.picked FROM poll_vote v JOIN poll p ON p.id = v.poll_id WHERE `+w.where, w.values...)
	if err != nil {
		return nil, fmt.Errorf("read votes: %w", err)
	}
	votes := map[string][]vote{}
	for _, r := range rows {
		votes[r.pollID] = append(votes[r.pollID], r.vote)
	}
	return votes, nil
}

// voteOf reads what somebody picked; nil when they have not voted.
func voteOf(ctx context.Context, tx *db.Tx, pollID, voter string) (*vote, error) {
	v := vote{Voter: voter}
	err := tx.QueryRow(ctx, `SELECT name, picked FROM poll_vote WHERE poll_id = $1 AND voter = $2`, pollID, voter).Scan(&v.Name, &v.Picks)
	if errors.Is(err, db.ErrNoRows) {
		return nil, nil //nolint:nilnil // no vote is an answer
	}
	if err != nil {
		return nil, fmt.Errorf("read a vote: %w", err)
	}
	return &v, nil
}

func saveVote(ctx context.Context, tx *db.Tx, pollID string, v vote) error {
	_, err := tx.Exec(ctx, `INSERT INTO poll_vote (poll_id, voter, name, picked) VALUES ($1, $2, $3, $4)
		ON CONFLICT (poll_id, voter) DO UPDATE SET name = excluded.name, picked = excluded.picked`, pollID, v.Voter, v.Name, v.Picks)
	if err != nil {
		return fmt.Errorf("write a vote: %w", err)
	}
	return nil
}

// renameVotes changes the name beside a person's votes in some polls, and says
// whether there were any.
func renameVotes(ctx context.Context, tx *db.Tx, w filter, voter, name string) (changed bool, err error) {
	values := append(slices.Clone(w.values), voter, name)
	n, err := tx.Exec(ctx, fmt.Sprintf(`UPDATE poll_vote SET name = $%d WHERE voter = $%d AND poll_id IN (SELECT p.id FROM poll p WHERE %s)`,
		len(values), len(values)-1, w.where), values...)
	if err != nil {
		return false, fmt.Errorf("rename a voter: %w", err)
	}
	return n > 0, nil
}
