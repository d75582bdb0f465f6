package db

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"golang.org/x/sync/semaphore"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/conclave-rooms/conclave/internal/disk"
)

// ErrNoRows is what Scan returns when a query found nothing.
var ErrNoRows = sql.ErrNoRows

// Engine names a kind of database.
type Engine string

// The engines.
const (
	SQLite     Engine = "sqlite"
	PostgreSQL Engine = "postgres"
)

// Config says where the database is: URL for PostgreSQL, otherwise a SQLite
// file in Dir.
type Config struct {
	URL    string
	Dir    string
	Logger *slog.Logger
	// Asked, if it is not nil, gets the text of every statement before it runs.
	// Tests collect the statements to check how the database executes them.
	Asked func(query string)
	// Observe, if it is not nil, is called after every transaction.
	Observe func(Transaction)
	// Wall is this machine's clock; nil is the real one. Tests set it wrong.
	Wall func() time.Time
	// Connections is how many connections to PostgreSQL may be open for
	// transactions; zero: DefaultConnections.
	Connections int
}

// DefaultConnections is how many connections to PostgreSQL one process uses for
// transactions, unless Config says otherwise.
const DefaultConnections = 20

// DB is an open, migrated database.
type DB struct {
	engine Engine
	url    string
	file   string // of SQLite
	write  *sql.DB
	read   *sql.DB
	log    *slog.Logger
	asked  func(query string)
	clock  *clock

	observe func(Transaction)

	connections int                 // to PostgreSQL, see Config
	patience    time.Duration       // how long a step without a time limit may take; zero: for ever
	closing     sync.Mutex          // held while unused connections are closed
	running     *semaphore.Weighted // every write has a part of it; a write that runs alone has all
}

// allWrites is all of running.
const allWrites = 1 << 30

// Open opens the database and brings its schema up to date.
func Open(ctx context.Context, c Config) (*DB, error) {
	d := &DB{engine: SQLite, url: c.URL, log: c.Logger, asked: c.Asked, observe: c.Observe, running: semaphore.NewWeighted(allWrites)}
	if d.asked == nil {
		d.asked = func(string) {}
	}
	if d.observe == nil {
		d.observe = func(Transaction) {}
	}
	var err error
	if c.URL != "" {
		d.engine = PostgreSQL
		d.connections = cmp.Or(c.Connections, DefaultConnections)
		err = d.openPostgres(c.URL)
	} else {
		err = d.openSQLite(c.Dir)
	}
	if err != nil {
		return nil, err
	}
	if err := d.answers(ctx); err != nil {
		d.Close()
		return nil, err
	}
	if err := d.migrate(ctx); err != nil {
		d.Close()
		return nil, fmt.Errorf("bring the database's schema up to date: %w", err)
	}
	if err := d.setClock(ctx, c.Wall); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// openSQLite opens one writing connection and a pool of reading ones. WAL lets
// readers continue during a write; synchronous=FULL makes every commit reach
// the disk, because events must survive a power cut.
func (d *DB) openSQLite(dir string) error {
	if err := disk.MakeDir(dir); err != nil {
		return fmt.Errorf("make the data directory (--data): %w", err)
	}
	file := filepath.Join(dir, sqliteName)
	// The write-ahead log gets the file's mode, so that no other user of the
	// machine can read either, even in a directory that they may enter.
	if f, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o600); err != nil { //nolint:gosec // the path is configuration
		return unreadable(file, err)
	} else if err := f.Close(); err != nil {
		return fmt.Errorf("open %s: %w", file, err)
	}
	// temp_store 2 is memory: a large change needs a journal of its statement, and there
	// may be no directory for temporary files, as in a container.
	pragmas := "_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)&_pragma=temp_store(2)"
	// secure_delete overwrites what is deleted: a destroyed ballot or a used
	// ticket is no longer in the file (see Shred for the log).
	write, err := openPool(file, pragmas+"&_pragma=secure_delete(1)&_txlock=immediate")
	if err != nil {
		return fmt.Errorf("open %s: %w", file, err)
	}
	write.SetMaxOpenConns(1)
	read, err := openPool(file, pragmas+"&_pragma=query_only(1)")
	if err != nil {
		return fmt.Errorf("open %s: %w", file, err)
	}
	read.SetMaxOpenConns(8)
	read.SetMaxIdleConns(8)
	// A connection reads the statistics of optimize when it opens.
	read.SetConnMaxLifetime(optimizeEvery)
	d.write, d.read, d.file = write, read, file
	return nil
}

func (d *DB) openPostgres(url string) error {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return fmt.Errorf("read the database URL: %w", err)
	}
	limit(config)
	d.patience = patienceFor(config.RuntimeParams["statement_timeout"])
	pool := stdlib.OpenDB(*config)
	pool.SetMaxOpenConns(d.connections)
	pool.SetMaxIdleConns(d.connections)
	pool.SetConnMaxIdleTime(5 * time.Minute)
	d.write, d.read = pool, pool
	return nil
}

// Engine says which database this is.
func (d *DB) Engine() Engine { return d.engine }

// URL is the PostgreSQL URL; empty on SQLite.
func (d *DB) URL() string { return d.url }

// Close closes every connection.
func (d *DB) Close() {
	_ = d.write.Close()
	if d.read != d.write {
		_ = d.read.Close()
	}
}

// Ping says whether the database answers.
func (d *DB) Ping(ctx context.Context) error {
	ctx, done := d.transaction(nil).limited(ctx)
	defer done()
	var one int
	if err := d.read.QueryRowContext(ctx, "SELECT 1").Scan(&one); err != nil {
		return fmt.Errorf("ask the database: %w", err)
	}
	return nil
}

// Read runs fn on one consistent snapshot. fn must not write.
func (d *DB) Read(ctx context.Context, fn func(tx *Tx) error) error {
	return d.observed(ctx, false, func(ctx context.Context) (int, error) { return 1, d.readOnce(ctx, fn) })
}

func (d *DB) readOnce(ctx context.Context, fn func(tx *Tx) error) error {
	whole, end := context.WithCancelCause(ctx)
	defer end(nil)
	opts := &sql.TxOptions{}
	if d.engine == PostgreSQL {
		opts = &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}
	}
	stx, err := d.begin(whole, end, d.read, opts)
	if err != nil {
		return fmt.Errorf("begin to read: %w", err)
	}
	defer d.rollback(end, stx)
	return fn(d.transaction(stx))
}

// ReadOne runs fn, which may send one query, without a transaction around it. One
// query sees one consistent state anyway, and on PostgreSQL the beginning and the
// end of a transaction are two more round trips.
func (d *DB) ReadOne(ctx context.Context, fn func(tx *Tx) error) error {
	return d.observed(ctx, false, func(context.Context) (int, error) {
		return 1, fn(d.transaction(&lone{pool: d.read}))
	})
}

// attempts bounds how often a write is tried on PostgreSQL, and sharedAttempts how
// many of these tries run beside other writes. When many writes change one row
// (a whole company enters a room at once), some would otherwise lose every
// time. A write that runs alone only competes with other nodes.
const (
	attempts       = 12
	sharedAttempts = 3
)

// Write runs fn in a serializable transaction and commits it. It may run fn
// several times; only the last run counts.
func (d *DB) Write(ctx context.Context, fn func(tx *Tx) error) error {
	return d.observed(ctx, true, func(ctx context.Context) (int, error) { return d.repeat(ctx, sql.LevelSerializable, fn) })
}

// WriteLoosely runs fn in a transaction in which each statement must be correct
// by itself. On PostgreSQL, data that one statement read may have changed
// before the next one, so a statement that writes has to check its conditions
// itself. In exchange it never makes a serializable transaction run again. It
// is for the job queue, to which every writer adds rows and from which every
// node takes them.
func (d *DB) WriteLoosely(ctx context.Context, fn func(tx *Tx) error) error {
	return d.observed(ctx, true, func(ctx context.Context) (int, error) { return d.repeat(ctx, sql.LevelReadCommitted, fn) })
}

// repeat runs a transaction until it is committed or fails for good, and says how
// often it ran.
func (d *DB) repeat(ctx context.Context, isolation sql.IsolationLevel, fn func(tx *Tx) error) (tries int, err error) {
	for attempt := 1; ; attempt++ {
		tx, err := d.try(ctx, isolation, fn, attempt > sharedAttempts)
		if err == nil {
			for _, f := range tx.afterCommit {
				f()
			}
			return attempt, nil
		}
		if attempt == attempts || !retryable(err) {
			return attempt, err
		}
		pause := time.Duration(1<<max(attempt-sharedAttempts, 0)) * time.Millisecond
		select {
		case <-ctx.Done():
			return attempt, fmt.Errorf("wait to repeat a transaction: %w", ctx.Err())
		case <-time.After(pause/2 + rand.N(pause)):
		}
	}
}

// try runs a transaction once, beside others or alone.
func (d *DB) try(ctx context.Context, isolation sql.IsolationLevel, fn func(tx *Tx) error, alone bool) (*Tx, error) {
	part := int64(1)
	if alone {
		part = allWrites
	}
	if err := d.running.Acquire(ctx, part); err != nil {
		return nil, fmt.Errorf("wait for other writes: %w", err)
	}
	defer d.running.Release(part)
	return d.writeOnce(ctx, isolation, fn)
}

// retryable says whether the engine wants the transaction repeated: after a
// serialization failure or a deadlock on PostgreSQL; on SQLite when another
// process (the command line) held the write lock for too long.
func retryable(err error) bool {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pg.Code == "40001" || pg.Code == "40P01"
	}
	if lite, ok := errors.AsType[*sqlite.Error](err); ok {
		return lite.Code()&0xff == sqlite3.SQLITE_BUSY
	}
	return false
}

// IsUniqueViolation says whether a statement failed because a row with the same
// key exists.
func IsUniqueViolation(err error) bool {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pg.Code == "23505"
	}
	if lite, ok := errors.AsType[*sqlite.Error](err); ok {
		return lite.Code() == sqlite3.SQLITE_CONSTRAINT_UNIQUE || lite.Code() == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY
	}
	return false
}
