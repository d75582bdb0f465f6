package db

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/conclave-rooms/conclave/internal/fault"
)

// Begun refuses a data directory in which nothing has made a database yet. Open
// would make one there, so a mistyped directory would look like an empty service.
// It says nothing about PostgreSQL, where somebody has made the database.
func (c Config) Begun() error {
	if c.URL != "" {
		return nil
	}
	if _, err := os.Stat(filepath.Join(c.Dir, sqliteName)); !errors.Is(err, fs.ErrNotExist) {
		return nil // Open says what else is wrong
	}
	return fault.BadParameter("data", fmt.Sprintf("%s holds no data of a service: there is no %s. Name the service's directory with --data.", c.Dir, sqliteName))
}

// answers refuses a database that cannot be used, in a sentence that says what to
// look at.
func (d *DB) answers(ctx context.Context) error {
	err := d.Ping(ctx)
	switch {
	case err == nil:
		return nil
	case d.engine == SQLite:
		return unreadable(d.file, err)
	}
	return fmt.Errorf("PostgreSQL does not answer: %w. Is it running, does --database-url name its address, account, password and database, and may this machine connect (pg_hba.conf)?", oneLineError{err})
}

// unreadable says what to do when the file of SQLite cannot be used.
func unreadable(file string, err error) error {
	return fmt.Errorf("%s cannot be read: %w. Run this as the account that owns the file, or restore a backup if the file is damaged", file, err)
}

// oneLineError is an error whose text has no line breaks: pgx writes every address that
// it tried on a line of its own.
type oneLineError struct{ error }

func (e oneLineError) Error() string { return strings.Join(strings.Fields(e.error.Error()), " ") }

func (e oneLineError) Unwrap() error { return e.error }
