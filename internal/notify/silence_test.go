package notify

import (
	"context"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
)

// A network between the hub and PostgreSQL drops everything without closing the
// connection. The hub notices, connects again, and misses nothing.
func TestACutConnectionIsNoticed(t *testing.T) {
	t.Parallel()
	road, where := dbtest.NewRoad(t)
	d := dbtest.Open(t, road.Straight)
	hub := New(d, slog.New(slog.DiscardHandler))
	hub.url, hub.quiet = where.URL, 50*time.Millisecond
	run(t, hub)
	wake, cancel := hub.Subscribe("room/1")
	defer cancel()
	within(t, wake, "it listens for the first time")

	road.Cut()
	within(t, wake, "it listens on another connection")
	sender := New(d, slog.New(slog.DiscardHandler))
	run(t, sender)
	err := d.Write(t.Context(), func(tx *db.Tx) error { sender.Notify(tx, "room/1"); return nil })
	if err != nil {
		t.Fatal(err)
	}
	within(t, wake, "another node tells it")
}

// PostgreSQL is lost after a connection was made and before it answers to LISTEN. The
// hub does not wait for ever, and connects again.
func TestALostListenIsTriedAgain(t *testing.T) {
	t.Parallel()
	mute := dbtest.NewMute(t)
	hub := New(dbtest.Open(t, dbtest.Config(t, db.SQLite)), slog.New(slog.DiscardHandler))
	hub.url = mute.URL
	run(t, hub)
	limit := time.After(time.Minute)
	for tries := 0; tries < 2; {
		select {
		case statement := <-mute.Asked:
			if strings.HasPrefix(statement, "LISTEN") {
				tries++
			}
		case <-limit:
			t.Fatalf("it tried to listen %d times", tries)
		}
	}
}

// A hub that has nothing to tell looks after the connection on which it tells, too. Until
// it has another one, it takes what a new connection of another node says for its own:
// after a restart PostgreSQL may give its number again.
func TestAnIdleSenderNoticesALostConnection(t *testing.T) {
	t.Parallel()
	mute := dbtest.NewMute(t)
	hub := New(dbtest.Open(t, dbtest.Config(t, db.SQLite)), slog.New(slog.DiscardHandler))
	hub.url, hub.quiet = mute.URL, 50*time.Millisecond
	run(t, hub)
	limit := time.After(time.Minute)
	for tries := 0; tries < 2; {
		select {
		case statement := <-mute.Asked:
			if !strings.HasPrefix(statement, "LISTEN") { // the other connection gets no further
				tries++
			}
		case <-limit:
			t.Fatalf("%d connections were asked whether they are still there", tries)
		}
	}
}

// PostgreSQL restarts. The hub listens again, and has not noticed yet that its other
// connection is lost, whose number another node has now. That node still wakes it.
func TestAnotherNodeHasTheNumberOfALostSender(t *testing.T) {
	t.Parallel()
	d := dbtest.Open(t, dbtest.Config(t, db.PostgreSQL))
	here, there := New(d, slog.New(slog.DiscardHandler)), New(d, slog.New(slog.DiscardHandler))
	wake, cancel := here.Subscribe("room/1")
	defer cancel()
	notify := func(h *Hub) error {
		return d.Write(t.Context(), func(tx *db.Tx) error { h.Notify(tx, "room/1"); return nil })
	}
	run(t, there)
	run(t, here)
	within(t, wake, "it listens for the first time")
	if err := notify(there); err != nil {
		t.Fatal(err)
	}
	within(t, wake, "another node tells it")

	here.setSender(senderOf(there))
	err := d.Write(t.Context(), func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	within(t, wake, "it listens again")
	if err := notify(there); err != nil {
		t.Fatal(err)
	}
	within(t, wake, "the other node tells it")
}

// senderOf waits until a hub knows the number of the connection that has told the others.
func senderOf(h *Hub) uint32 {
	for {
		h.mu.Lock()
		sender := h.sender
		h.mu.Unlock()
		if sender != 0 {
			return sender
		}
		runtime.Gosched()
	}
}

func run(t *testing.T, h *Hub) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { h.Run(ctx) })
	t.Cleanup(func() { cancel(); running.Wait() })
}

func within(t *testing.T, wake <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-wake:
	case <-time.After(time.Minute):
		t.Fatalf("no wake-up when %s", what)
	}
}
