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

// errLogInUse is returned while somebody still reads from the write-ahead log.
var errLogInUse = errors.New("the write-ahead log is in use")

// Shred makes what was deleted from a table, or overwritten in it, disappear
// from the files of the database as well. When somebody is in the way it gives
// up within moments, so that nobody waits for it; the caller tries again later.
//
// It reaches the files that the database keeps now, and neither copies of them
// nor the write-ahead log of PostgreSQL, which belongs to the operator, who
// archives it or not.
func (d *DB) Shred(ctx context.Context, table string) error {
	if d.engine == PostgreSQL {
		return d.rewrite(ctx, table)
	}
	return d.emptyLog(ctx)
}

// emptyLog empties SQLite's write-ahead log into the database file. The log
// holds every page as it was after every commit; once it is empty, what was
// deleted or overwritten before is in no file of the database any more, because
// the file itself is kept with secure_delete. Writers wait a fifth of a second
// at most.
func (d *DB) emptyLog(ctx context.Context) error {
	// A connection of its own, because the writer's waits for longer.
	pool, err := openPool("file:" + d.file + "?_pragma=busy_timeout(200)&_pragma=secure_delete(1)")
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

// rewrite lets PostgreSQL write a table anew, which otherwise keeps every old
// version of a row until it happens to need the place. Nobody reads or writes
// the table meanwhile, so it has to be a small one.
func (d *DB) rewrite(ctx context.Context, table string) error {
	config, err := pgx.ParseConfig(d.url)
	if err != nil {
		return fmt.Errorf("read the database URL: %w", err)
	}
	var report string
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { report += n.Detail }
	// Whoever asks for the table meanwhile waits for as long as this does.
	config.RuntimeParams["lock_timeout"] = "200ms"
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return fmt.Errorf("connect to write %s anew: %w", table, err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if _, err := conn.Exec(ctx, "VACUUM (FULL, VERBOSE) "+pgx.Identifier{table}.Sanitize()); err != nil {
		return fmt.Errorf("write %s anew: %w", table, err)
	}
	return checkRewritten(table, report)
}

// checkRewritten reads what PostgreSQL says of having written a table anew: "2
// dead row versions cannot be removed yet", in the server's language. They are
// those that a transaction can see which is older than what destroyed them.
// Nothing is said where the service may not do it, because it does not own the
// table.
func checkRewritten(table, report string) error {
	kept := strings.IndexFunc(report, unicode.IsDigit)
	if kept < 0 {
		return fmt.Errorf("PostgreSQL has not written %s anew: does the service own the table?", table)
	}
	var n int
	if _, err := fmt.Sscan(report[kept:], &n); err != nil || n != 0 {
		return fmt.Errorf("old versions of rows stay in %s while a transaction that is older can see them: %q", table, report)
	}
	return nil
}
