package main_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
)

// secretPoll is an anonymous poll of a running service.
type secretPoll struct {
	t     *testing.T
	where db.Config
	key   string
	poll  api.Poll
}

// After an anonymous poll is closed, its ballots disappear from the files of
// the database, even if the service is killed before it could remove them.
func TestBallotsDisappearThroughACrash(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		_, key := newKey(t, where)
		p := start(t, "serve", where)
		roomID, people := invited(t, p, key)
		voter := &people[0]
		if err := voter.comes(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		s := &secretPoll{t: t, where: where, key: key}
		d := dbtest.Open(t, where)

		ballot := s.votes(p, d, roomID, voter)
		s.closes(p)
		eventually(t, p, "the ballot is in no file", func() bool { return !s.stored(ballot) })

		ballot = s.votes(p, d, roomID, voter)
		inTheWay(t, d, func() {
			s.closes(p)
			if err := p.cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			p.wait()
			if !s.stored(ballot) {
				t.Fatal("the ballot is gone already: the reader did not block its removal")
			}
		})
		p = start(t, "serve", where)
		eventually(t, p, "the ballot is in no file after the crash", func() bool { return !s.stored(ballot) })
		p.stop()
	})
}

// votes asks a poll, lets a person vote once they are in, and returns the hash
// under which the ballot is stored.
func (s *secretPoll) votes(p *process, d *db.DB, roomID string, voter *attendee) (ballot string) {
	s.t.Helper()
	s.post(p, "/api/v1/rooms/"+roomID+"/polls", s.key, `{"question": "Tea?", "options": ["yes", "no"], "anonymous": true}`, &s.poll)
	var seat struct{ Ticket string }
	s.post(p, "/meet/v1/tickets", "", fmt.Sprintf(`{"token": %q}`, voter.token.Token), &seat)
	body := fmt.Sprintf(`{"options": [%q], "receipt": "a receipt that was made up"}`, s.poll.Options[0].ID)
	eventually(s.t, p, "the vote is taken", func() bool {
		status, _ := p.call(http.MethodPost, "/meet/v1/polls/"+s.poll.ID+"/vote", seat.Ticket, body)
		return status == http.StatusOK
	})
	var text string
	err := d.Read(s.t.Context(), func(tx *db.Tx) error {
		return tx.QueryRow(s.t.Context(), `SELECT ballots FROM poll_ballots WHERE poll_id = $1`, s.poll.ID).Scan(&text)
	})
	var ballots map[string]int
	if err != nil || json.Unmarshal([]byte(text), &ballots) != nil || len(ballots) != 1 {
		s.t.Fatalf("the box holds %s: %v", text, err)
	}
	for hash := range ballots {
		ballot = hash
	}
	if !s.stored(ballot) {
		s.t.Fatal("the ballot is in no file of the open poll: this test looks in the wrong place")
	}
	return ballot
}

func (s *secretPoll) post(p *process, path, bearer, body string, out any) {
	s.t.Helper()
	status, answer := p.call(http.MethodPost, path, bearer, body)
	if err := json.Unmarshal(answer, out); err != nil || status/100 != 2 {
		s.t.Fatalf("%s answers %d %s", path, status, answer)
	}
}

func (s *secretPoll) closes(p *process) {
	s.t.Helper()
	if status, answer := p.call(http.MethodPatch, "/api/v1/polls/"+s.poll.ID, s.key, `{"status": "closed"}`); status != http.StatusOK {
		s.t.Fatalf("closing answers %d %s", status, answer)
	}
}

func (s *secretPoll) stored(ballot string) bool {
	s.t.Helper()
	return bytes.Contains(dbtest.Stored(s.t, s.where), []byte(ballot))
}

// inTheWay calls do while a transaction that began earlier reads the database.
func inTheWay(t *testing.T, d *db.DB, do func()) {
	t.Helper()
	err := d.Read(t.Context(), func(tx *db.Tx) error {
		var rooms int
		if err := tx.QueryRow(t.Context(), `SELECT count(*) FROM room`).Scan(&rooms); err != nil {
			return fmt.Errorf("begin to read: %w", err)
		}
		do()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
