package db

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"golang.org/x/sync/semaphore"
)

// A write that has to wait for others waits no longer than its caller.
func TestAWriteWaitsForOthersAsLongAsItsCaller(t *testing.T) {
	t.Parallel()
	d := &DB{engine: PostgreSQL, running: semaphore.NewWeighted(allWrites)}
	if err := d.running.Acquire(t.Context(), 1); err != nil { // another write
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := d.try(ctx, sql.LevelSerializable, func(*Tx) error { return errors.New("it ran") }, true)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
}

func TestPatienceIsLongerThanAStatementMayTake(t *testing.T) {
	t.Parallel()
	for limit, want := range map[string]time.Duration{
		"25000": 30 * time.Second, "60s": 65 * time.Second, "2min": 125 * time.Second, "500ms": 5500 * time.Millisecond,
		"0": 0, "0s": 0, "a day": 0,
	} {
		if got := patienceFor(limit); got != want {
			t.Errorf("with a limit of %q a step may take %v, want %v", limit, got, want)
		}
	}
}
