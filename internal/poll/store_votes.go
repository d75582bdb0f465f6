package poll

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/conclave-rooms/conclave/internal/db"
)

// mostOptions is how many options a poll has at most (docs/reference/polls.md).
const mostOptions = 10

// countNamed counts the votes of polls that are not anonymous.
func countNamed(ctx context.Context, tx *db.Tx, w which, polls map[string]*Poll) error {
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

// countAnonymous counts the votes of anonymous polls: those that were counted
// when they were closed, and the ballots in their boxes.
func countAnonymous(ctx context.Context, tx *db.Tx, w which, polls map[string]*Poll) error {
	boxes, err := db.Query(ctx, tx, scanBox, `SELECT b.poll_id, b.voters, b.counted, b.ballots
		FROM poll_box b JOIN poll p ON p.id = b.poll_id WHERE `+w.where, w.values...)
	if err != nil {
		return fmt.Errorf("read ballot boxes: %w", err)
	}
	for _, b := range boxes {
		if p := polls[b.PollID]; p != nil {
			b.countInto(p)
		}
	}
	return nil
}

// countInto gives an anonymous poll its counts.
func (b *box) countInto(p *Poll) {
	p.Voters = len(b.Counted) + len(b.Voters)
	for n, votes := range b.tally(len(p.Options)) {
		p.Options[n].Votes = p.Options[n].Counted + votes
	}
}

// votesIn reads who picked what, in polls that are not anonymous.
func votesIn(ctx context.Context, tx *db.Tx, w which) (map[string][]vote, error) {
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

func scanBox(s db.Scanner) (box, error) {
	var (
		b                        box
		voters, counted, ballots string
	)
	if err := s.Scan(&b.PollID, &voters, &counted, &ballots); err != nil {
		return box{}, err //nolint:wrapcheck // the callers say what they read
	}
	err := errors.Join(json.Unmarshal([]byte(voters), &b.Voters), json.Unmarshal([]byte(counted), &b.Counted), json.Unmarshal([]byte(ballots), &b.Ballots))
	if err != nil {
		return box{}, fmt.Errorf("read the ballot box of %s: %w", b.PollID, err)
	}
	return b, nil
}

// readBox reads the ballot box of an anonymous poll.
func readBox(ctx context.Context, tx *db.Tx, pollID string) (box, error) {
	b, err := scanBox(tx.QueryRow(ctx, `SELECT poll_id, voters, counted, ballots FROM poll_box WHERE poll_id = $1`, pollID))
	if err != nil {
		return box{}, fmt.Errorf("read a ballot box: %w", err)
	}
	return b, nil
}

// insertBox puts up an empty box; secret is the sealed key of its hashes.
func insertBox(ctx context.Context, tx *db.Tx, pollID, secret string) error {
	_, err := tx.Exec(ctx, `INSERT INTO poll_box (poll_id, secret, voters, counted, ballots) VALUES ($1, $2, '[]', '[]', '{}')`, pollID, secret)
	if err != nil {
		return fmt.Errorf("put up a ballot box: %w", err)
	}
	return nil
}

// saveBox writes a box as a whole: every ballot and every voter anew, sorted.
func saveBox(ctx context.Context, tx *db.Tx, b box) error {
	voters, voterErr := json.Marshal(append([]string{}, b.Voters...))
	counted, countedErr := json.Marshal(append([]string{}, b.Counted...))
	ballots, ballotErr := json.Marshal(b.Ballots) // encoding/json sorts the keys of a map
	if err := errors.Join(voterErr, countedErr, ballotErr); err != nil {
		return fmt.Errorf("write a ballot box: %w", err)
	}
	_, err := tx.Exec(ctx, `UPDATE poll_box SET voters = $1, counted = $2, ballots = $3 WHERE poll_id = $4`,
		string(voters), string(counted), string(ballots), b.PollID)
	if err != nil {
		return fmt.Errorf("write a ballot box: %w", err)
	}
	return nil
}

// secretsOf reads the sealed keys of boxes, by poll.
func secretsOf(ctx context.Context, tx *db.Tx, w which) (map[string]string, error) {
	type row struct{ pollID, secret string }
	rows, err := db.Query(ctx, tx, func(s db.Scanner) (r row, err error) { return r, s.Scan(&r.pollID, &r.secret) },
		`SELECT b.poll_id, b.secret FROM poll_box b JOIN poll p ON p.id = b.poll_id WHERE `+w.where, w.values...)
	if err != nil {
		return nil, fmt.Errorf("read the keys of ballot boxes: %w", err)
	}
	secrets := map[string]string{}
	for _, r := range rows {
		secrets[r.pollID] = r.secret
	}
	return secrets, nil
}
