package db

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"net"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Unavailable reports whether an error means that the database cannot work at this
// moment: it cannot be reached, it stops, its disk is full, or it does not answer
// in time. The request changed nothing, and may succeed later. ErrOutcomeUnknown is
// not such an error, because a request that is repeated after it may be done twice.
func Unavailable(err error) bool {
	if errors.Is(err, ErrOutcomeUnknown) {
		return false
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return outOfOrder(pg.Code)
	}
	if lite, ok := errors.AsType[*sqlite.Error](err); ok {
		switch lite.Code() & 0xff {
		case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_NOMEM:
			return true
		}
		return false
	}
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return !errors.Is(err, context.Canceled) // the caller hung up while a connection was opened
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return true
	}
	for _, broken := range []error{driver.ErrBadConn, pgconn.ErrConnClosed, io.ErrUnexpectedEOF, io.EOF, net.ErrClosed, context.DeadlineExceeded} {
		if errors.Is(err, broken) {
			return true
		}
	}
	return false
}

// outOfOrder says whether a code of PostgreSQL means that the server cannot work,
// and not that a statement is wrong.
func outOfOrder(code string) bool {
	switch code {
	case "25006", // the server became a standby, which only reads
		"25P03",                   // a transaction was idle for too long (limits.go)
		"25P04",                   // a transaction took too long
		"55P03",                   // a lock was not granted in time
		"57014",                   // a statement was cancelled, or took too long
		"57P01", "57P02", "57P03", // it stops, has crashed, or starts
		"57P04", // the database was dropped, perhaps to restore it
		"57P05": // a connection was not used for too long
		return true
	}
	switch code[:min(2, len(code))] {
	case "08", // the connection
		"40", // conflicts with other transactions, after every retry
		"53", // no space, no memory, no connections left
		"58": // the operating system
		return true
	}
	return false
}
