package db

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// Claim says that this process serves the data of a database. Two processes
// serve one database together only if both know of each other.
//
// On SQLite it is a lock on a file in the data directory, and on PostgreSQL an
// advisory lock of a session. Both end with the process, however it ends, so
// nothing has to be cleaned up after a crash.
type Claim struct {
	release func()

	mu   sync.Mutex
	lost error
}

// claimPatience is how long Take waits for the process before: at a restart the
// old one may not have ended yet.
const claimPatience = 3 * time.Second

// Take claims the database. An unshared claim is refused while any other process has a
// claim; a shared one, while another process has an unshared claim. Claims of SQLite
// are never shared. The error names the other process.
func (d *DB) Take(ctx context.Context, shared bool) (*Claim, error) {
	take := func() (*Claim, error) { return d.takePostgres(ctx, shared) }
	if d.engine == SQLite {
		take = func() (*Claim, error) { return takeFile(filepath.Join(filepath.Dir(d.file), "serving.lock")) }
	}
	patience := time.After(claimPatience)
	for {
		c, err := take()
		if taken := (*takenError)(nil); !errors.As(err, &taken) {
			return c, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for the process before: %w", ctx.Err())
		case <-patience:
			return nil, err
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// Held says why the claim is not held any more, or nil.
func (c *Claim) Held() error {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lost
}

func (c *Claim) set(lost error) (changed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	changed = (lost == nil) != (c.lost == nil)
	c.lost = lost
	return changed
}

// Release gives the claim up.
func (c *Claim) Release() { c.release() }

// takenError says that another process serves the data.
type takenError struct{ by string }

func (e *takenError) Error() string { return "another process serves this data: " + e.by }

// self names this process to others.
func self() string {
	host, err := os.Hostname()
	if err != nil {
		host = "an unknown host"
	}
	return fmt.Sprintf("process %d on %s", os.Getpid(), host)
}

func takeFile(path string) (*Claim, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600) //nolint:gosec // it lies in the data directory
	if err != nil {
		return nil, fmt.Errorf("open the lock of the data directory: %w", err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		by, err := os.ReadFile(path) //nolint:gosec // it lies in the data directory
		_ = f.Close()
		if err != nil {
			return nil, fmt.Errorf("read the lock of the data directory: %w", err)
		}
		return nil, &takenError{by: strings.TrimSpace(string(by))}
	}
	if err == nil {
		err = f.Truncate(0)
	}
	if err == nil {
		_, err = f.WriteAt([]byte(self()+"\n"), 0)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock the data directory: %w", err), f.Close())
	}
	return &Claim{release: func() { _ = f.Close() }}, nil
}

// claimLock is the first half of the advisory lock's key, an arbitrary number.
// The other half stands for the schema, because one database may hold several.
const claimLock = 724_601

// The server notices within half a minute that a machine with a claim is gone
// without a word, for instance after a power cut. Otherwise it takes hours.
const claimKeepalive = "SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3"

// claimCheck is how often a claim looks whether its session still exists.
const claimCheck = 5 * time.Second

func (d *DB) takePostgres(ctx context.Context, shared bool) (*Claim, error) {
	conn, err := d.lockPostgres(ctx, shared)
	if err != nil {
		return nil, err
	}
	keeping, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	c := &Claim{release: func() { cancel(); <-done }}
	go func() {
		defer close(done)
		d.keepClaim(keeping, c, conn, shared)
	}()
	return c, nil
}

// lockPostgres opens a session that holds the lock.
func (d *DB) lockPostgres(ctx context.Context, shared bool) (*pgx.Conn, error) {
	config, err := pgx.ParseConfig(d.url)
	if err != nil {
		return nil, fmt.Errorf("read the database URL: %w", err)
	}
	config.RuntimeParams["application_name"] = "conclave, " + self()
	config.ConnectTimeout = claimCheck
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("connect to claim the database: %w", err)
	}
	if err := lockSession(ctx, conn, shared); err != nil {
		closeSoon(ctx, conn)
		return nil, err
	}
	return conn, nil
}

func lockSession(ctx context.Context, conn *pgx.Conn, shared bool) error {
	ctx, cancel := context.WithTimeout(ctx, claimCheck)
	defer cancel()
	if _, err := conn.Exec(ctx, claimKeepalive); err != nil {
		return fmt.Errorf("set up the session of the claim: %w", err)
	}
	lock := "SELECT pg_try_advisory_lock($1, hashtext(current_schema()))"
	if shared {
		lock = "SELECT pg_try_advisory_lock_shared($1, hashtext(current_schema()))"
	}
	var locked bool
	if err := conn.QueryRow(ctx, lock, claimLock).Scan(&locked); err != nil {
		return fmt.Errorf("claim the database: %w", err)
	}
	if locked {
		return nil
	}
	holder := `SELECT COALESCE(a.application_name, 'a process of another account'), COALESCE(host(a.client_addr), 'the same machine'), a.backend_start
		FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
		WHERE l.locktype = 'advisory' AND l.granted AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
		AND l.classid::bigint = $1 AND l.objid::bigint = (hashtext(current_schema())::bigint & 4294967295) ORDER BY a.backend_start LIMIT 1`
	var name, address string
	var since time.Time
	err := conn.QueryRow(ctx, holder, claimLock).Scan(&name, &address, &since)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("ask who has claimed the database: %w", err)
	}
	by := "it has just ended"
	if err == nil {
		by = fmt.Sprintf("%s, connected from %s since %s", strings.TrimPrefix(name, "conclave, "), address, since.UTC().Format(time.DateTime+" MST"))
	}
	return &takenError{by: by}
}

// keepClaim watches over the session and opens another one when it is lost,
// until ctx ends.
func (d *DB) keepClaim(ctx context.Context, c *Claim, conn *pgx.Conn, shared bool) {
	for {
		select {
		case <-ctx.Done():
			closeSoon(ctx, conn)
			return
		case <-time.After(claimCheck):
		}
		if conn != nil && alive(ctx, conn) == nil {
			continue
		}
		closeSoon(ctx, conn)
		var err error
		conn, err = d.lockPostgres(ctx, shared)
		if changed := c.set(err); !changed || ctx.Err() != nil {
			continue
		}
		if err != nil {
			d.log.ErrorContext(ctx, "this process lost its claim to the database", "error", err)
			continue
		}
		d.log.InfoContext(ctx, "this process claimed the database again")
	}
}

// alive asks a session for a sign of life.
func alive(ctx context.Context, conn *pgx.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, claimCheck)
	defer cancel()
	return conn.Ping(ctx)
}

// closeSoon closes a session, if there is one, even if the other side does not
// answer.
func closeSoon(ctx context.Context, conn *pgx.Conn) {
	if conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if err := conn.Close(ctx); err != nil && !errors.Is(err, net.ErrClosed) {
		_ = conn.PgConn().Conn().Close()
	}
}
