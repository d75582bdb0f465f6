package poll_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
)

// ballotsOf reads what the open box of a poll holds.
func (m *meeting) ballotsOf() (voters []string, ballots map[string]int) {
	m.t.Helper()
	var v, b string
	err := m.DB().Read(m.t.Context(), func(tx *db.Tx) error {
		return tx.QueryRow(m.t.Context(), `SELECT voters, ballots FROM poll_ballots WHERE poll_id = $1`, m.poll.ID).Scan(&v, &b)
	})
	for text, into := range map[string]any{v: &voters, b: &ballots} {
		if err == nil {
			err = json.Unmarshal([]byte(text), into)
		}
	}
	if err != nil {
		m.t.Fatal(err)
	}
	return voters, ballots
}

// everybodyVotes has people come and vote, half of them yes and half of them no,
// and gives the hashes of their ballots.
func (m *meeting) everybodyVotes(people int) []string {
	m.t.Helper()
	for who := range people {
		if a := m.vote(m.Service, m.guest(fmt.Sprintf("Guest %d", who)), who%2, receiptOf(who)); a.Status != http.StatusOK {
			m.t.Fatalf("a vote answers %d %s", a.Status, a.Body)
		}
	}
	voters, ballots := m.ballotsOf()
	if len(voters) != people || len(ballots) != people {
		m.t.Fatalf("the open box holds %d voters and %d ballots of %d", len(voters), len(ballots), people)
	}
	for _, voter := range voters {
		if _, both := ballots[voter]; both {
			m.t.Errorf("a ballot is kept under the hash of its voter, %s", voter)
		}
	}
	return slices.Collect(maps.Keys(ballots))
}

// inFiles says how many ballots are found in the files of a database.
func inFiles(t *testing.T, where db.Config, ballots []string) (found int) {
	t.Helper()
	all := dbtest.Stored(t, where)
	for _, hash := range ballots {
		if bytes.Contains(all, []byte(hash)) {
			found++
		}
	}
	return found
}

// ears hear what is logged.
type ears chan slog.Level

func (e ears) Enabled(context.Context, slog.Level) bool      { return true }
func (e ears) WithAttrs([]slog.Attr) slog.Handler            { return e }
func (e ears) WithGroup(string) slog.Handler                 { return e }
func (e ears) Handle(_ context.Context, r slog.Record) error { e <- r.Level; return nil }

// background runs what polls do by themselves until the end of the test, and
// gives what they log.
func (m *meeting) background() ears {
	m.t.Helper()
	heard := make(ears, 100)
	m.Polls.Logger = slog.New(heard)
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { m.Polls.Run(ctx) })
	m.t.Cleanup(func() { stop(); running.Wait() })
	return heard
}

// done waits until the files are said to be clean.
func (e ears) done(t *testing.T) {
	t.Helper()
	enough := time.NewTimer(5 * time.Minute) // the pauses between tries grow, and a busy machine needs many
	defer enough.Stop()
	for {
		select {
		case level := <-e:
			if level == slog.LevelDebug {
				return
			}
		case <-enough.C:
			t.Fatal("it is not said that destroyed ballots are in no file any more")
		}
	}
}

// gone waits until ballots are in no file. That was perhaps said before as
// well: nodes that begin to listen to each other clean the files, too.
func (e ears) gone(t *testing.T, where db.Config, ballots []string) {
	t.Helper()
	for e.done(t); inFiles(t, where, ballots) != 0; e.done(t) {
		t.Log("ballots are still in the files of the database")
	}
}

func (m *meeting) closes() {
	m.t.Helper()
	m.ask(m.Service, http.MethodPatch, "/api/v1/polls/"+m.poll.ID, m.key, `{"status": "closed"}`, &m.poll)
}

// What destroys ballots, destroys them in the files of the database too: in
// rows, in old versions of rows, in logs, and in statistics.
func TestDestroyedBallotsAreInNoFile(t *testing.T) {
	t.Parallel()
	for what, destroy := range map[string]func(m *meeting){
		"the poll is closed": (*meeting).closes,
		"the poll is deleted": func(m *meeting) {
			m.ask(m.Service, http.MethodDelete, "/api/v1/polls/"+m.poll.ID, m.key, "", &struct{}{})
		},
		"the room is deleted": func(m *meeting) {
			m.ask(m.Service, http.MethodDelete, "/api/v1/rooms/"+m.room.ID, m.key, "", &struct{}{})
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			eachEngine(t, func(t *testing.T, where db.Config) {
				m := start(t, where, secretly)
				heard := m.background()
				heard.done(t) // as it does at every start
				m.ask(m.Service, http.MethodPost, "/api/v1/rooms/"+m.room.ID+"/polls", m.key, secretly, &api.Poll{})
				ballots := m.everybodyVotes(12)
				m.analyze()
				if n := inFiles(t, where, ballots); n != len(ballots) {
					t.Fatalf("%d of %d ballots are in the files of the open poll: this test does not look where they are", n, len(ballots))
				}
				destroy(m)
				heard.gone(t, where, ballots)
			})
		})
	}
}

// analyze lets the database take statistics, as it does by itself sooner or later.
func (m *meeting) analyze() {
	m.t.Helper()
	err := m.DB().WriteLoosely(m.t.Context(), func(tx *db.Tx) error {
		_, err := tx.Exec(m.t.Context(), "ANALYZE")
		return err
	})
	if err != nil {
		m.t.Fatal(err)
	}
}

// A service that was killed between a closing and what follows it does that at
// the next start. While somebody is in the way, whose transaction is older than
// the closing, it says so and tries again.
func TestBallotsAreDestroyedInTheEnd(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, where db.Config) {
		m := start(t, where, secretly)
		ballots := m.everybodyVotes(12)
		looking, stop, looked := make(chan struct{}), make(chan struct{}), make(chan error)
		go func() {
			looked <- m.DB().Read(t.Context(), func(tx *db.Tx) error {
				var rooms int
				err := tx.QueryRow(t.Context(), `SELECT count(*) FROM room`).Scan(&rooms)
				close(looking)
				<-stop
				return err
			})
		}()
		<-looking
		m.closes()
		heard := m.background()
		if level := <-heard; level != slog.LevelWarn {
			t.Errorf("ballots that cannot be destroyed yet are logged as %v", level)
		}
		if n := inFiles(t, where, ballots); n != len(ballots) {
			t.Errorf("%d of %d ballots are left: nobody was in the way", n, len(ballots))
		}
		close(stop)
		if err := <-looked; err != nil {
			t.Error(err)
		}
		heard.gone(t, where, ballots)
		if m.poll.TotalVoters != 12 || m.poll.Options[0].Votes != 6 || m.poll.Options[1].Votes != 6 {
			t.Errorf("the counts are %+v", m.poll)
		}
	})
}
