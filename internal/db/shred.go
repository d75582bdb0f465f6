package db

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// errLogInUse is returned while a reader still uses the write-ahead log.
var errLogInUse = errors.New("the write-ahead log is in use")

// Shred removes what was deleted or overwritten in a table from the files of
// the database too. If something blocks it, it gives up within moments so that
// nobody has to wait for it; the caller tries again later.
//
// It covers the files that the database uses now. It does not cover copies of them, nor
// the write-ahead log of PostgreSQL, which operators may archive.
func (d *DB) Shred(ctx context.Context, table string) error {
	if d.engine == PostgreSQL {
		return d.rewrite(ctx, table)
	}
	return d.emptyLog(ctx)
}

// emptyLog empties SQLite's write-ahead log into the database file. The log
// holds every page as it was after each commit. Once it is empty, what was
// deleted or overwritten before is in no file of the database, because the file
// itself uses secure_delete. Writers wait at most a fifth of a second.
func (d *DB) emptyLog(ctx context.Context) error {
	// A new connection, because the writer's own would wait for longer.
	pool, err := openPool(d.file, "_pragma=busy_timeout(200)&_pragma=secure_delete(1)")
	if err != nil {
		return fmt.Errorf("empty the write-ahead log: %w", err)
	}
	defer func() { _ = pool.Close() }()
	var busy, frames, moved int
	if err := pool.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &frames, &moved); err != nil {
		return fmt.Errorf("empty the write-ahead log: %w", err)
	}
	if busy != 0 {
		return errLogInUse
	}
	return nil
}

// rewrite lets PostgreSQL rewrite a table. Otherwise every old version of a row
// stays until its space happens to be needed. The table is locked meanwhile, so
// it must be small: what takes longer than a statement may is given up.
func (d *DB) rewrite(ctx context.Context, table string) error {
	if d.patience > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, d.patience)
		defer cancel()
	}
	config, err := pgx.ParseConfig(d.url)
	if err != nil {
		return fmt.Errorf("read the database URL: %w", err)
	}
	var report string
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { report += n.Detail }
	// Other users of the table wait for as long as this waits for its lock.
	config.RuntimeParams["lock_timeout"] = "200ms"
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return fmt.Errorf("connect to rewrite %s: %w", table, err)
	}
	defer closeSoon(ctx, conn)
	if _, err := conn.Exec(ctx, "VACUUM (FULL, VERBOSE) "+pgx.Identifier{table}.Sanitize()); err != nil {
		return fmt.Errorf("rewrite %s: %w", table, err)
	}
	return checkRewritten(table, report)
}

// checkRewritten reads PostgreSQL's report about a rewritten table: "2 dead row
// versions cannot be removed yet", in the server's language. A transaction that
// is older than their deletion can still see these rows. The report lacks such
// a line if the service may not rewrite the table, because it is not its owner.
func checkRewritten(table, report string) error {
	kept := strings.IndexFunc(report, unicode.IsDigit)
	if kept < 0 {
		return fmt.Errorf("PostgreSQL has not rewritten %s: does the service own the table?", table)
	}
	var n int
	if _, err := fmt.Sscan(report[kept:], &n); err != nil || n != 0 {
		return fmt.Errorf("old versions of rows stay in %s while a transaction that is older can see them: %q", table, report)
	}
	return nil
}
