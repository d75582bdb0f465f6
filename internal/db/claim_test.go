package db_test

import (
	"log/slog"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
)

// A second process that serves the same data is refused, and learns who has it.
func TestOneProcessClaimsADatabase(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		first, second := dbtest.Open(t, where), dbtest.Open(t, where)
		claim := take(t, first, false)
		_, err := second.Take(t.Context(), false)
		if err == nil || !strings.Contains(err.Error(), "process "+strconv.Itoa(os.Getpid())+" on ") {
			t.Errorf("a second claim: %v", err)
		}
		if _, err := second.Take(t.Context(), true); err == nil {
			t.Error("a shared claim was taken beside one that is not shared")
		}
		claim.Release()
		take(t, second, false).Release()
	})
}

// Processes that share a claim serve one PostgreSQL together. Other processes are
// refused.
func TestOnlySharedClaimsServeOneDatabaseTogether(t *testing.T) {
	t.Parallel()
	where := dbtest.Config(t, db.PostgreSQL)
	first, second := dbtest.Open(t, where), dbtest.Open(t, where)
	one, other := take(t, first, true), take(t, second, true)
	one.Release()
	if _, err := first.Take(t.Context(), false); err == nil {
		t.Error("a claim that is not shared was taken beside a shared one")
	}
	other.Release()
}

// A claim whose session is cut takes another session, and says that it is lost for as
// long as another process holds it.
func TestAClaimOutlivesItsSession(t *testing.T) {
	t.Parallel()
	where := dbtest.Config(t, db.PostgreSQL)
	said := make(chan string, 10)
	where.Logger = slog.New(slog.NewTextHandler(lines(said), nil))
	d := dbtest.Open(t, where)
	claim := take(t, d, false)
	defer claim.Release()
	err := d.Write(t.Context(), func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
			WHERE datname = current_database() AND application_name LIKE 'conclave, process%'`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	other := take(t, dbtest.Open(t, where), false)
	await(t, said, "lost its claim")
	if claim.Held() == nil {
		t.Error("the claim is said to be held while another process has it")
	}
	other.Release()
	await(t, said, "claimed the database again")
	if err := claim.Held(); err != nil {
		t.Errorf("the claim is said to be lost after it was taken again: %v", err)
	}
}

// A claim that is being taken again does not wait for ever for a database that is lost
// after the connection was made. Meanwhile the claim would count as held.
func TestAClaimIsNotTakenFromALostDatabase(t *testing.T) {
	t.Parallel()
	mute := dbtest.NewMute(t)
	ended := make(chan error, 1)
	go func() { ended <- db.LockAt(t.Context(), mute.URL) }()
	select {
	case err := <-ended:
		if !db.Unavailable(err) {
			t.Errorf("it ended with %v", err)
		}
	case <-time.After(time.Minute):
		t.Error("it waits for ever")
	}
}

// lines sends each line of a log to a channel.
type lines chan<- string

func (l lines) Write(p []byte) (int, error) {
	l <- string(p)
	return len(p), nil
}

// await waits for a line of the log.
func await(t *testing.T, said <-chan string, what string) {
	t.Helper()
	limit := time.After(time.Minute)
	for {
		select {
		case line := <-said:
			if strings.Contains(line, what) {
				return
			}
		case <-limit:
			t.Fatalf("the log does not say %q", what)
		}
	}
}

func take(t *testing.T, d *db.DB, shared bool) *db.Claim {
	t.Helper()
	c, err := d.Take(t.Context(), shared)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
