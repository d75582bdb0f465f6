package db_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/conclave-rooms/conclave/internal/db"
)

// schema is a database whose tables a test looks at, and fills with rows.
type schema struct {
	t      *testing.T
	engine db.Engine
	steps  *db.Steps
	rows   map[string][]map[string]string // what every table held after the last step
}

func newSchema(t *testing.T, engine db.Engine, where db.Config) *schema {
	t.Helper()
	steps, stop, err := db.OpenSteps(where)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	s := &schema{t: t, engine: engine, steps: steps, rows: map[string][]map[string]string{}}
	if engine == db.SQLite {
		s.exec("PRAGMA synchronous = OFF") // a test need not survive a power cut
	}
	return s
}

func (s *schema) next() string {
	s.t.Helper()
	name, err := s.steps.Next(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	return name
}

func (s *schema) back(name string) {
	s.t.Helper()
	if err := s.steps.Back(s.t.Context()); err != nil {
		s.t.Fatalf("take %s back: %v", name, err)
	}
}

func (s *schema) exec(statement string) {
	s.t.Helper()
	if _, err := s.steps.SQL.ExecContext(s.t.Context(), statement); err != nil {
		s.t.Fatalf("%s: %v", statement, err)
	}
}

// query returns the rows of a query as texts by column. NULL is "NULL".
func (s *schema) query(query string) (rows []map[string]string) {
	s.t.Helper()
	found, err := s.steps.SQL.QueryContext(s.t.Context(), query)
	if err != nil {
		s.t.Fatalf("%s: %v", query, err)
	}
	defer func() { _ = found.Close() }()
	names, err := found.Columns()
	if err != nil {
		s.t.Fatal(err)
	}
	for found.Next() {
		values, into := make([]any, len(names)), make([]any, len(names))
		for i := range values {
			into[i] = &values[i]
		}
		if err := found.Scan(into...); err != nil {
			s.t.Fatal(err)
		}
		row := map[string]string{}
		for i, name := range names {
			switch v := values[i].(type) {
			case nil:
				row[name] = "NULL"
			case []byte:
				row[name] = string(v)
			default:
				row[name] = fmt.Sprint(v)
			}
		}
		rows = append(rows, row)
	}
	if err := found.Err(); err != nil {
		s.t.Fatal(err)
	}
	return rows
}

// columns lists every column with its type, and whether it may be NULL.
func (s *schema) columns() []string {
	s.t.Helper()
	query := `SELECT m.name AS "table", p.name AS "column", lower(p.type) AS type, CASE WHEN p."notnull" = 1 OR p.pk > 0 THEN 'not null' ELSE 'null' END AS empty
		FROM sqlite_master m, pragma_table_info(m.name) p WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.name <> 'goose_db_version'`
	if s.engine == db.PostgreSQL {
		query = `SELECT table_name AS "table", column_name AS "column", data_type AS type, CASE is_nullable WHEN 'NO' THEN 'not null' ELSE 'null' END AS empty
			FROM information_schema.columns WHERE table_schema = current_schema() AND table_name <> 'goose_db_version'`
	}
	var all []string
	for _, row := range s.query(query) {
		all = append(all, strings.Join([]string{row["table"], row["column"], row["type"], row["empty"]}, " "))
	}
	slices.Sort(all)
	return all
}

// describe describes the whole schema, one thing on each line: columns, their defaults,
// indexes and constraints.
func (s *schema) describe() string {
	s.t.Helper()
	queries := []string{
		`SELECT m.name || '.' || p.name || ' default ' || COALESCE(p.dflt_value, 'none') AS line FROM sqlite_master m, pragma_table_info(m.name) p WHERE m.type = 'table'`,
		`SELECT name || ': ' || COALESCE(sql, 'unique') AS line FROM sqlite_master WHERE type = 'index'`,
		`SELECT m.name || '.' || p."from" || ' refers to ' || p."table" || '.' || p."to" || ' ' || p.on_delete AS line FROM sqlite_master m, pragma_foreign_key_list(m.name) p WHERE m.type = 'table'`,
	}
	if s.engine == db.PostgreSQL {
		queries = []string{
			`SELECT table_name || '.' || column_name || ' default ' || COALESCE(column_default, 'none') AS line FROM information_schema.columns WHERE table_schema = current_schema()`,
			`SELECT c.relname || '.' || a.attname || ' has no statistics' AS line FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
				WHERE c.relnamespace = current_schema()::regnamespace AND a.attnum > 0 AND NOT a.attisdropped AND a.attstattarget = 0`,
			`SELECT indexdef AS line FROM pg_indexes WHERE schemaname = current_schema()`,
			`SELECT conrelid::regclass || ': ' || pg_get_constraintdef(oid) AS line FROM pg_constraint WHERE connamespace = current_schema()::regnamespace AND contype <> 'n'`,
		}
	}
	lines := s.columns()
	for _, query := range queries {
		for _, row := range s.query(query) {
			if !strings.Contains(row["line"], "goose_db_version") {
				lines = append(lines, row["line"])
			}
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// tables lists the columns of each table.
func (s *schema) tables() map[string][][2]string {
	s.t.Helper()
	tables := map[string][][2]string{}
	for _, line := range s.columns() {
		parts := strings.Fields(line)
		tables[parts[0]] = append(tables[parts[0]], [2]string{parts[1], parts[2]})
	}
	return tables
}

// fill adds one row to every table. Their texts are all the same, so that each row refers
// to those of the other tables.
func (s *schema) fill(text string) {
	s.t.Helper()
	statements := map[string]string{}
	for table, columns := range s.tables() {
		var names, values []string
		for _, column := range columns {
			names = append(names, column[0])
			switch column[1] {
			case "text":
				values = append(values, "'"+text+"'")
			case "boolean":
				values = append(values, "TRUE")
			default:
				values = append(values, fmt.Sprint(len(s.rows[table])))
			}
		}
		statements[table] = fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", table, strings.Join(names, ", "), strings.Join(values, ", "))
	}
	// A row is inserted after the rows that it refers to.
	for len(statements) > 0 {
		left := len(statements)
		var last error
		for table, statement := range statements {
			if _, err := s.steps.SQL.ExecContext(s.t.Context(), statement); err != nil {
				last = fmt.Errorf("%s: %w", statement, err)
				continue
			}
			delete(statements, table)
		}
		if len(statements) == left {
			s.t.Fatalf("fill the tables after %s: %v", text, last)
		}
	}
	for table := range s.tables() {
		s.rows[table] = s.content(table, text)
	}
}

// content is every row of a table after a step. Its name makes each query another text:
// PostgreSQL does not repeat one whose columns have changed.
func (s *schema) content(table, step string) []map[string]string {
	s.t.Helper()
	return s.query(fmt.Sprintf("SELECT * FROM %s -- %s", table, step))
}

// cleans are the tables in which a migration removes what should be gone already.
var cleans = map[string][]string{"0038_deleted_rooms.sql": {"live_room", "poll_revision"}}

// keeps checks that every row of before the last step is still there with its values.
func (s *schema) keeps(step string) {
	s.t.Helper()
	for table := range s.tables() {
		if slices.Contains(cleans[step], table) {
			delete(s.rows, table)
			continue
		}
		now, before := s.content(table, "after "+step), s.rows[table]
		if len(before) > 0 && len(now) != len(before) {
			s.t.Errorf("%s leaves %d of %d rows of %s", step, len(now), len(before), table)
		}
		for _, row := range before {
			if !slices.ContainsFunc(now, func(other map[string]string) bool { return same(row, other) }) {
				s.t.Errorf("%s loses or changes a row of %s: %v", step, table, row)
			}
		}
		delete(s.rows, table)
	}
	for table := range s.rows {
		if removed := beforeTheFirstRelease[step]; removed != "drops a table" {
			s.t.Errorf("%s removes the table %s", step, table)
		}
		delete(s.rows, table)
	}
}

// same says whether two rows have the same values in the columns that both have.
func same(before, now map[string]string) bool {
	for name, value := range before {
		if is, ok := now[name]; ok && is != value {
			return false
		}
	}
	return true
}
