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

// everybodyVotes lets people join and vote, half of them yes and half of them no.
// It returns the hashes of their ballots.
func (m *meeting) everybodyVotes(people int) []string {
	m.t.Helper()
	for who := range people {
		if a := m.vote(m.Service, m.guest(fmt.Sprintf("Guest %d", who)), who%2, receiptOf(who)); a.Status != http.StatusOK {
			m.t.Fatalf("a vote got %d %s", a.Status, a.Body)
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

// inFiles counts the ballots that are found in the files of a database.
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

// logLevels is a slog handler that reports the level of every record.
type logLevels chan slog.Level

func (e logLevels) Enabled(context.Context, slog.Level) bool      { return true }
func (e logLevels) WithAttrs([]slog.Attr) slog.Handler            { return e }
func (e logLevels) WithGroup(string) slog.Handler                 { return e }
func (e logLevels) Handle(_ context.Context, r slog.Record) error { e <- r.Level; return nil }

// background runs the background work of polls until the end of the test, and
// returns the levels it logs.
func (m *meeting) background() logLevels {
	m.t.Helper()
	heard := make(logLevels, 100)
	m.Polls.Logger = slog.New(heard)
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { m.Polls.Run(ctx) })
	m.t.Cleanup(func() { stop(); running.Wait() })
	return heard
}

// done waits for the log message that the files are clean.
func (e logLevels) done(t *testing.T) {
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
			t.Fatal("no log message says that destroyed ballots are in no file any more")
		}
	}
}

// gone waits until ballots are in no file. The log may have said so before,
// because nodes also clean the files when they begin to listen to each other.
func (e logLevels) gone(t *testing.T, where db.Config, ballots []string) {
	t.Helper()
	for e.done(t); inFiles(t, where, ballots) != 0; e.done(t) {
		t.Log("ballots are still in the files of the database")
	}
}

func (m *meeting) closes() {
	m.t.Helper()
	m.ask(m.Service, http.MethodPatch, "/api/v1/polls/"+m.poll.ID, m.key, `{"status": "closed"}`, &m.poll)
}

// Destroyed ballots are also removed from the files of the database: from rows,
// old versions of rows, logs and statistics.
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
			dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
				m := start(t, where, secretly)
				heard := m.background()
				heard.done(t) // it cleans once at every start
				m.ask(m.Service, http.MethodPost, "/api/v1/rooms/"+m.room.ID+"/polls", m.key, secretly, &api.Poll{})
				ballots := m.everybodyVotes(12)
				m.analyze()
				if n := inFiles(t, where, ballots); n != len(ballots) {
					t.Fatalf("%d of %d ballots are in the files of the open poll: this test does not search the right files", n, len(ballots))
				}
				destroy(m)
				heard.gone(t, where, ballots)
			})
		})
	}
}

// analyze makes the database collect statistics, which it does by itself sooner
// or later.
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

// A service that was killed between the closing of a poll and the cleaning of the
// files cleans them at the next start. While a transaction that is older than the
// closing prevents this, the service logs a warning and tries again.
func TestCleaningIsTriedAgainUntilBallotsAreGone(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
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
			t.Errorf("%d of %d ballots are left, although no transaction prevented cleaning", n, len(ballots))
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
