package dbtest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
)

// Clock is the clock of a PostgreSQL database. It runs by itself, and a test can
// move it.
type Clock struct {
	t     testing.TB
	where db.Config
}

// NewClock puts a function in front of PostgreSQL's own clock_timestamp, for all
// connections to the database that are opened afterwards.
func NewClock(t testing.TB, where db.Config) *Clock {
	t.Helper()
	c := &Clock{t: t, where: where}
	c.do(`
		CREATE SCHEMA clock;
		CREATE TABLE clock.ahead (amount interval NOT NULL);
		INSERT INTO clock.ahead VALUES ('0');
		CREATE FUNCTION clock.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
			AS 'SELECT pg_catalog.clock_timestamp() + amount FROM clock.ahead';
		DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = public, clock, pg_catalog', current_database()); END $$`)
	return c
}

// Advance moves the clock.
func (c *Clock) Advance(by time.Duration) {
	c.t.Helper()
	c.do(fmt.Sprintf("UPDATE clock.ahead SET amount = amount + interval '%d milliseconds'", by.Milliseconds()))
}

func (c *Clock) do(statements string) {
	c.t.Helper()
	if err := admin(context.WithoutCancel(c.t.Context()), c.where.URL, statements); err != nil {
		c.t.Fatal(err)
	}
}
