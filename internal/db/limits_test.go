package db_test

import (
	"net/url"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
)

// with adds a setting to the URL of a PostgreSQL database.
func with(t *testing.T, where db.Config, name, value string) db.Config {
	t.Helper()
	u, err := url.Parse(where.URL)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set(name, value)
	u.RawQuery = q.Encode()
	where.URL = u.String()
	return where
}

// Every connection has limits, and those in the database's URL come first.
func TestConnectionsHaveLimits(t *testing.T) {
	t.Parallel()
	where := dbtest.Config(t, db.PostgreSQL)
	for name, c := range map[string]struct {
		where db.Config
		want  string
	}{
		"by default":      {where, "15s 25s 5s"},
		"set by the URL":  {with(t, where, "lock_timeout", "123"), "123ms 25s 5s"},
		"none by the URL": {with(t, where, "statement_timeout", "0"), "15s 0 5s"},
	} {
		var limits string
		d := dbtest.Open(t, c.where)
		err := d.Read(t.Context(), func(tx *db.Tx) error {
			return tx.QueryRow(t.Context(), `SELECT current_setting('lock_timeout') || ' ' || current_setting('statement_timeout') || ' ' ||
				current_setting('idle_in_transaction_session_timeout')`).Scan(&limits)
		})
		if err != nil || limits != c.want {
			t.Errorf("%s: the limits are %q, %v; want %q", name, limits, err, c.want)
		}
	}
}

// A migration may take longer than any other statement.
func TestMigrationsHaveNoLimit(t *testing.T) {
	t.Parallel()
	where := dbtest.Empty(t, db.PostgreSQL)
	conn, err := pgx.Connect(t.Context(), where.URL)
	if err != nil {
		t.Fatal(err)
	}
	// One table takes longer to make than a statement may take.
	_, err = conn.Exec(t.Context(), `
		CREATE FUNCTION slow() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
			IF EXISTS (SELECT FROM pg_event_trigger_ddl_commands() WHERE object_identity = 'public.rate_limit') THEN
				PERFORM pg_sleep(1.5);
			END IF;
		END $$;
		CREATE EVENT TRIGGER slow ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION slow()`)
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	d, err := db.Open(t.Context(), with(t, where, "statement_timeout", "1000"))
	if err != nil {
		t.Fatal(err)
	}
	d.Close()
	if took := time.Since(began); took < 1500*time.Millisecond {
		t.Errorf("the slow table was made in %v", took)
	}
}
