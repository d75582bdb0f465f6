package db

import (
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
)

// These limits end work on PostgreSQL for which nobody waits any more. A request
// that takes too long is answered after twenty seconds, and then its statement is
// cancelled. But the cancellation may not arrive, for instance because the network
// is down; without a limit, the server would go on, and keep its locks, until TCP
// notices.
const (
	// lockWithin is how long a statement may wait for a lock. It is less than a
	// request may take, so that the answer comes from the database.
	lockWithin = 15 * time.Second
	// statementWithin is how long a statement may take. It is more than a request
	// may take: in the usual case the service cancels the statement first.
	statementWithin = 25 * time.Second
	// idleWithin is how long a transaction may stay open between two statements.
	// In between the service only computes for moments, so a transaction that is
	// idle for this long has lost its service, or the node stands still. Others wait
	// for its locks, and people come back on another node within ten seconds.
	idleWithin = 5 * time.Second
)

// limit sets the limits for the connections of a configuration. A limit in the
// database's URL stays as it is.
func limit(c *pgx.ConnConfig) {
	for name, within := range map[string]time.Duration{
		"lock_timeout": lockWithin, "statement_timeout": statementWithin, "idle_in_transaction_session_timeout": idleWithin,
	} {
		if c.RuntimeParams[name] == "" {
			c.RuntimeParams[name] = strconv.FormatInt(within.Milliseconds(), 10)
		}
	}
}

// unlimit removes all limits, also those of the URL and of the database's account:
// a migration of a large table may take minutes.
func unlimit(c *pgx.ConnConfig) {
	for _, name := range []string{"lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout"} {
		c.RuntimeParams[name] = "0"
	}
}
