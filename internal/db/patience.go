package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Background work asks without a time limit. If the database's machine is lost without
// a word, TCP notices after a quarter of an hour. So each step of such a transaction, its
// beginning, each statement, and its end, waits for an answer for a while, and then the
// connection counts as lost. The next try gets a new one: all connections that are not in
// use are closed, because they are probably lost as well.

// answerMargin is by how much an answer may be late: longer than a statement may take on
// PostgreSQL, which cancels it first when it only takes long.
const answerMargin = 5 * time.Second

// errNoAnswer is why a step ended that had no time limit of its own.
var errNoAnswer = fmt.Errorf("the database did not answer: %w", context.DeadlineExceeded)

// patienceFor is how long a step may take, by PostgreSQL's limit for a statement; zero:
// for ever, if there is no such limit, or none that is understood.
func patienceFor(statementTimeout string) time.Duration {
	within, err := time.ParseDuration(strings.Replace(statementTimeout, "min", "m", 1))
	if ms, notNumber := strconv.ParseInt(statementTimeout, 10, 64); notNumber == nil {
		within, err = time.Duration(ms)*time.Millisecond, nil
	}
	if err != nil || within <= 0 {
		return 0
	}
	return within + answerMargin
}

// during ends the context of a transaction if its step takes too long. The caller calls
// done at the end of the step.
func (d *DB) during(end context.CancelCauseFunc) (done func()) {
	if d.patience == 0 {
		return func() {}
	}
	timer := time.AfterFunc(d.patience, func() {
		end(errNoAnswer)
		d.closeUnused()
	})
	return func() { timer.Stop() }
}

// closeUnused closes the connections to PostgreSQL that wait in the pool. Only one call at
// a time does so: database/sql closes them from a list on which it puts other ones as soon
// as the limit is raised again, and would then leave some open for ever.
func (d *DB) closeUnused() {
	if !d.closing.TryLock() {
		return
	}
	defer d.closing.Unlock()
	d.write.SetMaxIdleConns(0)
	d.write.SetMaxIdleConns(d.connections)
}

// limited is the context of a statement: ctx, or one with a time limit if ctx has none.
func (t *Tx) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, isLimited := ctx.Deadline(); isLimited || t.db.patience == 0 {
		return ctx, func() {}
	}
	ctx, cancel := context.WithTimeout(ctx, t.db.patience)
	stop := context.AfterFunc(ctx, func() {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) { // and not because the caller has left
			t.db.closeUnused()
		}
	})
	return ctx, func() {
		stop()
		cancel()
	}
}

// Row is the result of QueryRow. Scan has to be called.
type Row struct {
	*sql.Row

	done func()
}

// Scan copies the columns; without a row it returns ErrNoRows.
func (r *Row) Scan(dest ...any) error {
	defer r.done()
	return r.Row.Scan(dest...) //nolint:wrapcheck // the calling store function wraps
}
