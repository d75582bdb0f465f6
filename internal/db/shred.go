package db

import (
	"context"
	"errors"
	"fmt"
)

// errLogInUse is returned while somebody still reads from the write-ahead log.
var errLogInUse = errors.New("the write-ahead log is in use")

// Shred empties SQLite's write-ahead log into the database file. The log holds
// every page as it was after every commit; once it is empty, what was deleted
// or overwritten before is in no file of the database any more, because the
// file itself is kept with secure_delete. Writers wait a fifth of a second at
// most; when that is not enough, the caller tries again later.
//
// On PostgreSQL it does nothing: there the log belongs to the operator, who
// archives it or not.
func (d *DB) Shred(ctx context.Context) error {
	if d.engine == PostgreSQL {
		return nil
	}
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
