package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"strings"

	"modernc.org/sqlite"
)

// SQLite compiles every statement before it runs it, which takes half the time
// of the service's short queries. So each connection keeps its compiled
// statements. pgx does the same for PostgreSQL.
//
// The standard library's prepared statements do not help: making one takes a
// connection from the pool, and the one writer is already in a transaction.

// maxStatements bounds what a connection keeps. The service has fewer queries;
// more can only come from IN lists of many lengths.
const maxStatements = 256

// openPool opens a pool of SQLite connections that keep their statements.
func openPool(file, parameters string) (*sql.DB, error) {
	// In the address of a file these characters have a meaning, unlike in its name.
	path := strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(file)
	c, err := sqlite.NewConnector("file:" + path + "?" + parameters)
	if err != nil {
		return nil, err //nolint:wrapcheck // the caller names the file
	}
	return sql.OpenDB(keeper{c}), nil
}

// keeper makes connections that keep their statements.
type keeper struct{ driver.Connector }

// Connect makes one.
func (k keeper) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := k.Connector.Connect(ctx)
	if err != nil {
		return nil, err //nolint:wrapcheck // database/sql wraps
	}
	inner, ok := c.(driverConn)
	if !ok {
		return nil, errors.Join(errors.New("the SQLite driver lacks an interface that database/sql uses"), c.Close())
	}
	return &keepingConn{driverConn: inner, kept: map[string]*statement{}}, nil
}

// driverConn is everything that database/sql may use of a connection. It never
// makes two calls at the same time.
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

// statement is a compiled statement. It cannot run again while its rows are
// being read.
type statement struct {
	driver.StmtExecContext
	driver.StmtQueryContext

	close func() error
	busy  bool
}

// statement finds or compiles a statement; it returns nil when the statement
// cannot be kept, or is being read from.
func (c *keepingConn) statement(ctx context.Context, query string) (*statement, error) {
	if st := c.kept[query]; st != nil {
		if st.busy {
			return nil, nil //nolint:nilnil // the caller then runs it uncompiled
		}
		return st, nil
	}
	if len(c.kept) == maxStatements {
		return nil, nil //nolint:nilnil // as above
	}
	compiled, err := c.PrepareContext(ctx, query)
	if err != nil {
		return nil, err //nolint:wrapcheck // database/sql wraps
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
		return c.driverConn.ExecContext(ctx, query, args) //nolint:wrapcheck // database/sql wraps
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
		return c.driverConn.QueryContext(ctx, query, args) //nolint:wrapcheck // database/sql wraps
	}
	found, err := st.QueryContext(ctx, args)
	if err != nil {
		return nil, err //nolint:wrapcheck // as above
	}
	st.busy = true
	return &keptRows{Rows: found, of: st}, nil
}

// Close closes the connection and its compiled statements.
func (c *keepingConn) Close() error {
	var failed []error
	for _, st := range c.kept {
		failed = append(failed, st.close())
	}
	return errors.Join(append(failed, c.driverConn.Close())...)
}

// keptRows are the rows of a kept statement.
type keptRows struct {
	driver.Rows

	of *statement
}

// Close makes the statement ready to run again.
func (r *keptRows) Close() error {
	r.of.busy = false
	return r.Rows.Close() //nolint:wrapcheck // database/sql hands it on
}
