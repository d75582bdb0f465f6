package rest

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/rest/idempotency"
)

// overWire is a padServer in which creating a pad changes a PostgreSQL database,
// over a network that can hold back the answer to a commit.
func overWire(t *testing.T) (w *padServer, wire *dbtest.Wire, d *db.DB, pass func(time.Duration)) {
	t.Helper()
	wire, where := dbtest.NewWire(t)
	d = dbtest.Open(t, where)
	w, pass = clocked(t, keepIn(t, d))
	w.handler = func(ctx context.Context) error {
		if w.count() > 1 {
			return nil // the tests only count the changes
		}
		wire.HoldNextCommit()
		return d.Write(ctx, func(tx *db.Tx) error {
			_, err := tx.Exec(ctx, `INSERT INTO account (id, email, name, created_at) VALUES ('a', 'a', '', 0)`)
			return err
		})
	}
	return w, wire, d, pass
}

func TestACallerWhoGoesAwayDuringTheCommit(t *testing.T) {
	t.Parallel()
	w, wire, d, _ := overWire(t)
	ctx, cancel := context.WithCancel(t.Context())
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		send(ctx, t, w)
	}()
	<-wire.Held
	cancel()
	// After a round trip to the database, everything that watches the context
	// knows that it ended.
	if err := d.Ping(t.Context()); err != nil {
		t.Error(err)
	}
	wire.Deliver()
	<-answered
	if again := send(t.Context(), t, w); again.Get("Idempotency-Replayed") != "true" || w.count() != 1 {
		t.Errorf("the work was done %d times", w.count())
	}
}

func TestAnUnknownOutcomeIsNotRepeatedSoon(t *testing.T) {
	t.Parallel()
	w, wire, _, pass := overWire(t)
	answered := make(chan *http.Response)
	go func() { answered <- create(t, w, "k", `{"name": "one"}`) }()
	<-wire.Held
	wire.Cut()
	if first := <-answered; first.StatusCode != http.StatusInternalServerError {
		t.Errorf("the connection broke at the commit: %d", first.StatusCode)
	}
	pass(idempotency.Lease - time.Second)
	if e := refusalOf(t, create(t, w, "k", `{"name": "one"}`)); e.Code != api.CodeIdempotencyKeyInUse || w.count() != 1 {
		t.Errorf("within the lease: %s, the work was begun %d times", e.Code, w.count())
	}
	pass(time.Second)
	if res := create(t, w, "k", `{"name": "one"}`); res.StatusCode != http.StatusCreated || w.count() != 2 {
		t.Errorf("after the lease: %d, the work was begun %d times", res.StatusCode, w.count())
	}
}
