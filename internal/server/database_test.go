package server_test

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/config"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/media/fake"
	"github.com/conclave-rooms/conclave/internal/server"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// A database that does not answer holds nobody up: callers learn after some seconds
// that they should come back, and the service goes on once the database answers.
func TestADatabaseThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	road, where := dbtest.NewRoad(t)
	s := servertest.Start(t, where, servertest.Options{})
	key := s.Key(s.Workspace("acme", "owner@acme.example"), api.Scopes()...)
	list := servertest.Request{Method: http.MethodGet, Path: "/api/v1/rooms", Bearer: key}
	create := servertest.Request{Method: http.MethodPost, Path: "/api/v1/rooms", Bearer: key, Body: `{"name": "Weekly"}`}
	if a := s.Send(create); a.Status != http.StatusCreated {
		t.Fatalf("making a room: %d %s", a.Status, a.Body)
	}
	road.Close()
	wantUnavailable(t, s.Send(list))
	wantUnavailable(t, s.Send(create))
	road.Reopen()
	if a := s.Send(create); a.Status != http.StatusCreated {
		t.Errorf("making a room afterwards: %d %s", a.Status, a.Body)
	}
	if a := s.Send(list); a.Status != http.StatusOK {
		t.Errorf("listing rooms afterwards: %d %s", a.Status, a.Body)
	}
}

// A statement that waits for a lock ends before the time of its request is over, and
// the caller learns that they should come back.
func TestAStatementThatWaitsForALockIsGivenUp(t *testing.T) {
	t.Parallel()
	where := dbtest.Config(t, db.PostgreSQL)
	s := servertest.Start(t, where, servertest.Options{})
	key := s.Key(s.Workspace("acme", "owner@acme.example"), api.Scopes()...)
	create := servertest.Request{Method: http.MethodPost, Path: "/api/v1/rooms", Bearer: key, Body: `{"name": "Weekly"}`}
	held := holdRooms(t, where)
	wantUnavailable(t, s.Send(create))
	if n := held.waiting(t); n != 0 {
		t.Errorf("%d statements wait for the lock after the answer", n)
	}
	held.release()
	if a := s.Send(create); a.Status != http.StatusCreated {
		t.Errorf("making a room afterwards: %d %s", a.Status, a.Body)
	}
}

// PostgreSQL gives a statement up by itself when the network is down, so that the
// service cannot tell it that nobody waits any more.
func TestPostgreSQLGivesUpAStatementWhileTheNetworkIsDown(t *testing.T) {
	t.Parallel()
	road, where := dbtest.NewRoad(t)
	s := servertest.Start(t, where, servertest.Options{})
	key := s.Key(s.Workspace("acme", "owner@acme.example"), api.Scopes()...)
	held := holdRooms(t, road.Straight)
	answer := make(chan servertest.Answer, 1)
	go func() {
		answer <- s.Send(servertest.Request{Method: http.MethodPost, Path: "/api/v1/rooms", Bearer: key, Body: `{"name": "Weekly"}`})
	}()
	held.until(t, true)
	road.Close()
	wantUnavailable(t, <-answer)
	held.until(t, false)
}

// heldRooms is a lock on all rooms that another program holds.
type heldRooms struct {
	other   *db.DB
	release func()
}

// holdRooms takes the lock, and holds it at most until the end of the test.
func holdRooms(t *testing.T, where db.Config) *heldRooms {
	t.Helper()
	u, err := url.Parse(where.URL)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set("idle_in_transaction_session_timeout", "0")
	u.RawQuery = q.Encode()
	where.URL = u.String()
	h := &heldRooms{other: dbtest.Open(t, where)}
	taken, enough, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- h.other.WriteLoosely(context.WithoutCancel(t.Context()), func(tx *db.Tx) error {
			if _, err := tx.Exec(t.Context(), "LOCK TABLE room IN ACCESS EXCLUSIVE MODE"); err != nil {
				return err
			}
			close(taken)
			<-enough
			return nil
		})
	}()
	h.release = sync.OnceFunc(func() {
		close(enough)
		if err := <-done; err != nil {
			t.Errorf("hold the lock: %v", err)
		}
	})
	select {
	case <-taken:
	case err := <-done:
		t.Fatalf("take the lock: %v", err)
	}
	t.Cleanup(h.release)
	return h
}

// waiting says how many sessions wait for a lock.
func (h *heldRooms) waiting(t *testing.T) (n int) {
	t.Helper()
	err := h.other.Read(t.Context(), func(tx *db.Tx) error {
		return tx.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND state = 'active' AND wait_event_type = 'Lock'`).Scan(&n)
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// until waits until somebody waits for a lock, or nobody does.
func (h *heldRooms) until(t *testing.T, somebody bool) {
	t.Helper()
	deadline, look := time.After(time.Minute), time.NewTicker(50*time.Millisecond)
	defer look.Stop()
	for (h.waiting(t) > 0) != somebody {
		select {
		case <-look.C:
		case <-deadline:
			t.Fatalf("after a minute: %d sessions wait for a lock", h.waiting(t))
		}
	}
}

// A full disk refuses what has to be written, with a sentence; what is there can
// be read, and writing works again once there is space.
func TestAFullDiskStillLetsPeopleRead(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, dbtest.Config(t, db.SQLite), servertest.Options{})
	key := s.Key(s.Workspace("acme", "owner@acme.example"), api.Scopes()...)
	allow := func(pages int) {
		err := s.DB().Write(t.Context(), func(tx *db.Tx) error {
			_, err := tx.Exec(t.Context(), fmt.Sprintf("PRAGMA max_page_count = %d", pages))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	create := servertest.Request{
		Method: http.MethodPost, Path: "/api/v1/rooms", Bearer: key,
		Body: `{"name": "` + strings.Repeat("x", 80) + `"}`,
	}
	allow(1) // as many as there are
	a := s.Send(create)
	for range 1000 {
		if a.Status == http.StatusCreated {
			a = s.Send(create)
		}
	}
	wantUnavailable(t, a)
	if a := s.Send(servertest.Request{Method: http.MethodGet, Path: "/api/v1/rooms", Bearer: key}); a.Status != http.StatusOK {
		t.Errorf("listing rooms: %d %s", a.Status, a.Body)
	}
	allow(1 << 20)
	if a := s.Send(create); a.Status != http.StatusCreated {
		t.Errorf("making a room with space: %d %s", a.Status, a.Body)
	}
}

// A database that is full is not ready, even while it has room for a small change in
// a page that exists. It is ready again once there is space.
func TestReadyzNoticesAFullDatabase(t *testing.T) {
	t.Parallel()
	r := startAs(t, server.Options{Media: fake.New(time.Now)}, func(*config.Serve) {})
	r.token(t, r.room(t, nil), "Ada", "participant") // secrets that the log must not have
	write := func(statement string, args ...any) error {
		return r.service.DB().WriteLoosely(limited(t), func(tx *db.Tx) error {
			_, err := tx.Exec(limited(t), statement, args...)
			return err
		})
	}
	r.answersReady(t, http.StatusOK, `"database":"ok"`)
	if err := write("PRAGMA max_page_count = 1"); err != nil { // SQLite takes this for as many as there are
		t.Fatal(err)
	}
	var full error
	for i := 0; full == nil && i < 10_000; i++ {
		full = write("INSERT INTO published (name, value) VALUES ($1, $2)", fmt.Sprint("filling/", i), strings.Repeat("x", 80))
	}
	if !db.Unavailable(full) {
		t.Fatalf("filling the database ends with: %v", full)
	}
	if err := write("UPDATE published SET value = $1 WHERE name = 'filling/0'", strings.Repeat("y", 80)); err != nil {
		t.Fatalf("a small change in a full database: %v", err)
	}
	r.answersReady(t, http.StatusServiceUnavailable, `"database":"unavailable"`)
	r.answersReady(t, http.StatusServiceUnavailable, `"message":"The service cannot write to the database or to the data directory: it cannot be reached, or there is no space left."`)
	if !strings.Contains(r.book.String(), `level=WARN msg="not ready" part=database error="write to the database: database or disk is full`) {
		t.Error("the log does not say that the database is full")
	}
	if err := write("PRAGMA max_page_count = 1000000"); err != nil {
		t.Fatal(err)
	}
	r.answersReady(t, http.StatusOK, `"jobs":"ok","media":"ok"}}`) // and no message
}

// A balancer and a service manager learn that a service has started only when /readyz
// answers that it is ready.
func TestAServiceThatHasStartedIsReady(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		node := startAs(t, server.Options{Media: fake.New(time.Now)}, func(c *config.Serve) {
			c.DatabaseURL, c.Data.Data = where.URL, cmp.Or(where.Dir, c.Data.Data)
		})
		if answer := node.ask(t, "/readyz", ""); answer.StatusCode != http.StatusOK {
			said, _ := io.ReadAll(answer.Body)
			t.Errorf("/readyz: %d %s", answer.StatusCode, said)
		}
		node.token(t, node.room(t, nil), "Ada", "participant") // secrets that the log must not have
	})
}

func TestReadyzSaysThatTheServiceStops(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, dbtest.Config(t, db.SQLite), servertest.Options{})
	s.Drain()
	a := s.Send(servertest.Request{Method: http.MethodGet, Path: "/readyz"})
	if a.Status != http.StatusServiceUnavailable || !strings.Contains(string(a.Body), `"message":"The service is stopping."`) {
		t.Errorf("/readyz: %d %s", a.Status, a.Body)
	}
}

// What the probe of /readyz writes to notice a full database does not stay.
func TestReadyzLeavesNothingInTheDatabase(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		s := servertest.Start(t, where, servertest.Options{})
		s.Send(servertest.Request{Method: http.MethodGet, Path: "/readyz"})
		if n := s.Count("published WHERE name LIKE 'probe%'"); n != 1 {
			t.Errorf("there are %d rows of the probe, want the one of its small change", n)
		}
	})
}

// Where nothing can be written, the service is not ready.
func TestAServiceThatCannotWriteIsNotReady(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		s := servertest.Start(t, where, servertest.Options{})
		if err := os.MkdirAll(filepath.Join(where.Dir, ".probe", "in the way"), 0o700); err != nil {
			t.Fatal(err)
		}
		a := s.Send(servertest.Request{Method: http.MethodGet, Path: "/readyz"})
		if a.Status != http.StatusServiceUnavailable || !strings.Contains(string(a.Body), `"database":"unavailable"`) {
			t.Errorf("/readyz: %d %s", a.Status, a.Body)
		}
	})
}

func wantUnavailable(t *testing.T, a servertest.Answer) {
	t.Helper()
	if a.Status != http.StatusServiceUnavailable || a.Code() != api.CodeServiceUnavailable || a.Header.Get("Retry-After") == "" {
		t.Errorf("%d %s, Retry-After %q; want service_unavailable", a.Status, a.Body, a.Header.Get("Retry-After"))
	}
}
