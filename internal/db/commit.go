package db

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// ErrOutcomeUnknown says that the connection broke during a commit: the change
// may have been made or not.
var ErrOutcomeUnknown = errors.New("the database did not say whether the change was made")

// commitWithin is how long the database may take for a commit. Nothing else
// ends a commit, and with a network that loses all packets other writers must
// not wait as long as TCP needs to notice.
const commitWithin = 30 * time.Second

// writeOnce runs a transaction. If ctx ends before the commit, nothing is
// changed. The commit itself is not cancelled with ctx: pgx would break the
// connection, the server might have committed nevertheless, and the caller
// would believe that nothing happened.
func (d *DB) writeOnce(ctx context.Context, isolation sql.IsolationLevel, fn func(tx *Tx) error) (*Tx, error) {
	opts := &sql.TxOptions{}
	if d.engine == PostgreSQL {
		opts.Isolation = isolation
	}
	// The context of the transaction and of its commit ends with ctx until the
	// commit begins.
	whole, end := context.WithCancelCause(context.WithoutCancel(ctx))
	defer end(nil)
	cutLoose := context.AfterFunc(ctx, func() { end(ctx.Err()) })
	defer cutLoose()
	stx, err := d.begin(whole, end, d.write, opts)
	if err != nil {
		return nil, fmt.Errorf("begin to write: %w", cmp.Or(ctx.Err(), err))
	}
	defer d.rollback(end, stx)
	tx := d.transaction(stx)
	if err := fn(tx); err != nil {
		return nil, err
	}
	if !cutLoose() {
		return nil, fmt.Errorf("commit: %w", ctx.Err())
	}
	defer time.AfterFunc(commitWithin, func() { end(errNoAnswer) }).Stop()
	if err := stx.Commit(); err != nil {
		if d.engine == PostgreSQL && undecided(err) {
			err = fmt.Errorf("%w: %w", ErrOutcomeUnknown, err)
		}
		return nil, fmt.Errorf("commit: %w", err)
	}
	return tx, nil
}

// mostStale is how many stale connections are passed over for one transaction. In
// the moment in which a database is lost, all of a pool may be stale.
const mostStale = 10

// transaction is what runs statements on d.
func (d *DB) transaction(on runner) *Tx {
	return &Tx{tx: on, db: d}
}

// begin begins a transaction in ctx, which end ends.
func (d *DB) begin(ctx context.Context, end context.CancelCauseFunc, pool *sql.DB, opts *sql.TxOptions) (*sql.Tx, error) {
	defer d.during(end)()
	stx, err := begin(ctx, pool, opts)
	if err != nil && errors.Is(context.Cause(ctx), errNoAnswer) {
		err = errNoAnswer
	}
	return stx, err
}

// rollback ends a transaction that was not committed.
func (d *DB) rollback(end context.CancelCauseFunc, stx *sql.Tx) {
	defer d.during(end)()
	_ = stx.Rollback() // nothing is left to be done; after a commit it does nothing
}

// begin begins a transaction. A connection of the pool may be stale, because its
// server has ended since it was used; then it takes another one, or a new one.
func begin(ctx context.Context, pool *sql.DB, opts *sql.TxOptions) (*sql.Tx, error) {
	for stale := 0; ; stale++ {
		stx, err := pool.BeginTx(ctx, opts)
		if stale == mostStale || !isStale(err) {
			return stx, err //nolint:wrapcheck // the callers say whether it was to read or to write
		}
	}
}

// isStale says whether a connection was lost that had been made before. If a new one
// cannot be made (ConnectError), the database is not there.
func isStale(err error) bool {
	if _, isNew := errors.AsType[*pgconn.ConnectError](err); isNew {
		return false
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pg.Code == "57P01" || pg.Code == "57P02" // the server stops, or has crashed
	}
	for _, lost := range []error{pgconn.ErrConnClosed, io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, syscall.ECONNRESET, syscall.EPIPE} {
		if errors.Is(err, lost) {
			return true
		}
	}
	return false
}

// undecided says whether PostgreSQL may have committed although the commit
// failed. An ERROR of the server means that it did not; a message that ends the
// connection, or a network error, does not say. pgx's own SafeToRetry does not
// help: it does not distinguish a connection that broke while waiting for the
// answer from one that was closed before.
func undecided(err error) bool {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pg.SeverityUnlocalized != "ERROR"
	}
	return !errors.Is(err, pgx.ErrTxCommitRollback)
}
