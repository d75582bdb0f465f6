package notify_test

import (
	"context"
	"errors"
	"log/slog"
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
			if err := here.Notify(ctx, tx, "room/2"); err != nil {
				return err
			}
			return refused
		}); !errors.Is(err, refused) {
			t.Fatal(err)
		}
		if err := d.Write(ctx, func(tx *db.Tx) error { return here.Notify(ctx, tx, "room/1") }); err != nil {
			t.Fatal(err)
		}
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

func await(t *testing.T, wake <-chan struct{}) {
	t.Helper()
	select {
	case <-wake:
	case <-time.After(10 * time.Second):
		t.Fatal("nobody was woken")
	}
}
