package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// shortLived makes connections of which the first ones are lost when they are used.
type shortLived struct {
	driver.Connector

	lost        error // what they then say
	stale, made int
}

func (s *shortLived) Connect(context.Context) (driver.Conn, error) {
	s.made++
	if s.made > s.stale {
		return &shortLivedConn{}, nil
	}
	return &shortLivedConn{lost: s.lost}, nil
}

// shortLivedConn can begin a transaction, and nothing else.
type shortLivedConn struct {
	driver.Conn

	lost error
}

func (c *shortLivedConn) Close() error { return nil }

func (c *shortLivedConn) IsValid() bool { return c.lost == nil }

func (c *shortLivedConn) BeginTx(context.Context, driver.TxOptions) (driver.Tx, error) {
	if c.lost != nil {
		return nil, fmt.Errorf("begin: %w", c.lost)
	}
	return begun{}, nil
}

type begun struct{}

func (begun) Commit() error   { return nil }
func (begun) Rollback() error { return nil }

func TestATransactionPassesOverStaleConnections(t *testing.T) {
	t.Parallel()
	refused := &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
	for _, c := range []struct {
		lost  error
		stale int
		works bool
	}{
		{nil, 0, true},
		{pgconn.ErrConnClosed, 1, true},
		{io.ErrUnexpectedEOF, mostStale, true},
		{&net.OpError{Op: "write", Err: syscall.EPIPE}, 2, true},
		{&pgconn.PgError{Code: "57P01"}, 2, true},
		{pgconn.ErrConnClosed, mostStale + 1, false},
		{refused, 1, false},                        // nothing is there
		{&pgconn.PgError{Code: "53300"}, 1, false}, // it has no connections left
		{context.DeadlineExceeded, 1, false},       // it does not answer
	} {
		pool := sql.OpenDB(&shortLived{lost: c.lost, stale: c.stale})
		stx, err := begin(t.Context(), pool, &sql.TxOptions{})
		if (err == nil) != c.works {
			t.Errorf("with %d connections that say %v: %v", c.stale, c.lost, err)
		}
		if err == nil {
			_ = stx.Rollback()
		} else if !errors.Is(err, c.lost) || !Unavailable(err) {
			t.Errorf("with %d connections that say %v: %v, which has to say that the database is not available", c.stale, c.lost, err)
		}
		_ = pool.Close()
	}
}
