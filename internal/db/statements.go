package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"

	"modernc.org/sqlite"
)

// SQLite compiles every statement before it runs it, which for the short
// queries of a service is half of their cost. A connection therefore keeps
// what it has compiled. pgx does the same on PostgreSQL by itself.
//
// The standard library's own prepared statements do not help: making one takes
// a connection from the pool, and the one writer is in a transaction already.

// maxStatements bounds what a connection keeps. The service has fewer queries
// than that; more of them can only come from IN lists of many lengths.
const maxStatements = 256

// openPool opens a pool of SQLite connections that keep their statements.
func openPool(dsn string) (*sql.DB, error) {
	c, err := sqlite.NewConnector(dsn)
	if err != nil {
		return nil, err //nolint:wrapcheck // the caller names the file
	}
	return sql.OpenDB(keeper{c}), nil
}

// keeper makes the connections.
type keeper struct{ driver.Connector }

// Connect makes one.
func (k keeper) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := k.Connector.Connect(ctx)
	if err != nil {
		return nil, err //nolint:wrapcheck // database/sql hands it on
	}
	inner, ok := c.(driverConn)
	if !ok {
		return nil, errors.Join(errors.New("the SQLite driver lacks something that database/sql asks for"), c.Close())
	}
	return &keepingConn{driverConn: inner, kept: map[string]*statement{}}, nil
}

// driverConn is all that database/sql may ask of a connection. It never asks
// two things of one at the same time.
type driverConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

type keepingConn struct {
	driverConn

	kept map[string]*statement
}

// statement is a compiled statement. While rows of it are being read it cannot
// run again.
type statement struct {
	driver.StmtExecContext
	driver.StmtQueryContext

	close func() error
	busy  bool
}

// statement finds or compiles a statement; nil when this one cannot be kept,
// or is being read from.
func (c *keepingConn) statement(ctx context.Context, query string) (*statement, error) {
	if st := c.kept[query]; st != nil {
		if st.busy {
			return nil, nil //nolint:nilnil // the caller then does without
		}
		return st, nil
	}
	if len(c.kept) == maxStatements {
		return nil, nil //nolint:nilnil // as above
	}
	compiled, err := c.PrepareContext(ctx, query)
	if err != nil {
		return nil, err //nolint:wrapcheck // database/sql hands it on
	}
	exec, execs := compiled.(driver.StmtExecContext)
	read, reads := compiled.(driver.StmtQueryContext)
	if !execs || !reads {
		return nil, compiled.Close() //nolint:wrapcheck // as above
	}
	st := &statement{StmtExecContext: exec, StmtQueryContext: read, close: compiled.Close}
	c.kept[query] = st
	return st, nil
}

// ExecContext runs a statement that gives no rows.
func (c *keepingConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	st, err := c.statement(ctx, query)
	if err != nil {
		return nil, err
	}
	if st == nil {
		return c.driverConn.ExecContext(ctx, query, args) //nolint:wrapcheck // database/sql hands it on
	}
	return st.ExecContext(ctx, args) //nolint:wrapcheck // as above
}

// QueryContext runs a statement that gives rows.
func (c *keepingConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	st, err := c.statement(ctx, query)
	if err != nil {
		return nil, err
	}
	if st == nil {
		return c.driverConn.QueryContext(ctx, query, args) //nolint:wrapcheck // database/sql hands it on
	}
	found, err := st.QueryContext(ctx, args)
	if err != nil {
		return nil, err //nolint:wrapcheck // as above
	}
	st.busy = true
	return &keptRows{Rows: found, of: st}, nil
}

// Close closes the connection and what it has compiled.
func (c *keepingConn) Close() error {
	var failed []error
	for _, st := range c.kept {
		failed = append(failed, st.close())
	}
	return errors.Join(append(failed, c.driverConn.Close())...)
}

// keptRows are rows of a statement that is kept.
type keptRows struct {
	driver.Rows

	of *statement
}

// Close makes the statement ready to run again.
func (r *keptRows) Close() error {
	r.of.busy = false
	return r.Rows.Close() //nolint:wrapcheck // database/sql hands it on
}
