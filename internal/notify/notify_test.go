package notify_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/notify"
)

// A second node is a second hub on the same database.
func TestACommitWakesSubscribersOnEveryNode(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		log := slog.New(slog.DiscardHandler)
		here := notify.New(d, log)
		nodes := []*notify.Hub{here}
		if d.Engine() == db.PostgreSQL {
			nodes = append(nodes, notify.New(d, log))
		}
		var wakes []<-chan struct{}
		for _, h := range nodes {
			wake, cancel := h.Subscribe("room/1")
			t.Cleanup(cancel)
			run, stop := context.WithCancel(context.Background())
			done := make(chan struct{})
			go func() { defer close(done); h.Run(run) }()
			t.Cleanup(func() { stop(); <-done })
			if d.Engine() == db.PostgreSQL {
				await(t, wake) // connecting wakes everybody; from here on nothing is missed
			}
			wakes = append(wakes, wake)
		}
		other, cancel := here.Subscribe("room/2")
		defer cancel()

		refused := errors.New("refused")
		if err := d.Write(ctx, func(tx *db.Tx) error {
			here.Notify(tx, "room/2")
			return refused
		}); !errors.Is(err, refused) {
			t.Fatal(err)
		}
		change(t, d, here, "room/1")
		for _, wake := range wakes {
			await(t, wake)
		}
		select {
		case <-other:
			t.Error("a transaction that was rolled back woke somebody")
		default:
		}
	})
}

// change commits a change of a topic.
func change(t *testing.T, d *db.DB, h *notify.Hub, topic string) {
	t.Helper()
	err := d.Write(t.Context(), func(tx *db.Tx) error {
		h.Notify(tx, topic)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// listening runs a hub, and returns the wake-ups of a topic once nothing is
// missed any more.
func listening(t *testing.T, h *notify.Hub, topic string) <-chan struct{} {
	t.Helper()
	wake, cancel := h.Subscribe(topic)
	t.Cleanup(cancel)
	run, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); h.Run(run) }()
	t.Cleanup(func() { stop(); <-done })
	await(t, wake)
	return wake
}

// The other nodes are told although the connection that tells them was lost.
func TestALostConnectionLosesNoWakeUp(t *testing.T) {
	t.Parallel()
	d := dbtest.Open(t, dbtest.Config(t, db.PostgreSQL))
	log := slog.New(slog.DiscardHandler)
	here, there := notify.New(d, log), notify.New(d, log)
	listening(t, here, "room/1")
	wake := listening(t, there, "room/1")
	change(t, d, here, "room/1")
	await(t, wake)
	err := d.Write(t.Context(), func(tx *db.Tx) error {
		n, err := tx.Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_notify%' AND pid <> pg_backend_pid() AND datname = current_database()`)
		if err == nil && n == 0 {
			err = errors.New("no connection has told the other nodes")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	change(t, d, here, "room/1")
	await(t, wake)
}

// A command that does not run its hub tells the service before it ends.
func TestFlush(t *testing.T) {
	t.Parallel()
	d := dbtest.Open(t, dbtest.Config(t, db.PostgreSQL))
	log := slog.New(slog.DiscardHandler)
	wake := listening(t, notify.New(d, log), "room/1")
	command := notify.New(d, log)
	change(t, d, command, "room/1")
	select {
	case <-wake:
		t.Fatal("the service was woken before the command woke it")
	default:
	}
	if err := command.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	await(t, wake)
}

func await(t *testing.T, wake <-chan struct{}) {
	t.Helper()
	select {
	case <-wake:
	case <-time.After(10 * time.Second):
		t.Fatal("nobody was woken")
	}
}

// A hub whose work ends tells the others what changed a moment ago, also when that is
// being gathered, or when the connection for it was lost.
func TestTheEndOfAHubLosesNoWakeUp(t *testing.T) {
	t.Parallel()
	d := dbtest.Open(t, dbtest.Config(t, db.PostgreSQL))
	log := slog.New(slog.DiscardHandler)
	wake := listening(t, notify.New(d, log), "room/1")
	for range 5 {
		for _, connected := range []bool{true, false} {
			ending := notify.New(d, log)
			reached, cancel := ending.Subscribe("any")
			t.Cleanup(cancel)
			ctx, stop := context.WithCancel(t.Context())
			var running sync.WaitGroup
			if connected {
				running.Go(func() { ending.Run(ctx) })
				await(t, reached)
			}
			change(t, d, ending, "room/1")
			stop()
			if !connected {
				running.Go(func() { ending.Run(ctx) })
			}
			running.Wait()
			await(t, wake)
		}
	}
}
