package db_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
)

// Every migration is applied to a database with rows in every table, as those of the
// versions before made them. All rows are still there, with the values of the columns
// that remain, and at the end the schema is that of a new database.
func TestMigrationsKeepEveryRow(t *testing.T) {
	t.Parallel()
	for _, engine := range []db.Engine{db.SQLite, db.PostgreSQL} {
		t.Run(string(engine), func(t *testing.T) {
			t.Parallel()
			s := newSchema(t, engine, dbtest.Empty(t, engine))
			steps := 0
			for name := s.next(); name != ""; name = s.next() {
				s.keeps(name)
				s.fill(name)
				steps++
			}
			if steps < 20 {
				t.Errorf("only %d migrations were applied", steps)
			}
			fresh := newSchema(t, engine, dbtest.Config(t, engine))
			if got, want := s.describe(), fresh.describe(); got != want {
				t.Errorf("after %d steps the schema differs from a new database's:\n%s", steps, difference(got, want))
			}
		})
	}
}

// Both engines have the same tables and columns.
func TestBothEnginesHaveTheSameColumns(t *testing.T) {
	t.Parallel()
	where := dbtest.Config(t, db.PostgreSQL)
	postgres, sqlite := newSchema(t, db.PostgreSQL, where), newSchema(t, db.SQLite, dbtest.Config(t, db.SQLite))
	got, want := strings.Join(postgres.columns(), "\n"), strings.Join(sqlite.columns(), "\n")
	if got != want || strings.Count(got, "\n") < 300 {
		t.Errorf("PostgreSQL and SQLite differ:\n%s", difference(got, want))
	}
}

// leftBehind are migrations that leave something when they are taken back.
var leftBehind = map[string]string{
	"0012_unsampled":          "statistics stay off",
	"0013_rights_as_seen.sql": "the column has a default, which fills the rows of now",
}

// A migration that is taken back leaves the schema as it was before it, and can be
// applied again.
func TestMigrationsCanBeTakenBack(t *testing.T) {
	t.Parallel()
	for _, engine := range []db.Engine{db.SQLite, db.PostgreSQL} {
		t.Run(string(engine), func(t *testing.T) {
			t.Parallel()
			s := newSchema(t, engine, dbtest.Empty(t, engine))
			before := ""
			for name := s.next(); name != ""; name = s.next() {
				after := s.describe()
				if before != "" {
					s.back(name)
					if got := s.describe(); got != before && leftBehind[name] == "" {
						t.Errorf("%s, taken back:\n%s", name, difference(got, before))
					}
					s.next()
					if got := s.describe(); got != after {
						t.Errorf("%s, applied again:\n%s", name, difference(got, after))
					}
				}
				before = after
			}
		})
	}
}

// difference lists the lines that only one of two texts has.
func difference(got, want string) string {
	lines := map[string]string{}
	for line := range strings.SplitSeq(want, "\n") {
		lines[line] = "missing:    "
	}
	for line := range strings.SplitSeq(got, "\n") {
		if _, both := lines[line]; both {
			delete(lines, line)
		} else {
			lines[line] = "additional: "
		}
	}
	var out []string
	for _, line := range slices.Sorted(maps.Keys(lines)) {
		out = append(out, lines[line]+line)
	}
	return strings.Join(out, "\n")
}
