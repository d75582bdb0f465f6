package servertest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/conclave-rooms/conclave/internal/db"
)

// rowsEach is how many rows fillRest writes to a table: enough that to look them
// all up in an index costs more than to look up those of one room.
const rowsEach = 3000

// fillRest writes rows to the tables of PostgreSQL that have none, because its
// plans for empty tables say nothing; acme_lease never has more than one. The rows
// make no sense: columns that may lead an index have many values, and others have
// three. Only plans may be asked of the database afterwards.
func fillRest(t *testing.T, d *db.DB) {
	t.Helper()
	for _, c := range strings.Split(ask(t, d, `SELECT COALESCE(STRING_AGG(FORMAT('ALTER TABLE %I DROP CONSTRAINT %I', r.relname, c.conname), ';'), '')
		FROM pg_constraint c JOIN pg_class r ON r.oid = c.conrelid WHERE c.contype IN ('c', 'f') AND r.relnamespace = 'public'::regnamespace`), ";") {
		if c != "" {
			exec(t, d, c)
		}
	}
	tables := strings.Split(ask(t, d, `SELECT STRING_AGG(tablename, ';') FROM pg_tables WHERE schemaname = 'public' AND tablename NOT IN ('goose_db_version', 'acme_lease')`), ";")
	isFull := func(table string) bool {
		return ask(t, d, "SELECT EXISTS (SELECT 1 FROM "+table+" OFFSET 100)::text") == "true"
	}
	for _, table := range tables {
		if isFull(table) {
			continue
		}
		fillTable(t, d, table)
		if !isFull(table) {
			t.Errorf("fillRest wrote no hundred rows to %s", table)
		}
	}
	exec(t, d, "ANALYZE")
}

// fillTable writes rows to one table of PostgreSQL, as fillRest says.
func fillTable(t *testing.T, d *db.DB, table string) {
	t.Helper()
	columns := strings.Split(ask(t, d, `SELECT STRING_AGG(column_name || ' ' || is_nullable || ' ' || data_type, ';' ORDER BY ordinal_position)
		FROM information_schema.columns WHERE table_schema = 'public' AND table_name = '`+table+`'`), ";")
	var names, values []string
	for _, c := range columns {
		part := strings.SplitN(c, " ", 3)
		name, nullable, kind := part[0], part[1] == "YES", part[2]
		n := "n % 3"
		if slices.Contains(leads(), name) {
			n = "n / 3"
		}
		value := valueOf(t, table, name, kind, n)
		if nullable {
			value = "CASE WHEN n % 2 = 0 THEN " + value + " END"
		}
		names, values = append(names, name), append(values, value)
	}
	exec(t, d, fmt.Sprintf("INSERT INTO %s (%s) SELECT %s FROM GENERATE_SERIES(1, %d) n ON CONFLICT DO NOTHING",
		table, strings.Join(names, ", "), strings.Join(values, ", "), rowsEach))
}

// valueOf is an expression of a column's type for the number n.
func valueOf(t *testing.T, table, name, kind, n string) string {
	t.Helper()
	switch kind {
	case "text":
		return "'v' || " + n
	case "bytea":
		return "CONVERT_TO('v' || " + n + ", 'UTF8')"
	case "bigint", "integer", "double precision":
		return n
	case "boolean":
		return n + " = 0"
	}
	t.Fatalf("%s.%s has the type %s, of which fillRest knows no values", table, name, kind)
	return ""
}

// ask returns the one text that a question has for an answer.
func ask(t *testing.T, d *db.DB, question string) (answer string) {
	t.Helper()
	err := d.Read(t.Context(), func(tx *db.Tx) error { return tx.QueryRow(t.Context(), question).Scan(&answer) })
	if err != nil {
		t.Fatalf("%s: %v", question, err)
	}
	return answer
}
