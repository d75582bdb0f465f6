package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// shortLived makes connections of which the first ones are closed when they are used.
type shortLived struct {
	driver.Connector

	closed, made int
}

func (s *shortLived) Connect(context.Context) (driver.Conn, error) {
	s.made++
	return &shortLivedConn{isClosed: s.made <= s.closed}, nil
}

// shortLivedConn can begin a transaction, and nothing else.
type shortLivedConn struct {
	driver.Conn

	isClosed bool
}

func (c *shortLivedConn) Close() error { return nil }

func (c *shortLivedConn) IsValid() bool { return !c.isClosed }

func (c *shortLivedConn) BeginTx(context.Context, driver.TxOptions) (driver.Tx, error) {
	if c.isClosed {
		return nil, fmt.Errorf("begin: %w", pgconn.ErrConnClosed)
	}
	return begun{}, nil
}

type begun struct{}

func (begun) Commit() error   { return nil }
func (begun) Rollback() error { return nil }

func TestATransactionPassesOverClosedConnections(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		closed int
		works  bool
	}{{0, true}, {1, true}, {mostClosed, true}, {mostClosed + 1, false}} {
		pool := sql.OpenDB(&shortLived{closed: c.closed})
		stx, err := begin(t.Context(), pool, &sql.TxOptions{})
		if (err == nil) != c.works {
			t.Errorf("with %d closed connections: %v", c.closed, err)
		}
		if err == nil {
			_ = stx.Rollback()
		} else if !errors.Is(err, pgconn.ErrConnClosed) || !Unavailable(err) {
			t.Errorf("with %d closed connections: %v, which has to say that the database is not available", c.closed, err)
		}
		_ = pool.Close()
	}
}
