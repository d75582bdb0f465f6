package db_test

import (
	"context"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/conclave-rooms/conclave/internal/db"
)

// Codes of PostgreSQL that mean that the database cannot work at this moment, and
// others that mean that a statement is wrong or the data is damaged: to try again
// later does not help against these.
func TestCodesOfPostgreSQL(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		code, name  string
		unavailable bool
	}{
		{"08000", "connection_exception", true},
		{"08001", "sqlclient_unable_to_establish_sqlconnection", true},
		{"08003", "connection_does_not_exist", true},
		{"08004", "sqlserver_rejected_establishment_of_sqlconnection", true},
		{"08006", "connection_failure", true},
		{"08P01", "protocol_violation", true},
		{"25006", "read_only_sql_transaction", true},
		{"25P03", "idle_in_transaction_session_timeout", true},
		{"25P04", "transaction_timeout", true},
		{"40001", "serialization_failure, after every retry", true},
		{"40P01", "deadlock_detected, after every retry", true},
		{"53000", "insufficient_resources", true},
		{"53100", "disk_full", true},
		{"53200", "out_of_memory", true},
		{"53300", "too_many_connections", true},
		{"53400", "configuration_limit_exceeded", true},
		{"55P03", "lock_not_available", true},
		{"57014", "query_canceled, also by statement_timeout", true},
		{"57P01", "admin_shutdown", true},
		{"57P02", "crash_shutdown", true},
		{"57P03", "cannot_connect_now", true},
		{"57P04", "database_dropped", true},
		{"57P05", "idle_session_timeout", true},
		{"58000", "system_error", true},
		{"58030", "io_error", true},

		{"22001", "string_data_right_truncation", false},
		{"23503", "foreign_key_violation", false},
		{"23505", "unique_violation", false},
		{"25001", "active_sql_transaction", false},
		{"25P02", "in_failed_sql_transaction", false},
		{"28P01", "invalid_password", false},
		{"42501", "insufficient_privilege", false},
		{"42601", "syntax_error", false},
		{"42P01", "undefined_table", false},
		{"55000", "object_not_in_prerequisite_state", false},
		{"XX000", "internal_error", false},
		{"XX001", "data_corrupted", false},
		{"XX002", "index_corrupted", false},
		{"", "no code", false},
	} {
		err := fmt.Errorf("read the room: %w", &pgconn.PgError{Severity: "ERROR", Code: c.code})
		if got := db.Unavailable(err); got != c.unavailable {
			t.Errorf("%s %s counts as unavailable: %v, want %v", c.code, c.name, got, c.unavailable)
		}
	}
}

// A commit whose outcome is unknown must not be repeated, whatever the reason.
func TestAnUnknownOutcomeIsNotUnavailable(t *testing.T) {
	t.Parallel()
	err := fmt.Errorf("%w: %w", db.ErrOutcomeUnknown, &pgconn.PgError{Severity: "FATAL", Code: "57P01"})
	if db.Unavailable(err) {
		t.Errorf("%v counts as unavailable", err)
	}
}

// A caller who hangs up while a connection is opened says nothing about the database.
func TestACallerWhoHangsUpIsNotTheDatabase(t *testing.T) {
	t.Parallel()
	silent, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = silent.Close() })
	connect := func(ctx context.Context) error {
		t.Helper()
		_, err := pgconn.Connect(ctx, "postgres://nobody@"+silent.Addr().String()+"/nothing?sslmode=disable")
		return err
	}

	hungUp, hangUp := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, hangUp)
	if err := connect(hungUp); err == nil || db.Unavailable(err) {
		t.Errorf("%v counts as unavailable", err)
	}
	late, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := connect(late); !db.Unavailable(err) {
		t.Errorf("%v does not count as unavailable", err)
	}
}
