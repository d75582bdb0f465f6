package db

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// ErrOutcomeUnknown says that the connection broke while a transaction was
// being committed: the change may have been made or not.
var ErrOutcomeUnknown = errors.New("the database did not say whether the change was made")

// commitWithin is how long the database may take for a commit. Nothing else
// ends it, and a network that swallows everything must not hold up those who
// wait to write for as long as it takes TCP to notice.
const commitWithin = 30 * time.Second

// writeOnce runs a transaction. Whoever gives up before the commit leaves
// nothing. The commit itself cannot be called off: pgx would break the
// connection, the server might have committed all the same, and the caller
// would believe that nothing happened.
func (d *DB) writeOnce(ctx context.Context, isolation sql.IsolationLevel, fn func(tx *Tx) error) (*Tx, error) {
	opts := &sql.TxOptions{}
	if d.engine == PostgreSQL {
		opts.Isolation = isolation
	}
	// The context of the transaction, which is also that of its commit, ends with ctx until it is cut loose.
	whole, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	cutLoose := context.AfterFunc(ctx, end)
	defer cutLoose()
	stx, err := d.write.BeginTx(whole, opts)
	if err != nil {
		return nil, fmt.Errorf("begin to write: %w", cmp.Or(ctx.Err(), err))
	}
	defer func() { _ = stx.Rollback() }()
	tx := &Tx{tx: stx, engine: d.engine}
	if err := fn(tx); err != nil {
		return nil, err
	}
	if !cutLoose() {
		return nil, fmt.Errorf("commit: %w", ctx.Err())
	}
	defer time.AfterFunc(commitWithin, end).Stop()
	if err := stx.Commit(); err != nil {
		if d.engine == PostgreSQL && undecided(err) {
			err = fmt.Errorf("%w: %w", ErrOutcomeUnknown, err)
		}
		return nil, fmt.Errorf("commit: %w", err)
	}
	return tx, nil
}

// undecided says whether PostgreSQL may have committed although the commit
// failed. An ERROR of the server is its word that it did not; what it says
// while it ends the connection, or what the network says, is not. pgx's own
// SafeToRetry is of no use here: of a connection that broke while it waited for
// the answer it says the same as of one that was closed before.
func undecided(err error) bool {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pg.SeverityUnlocalized != "ERROR"
	}
	return !errors.Is(err, pgx.ErrTxCommitRollback)
}
