package internal_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// seatTables finds the tables of package seat in SQL.
var seatTables = regexp.MustCompile(`\b(FROM|JOIN|INTO|UPDATE)\s+(seat|seat_alias|live_meeting)\b`)

// Only package seat sends SQL to its tables, so that one package knows what the
// status of a seat means to a query.
func TestOnlyPackageSeatKnowsItsTables(t *testing.T) {
	t.Parallel()
	known := 0
	for _, f := range sources(t, "..") {
		if f.test() || helper(f.pkg()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(f.path)))
		if err != nil {
			t.Fatal(err)
		}
		table := seatTables.FindStringSubmatch(string(text))
		switch {
		case table == nil:
		case f.pkg() == "internal/seat":
			known++
		default:
			t.Errorf("%s sends SQL to the table %s: only package seat does", f.path, table[2])
		}
	}
	if known == 0 {
		t.Error("found no SQL in package seat, which cannot be")
	}
}
