package db

import (
	"context"
	"database/sql"
)

// Tx is a running transaction, or a single query outside of one (DB.ReadOne).
type Tx struct {
	tx          runner
	db          *DB
	afterCommit []func()
}

// runner runs statements: a transaction, or lone.
type runner interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// lone runs one query outside of a transaction.
type lone struct {
	pool *sql.DB
	used bool
}

func (l *lone) ExecContext(context.Context, string, ...any) (sql.Result, error) {
	panic("db: ReadOne is for reading")
}

func (l *lone) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	l.use()
	return l.pool.QueryContext(ctx, query, args...) //nolint:wrapcheck // Query hands it on
}

func (l *lone) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	l.use()
	return l.pool.QueryRowContext(ctx, query, args...)
}

// use refuses a second query, which might see another state than the first.
func (l *lone) use() {
	if l.used {
		panic("db: ReadOne is for one query; use Read")
	}
	l.used = true
}

// Engine says which database the transaction runs on.
func (t *Tx) Engine() Engine { return t.db.engine }

// Exec runs a statement and returns how many rows it affected.
func (t *Tx) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	t.db.asked(query)
	ctx, done := t.limited(ctx)
	defer done()
	res, err := t.tx.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, err //nolint:wrapcheck // the calling store function wraps
	}
	return res.RowsAffected() //nolint:wrapcheck // as above
}

// QueryRow runs a query that returns at most one row. Scan returns ErrNoRows
// without one.
func (t *Tx) QueryRow(ctx context.Context, query string, args ...any) *Row {
	t.db.asked(query)
	ctx, done := t.limited(ctx)
	return &Row{Row: t.tx.QueryRowContext(ctx, query, args...), done: done}
}

// Scanner is a row that can be scanned: the one of QueryRow, or one of Query.
type Scanner interface{ Scan(dest ...any) error }

// Query runs a query and reads each of its rows with scan.
func Query[T any](ctx context.Context, t *Tx, scan func(Scanner) (T, error), query string, args ...any) ([]T, error) {
	t.db.asked(query)
	ctx, done := t.limited(ctx)
	defer done()
	rows, err := t.tx.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err //nolint:wrapcheck // the calling store function wraps
	}
	defer func() { _ = rows.Close() }()
	var out []T
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, rows.Err() //nolint:wrapcheck // as above
}

// AfterCommit runs f once the transaction is committed, and never otherwise.
func (t *Tx) AfterCommit(f func()) { t.afterCommit = append(t.afterCommit, f) }
