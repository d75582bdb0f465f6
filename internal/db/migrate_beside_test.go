package db_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// removes finds statements that break the program of the version before, which still
// runs on other nodes for a while after a new one has brought the schema up to date.
var removes = map[string]*regexp.Regexp{
	"drops a table":    regexp.MustCompile(`(?i)\bDROP\s+TABLE\b`),
	"drops a column":   regexp.MustCompile(`(?i)\bDROP\s+COLUMN\b`),
	"renames":          regexp.MustCompile(`(?i)\bRENAME\b`),
	"changes a column": regexp.MustCompile(`(?i)\bALTER\s+COLUMN\b`),
	"adds a column that the other does not fill":   regexp.MustCompile(`(?i)\bADD\s+COLUMN\s+[^;]*NOT\s+NULL(?:[^;D]|D[^;E])*;`),
	"adds a rule to a table that the other writes": regexp.MustCompile(`(?i)\bADD\s+CONSTRAINT\b`),
}

// beforeTheFirstRelease are migrations that no two released versions have between them.
var beforeTheFirstRelease = map[string]string{
	"0011_open_ballots.sql":   "drops a table",
	"0013_rights_as_seen.sql": "drops a column",
}

// A migration only adds, so that two versions run side by side (CONTRIBUTING.md).
func TestMigrationsOnlyAdd(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("migrations/*.sql")
	if err != nil || len(files) < 20 {
		t.Fatalf("found %d migrations: %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(file)
		found := whatItRemoves(string(text))
		if want := beforeTheFirstRelease[name]; found != want {
			t.Errorf("%s %s: want %q. The version before it cannot go on beside it; see CONTRIBUTING.md", name, found, want)
		}
	}
}

// whatItRemoves names a forbidden removal in a migration; "" if there is none.
func whatItRemoves(migration string) string {
	up, _, _ := strings.Cut(migration, "-- +goose Down")
	up = regexp.MustCompile(`--[^\n]*`).ReplaceAllString(up, "")
	for what, pattern := range removes {
		if pattern.MatchString(up) {
			return what
		}
	}
	return ""
}

func TestARemovalInAMigrationIsFound(t *testing.T) {
	t.Parallel()
	for statement, want := range map[string]string{
		"ALTER TABLE seat ADD COLUMN late INTEGER NOT NULL DEFAULT 0;":      "",
		"ALTER TABLE seat ADD COLUMN left_at BIGINT; -- NOT NULL some day;": "",
		"CREATE TABLE t (a TEXT NOT NULL); CREATE INDEX i ON t (a);":        "",
		"DROP INDEX seat_status;":                                 "",
		"CREATE TABLE t (a TEXT);\n-- +goose Down\nDROP TABLE t;": "",
		"ALTER TABLE seat ADD COLUMN late INTEGER NOT NULL;":      "adds a column that the other does not fill",
		"drop  table poll_box;":                                   "drops a table",
		"ALTER TABLE seat DROP COLUMN media_grant;":               "drops a column",
		"ALTER TABLE seat RENAME COLUMN a TO b;":                  "renames",
		"ALTER TABLE seat ALTER COLUMN a TYPE BIGINT;":            "changes a column",
		"ALTER TABLE seat ADD CONSTRAINT c CHECK (a > 0);":        "adds a rule to a table that the other writes",
	} {
		if got := whatItRemoves(statement); got != want {
			t.Errorf("%s: got %q, want %q", statement, got, want)
		}
	}
}
