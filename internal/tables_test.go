package internal_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// seatTables finds the tables of package seat in SQL.
var seatTables = regexp.MustCompile(`(?i)\b(?:FROM|JOIN|INTO|UPDATE)\s+(seat|seat_alias|live_meeting)\b`)

// noteTables notes the tables of package seat that a piece of code names: in SQL, or
// as the argument of a function that takes a table's name, such as db.Delete.
func noteTables(f *file, n ast.Node) {
	switch n := n.(type) {
	case *ast.BasicLit:
		if table := seatTables.FindStringSubmatch(n.Value); table != nil && n.Kind == token.STRING {
			f.tables = append(f.tables, table[1])
		}
	case *ast.CallExpr:
		method, ok := called(n).(*ast.SelectorExpr)
		if !ok || method.Sel.Name != "Delete" && method.Sel.Name != "Shred" {
			return
		}
		for _, argument := range n.Args {
			literal, ok := argument.(*ast.BasicLit)
			if ok && slices.Contains([]string{`"seat"`, `"seat_alias"`, `"live_meeting"`}, literal.Value) {
				f.tables = append(f.tables, strings.Trim(literal.Value, `"`))
			}
		}
	}
}

// Only package seat sends SQL to its tables, so that one package knows what the
// status of a seat means to a query.
func TestOnlyPackageSeatKnowsItsTables(t *testing.T) {
	t.Parallel()
	known := 0
	for _, f := range sources(t, "..") {
		switch {
		case f.test() || helper(f.pkg()) || len(f.tables) == 0:
		case f.pkg() == "internal/seat":
			known++
		default:
			t.Errorf("%s sends SQL to %q: only package seat does", f.path, f.tables)
		}
	}
	if known == 0 {
		t.Error("found no SQL in package seat, which cannot be")
	}
}

// A table is found however its name is written.
func TestATableIsFoundHoweverItsNameIsWritten(t *testing.T) {
	t.Parallel()
	tests := []struct {
		code string
		want []string
	}{
		{"tx.Exec(ctx, `DELETE FROM seat WHERE room_id = $1`)", []string{"seat"}},
		{"tx.Exec(ctx, `SELECT id FROM room r JOIN\n live_meeting m`)", []string{"live_meeting"}},
		{"tx.Exec(ctx, `update seat_alias set name = $1`)", []string{"seat_alias"}},
		{"db.Delete(ctx, tx, \"live_meeting\", \"room_id\", ids)", []string{"live_meeting"}},
		{"tx.Exec(ctx, `DELETE FROM seat_board`)", nil},
		{"fault.NotFound(\"seat\")", nil},
		{"fmt.Errorf(\"read the seat: %w\", err)", nil},
	}
	for _, tt := range tests {
		t.Run(tt.code, func(t *testing.T) {
			t.Parallel()
			expression, err := parser.ParseExpr(tt.code)
			if err != nil {
				t.Fatal(err)
			}
			var f file
			ast.Inspect(expression, func(n ast.Node) bool {
				noteTables(&f, n)
				return true
			})
			if !slices.Equal(f.tables, tt.want) {
				t.Errorf("knows %q, want %q", f.tables, tt.want)
			}
		})
	}
}
