package internal_test

import (
	"go/ast"
	"go/parser"
	"slices"
	"strings"
	"testing"
)

// role is what the name of a feature's file says is in it: "http", "store",
// "service" or "jobs". Every other file holds rules, and its role is "".
func (f file) role() string {
	for _, role := range []string{"http", "store", "service", "jobs"} {
		if rest, ok := strings.CutPrefix(f.name(), role); ok && (rest == ".go" || rest[0] == '_') {
			return role
		}
	}
	return ""
}

// checkRole names what a file of a feature does that its name does not say.
func checkRole(f file) []string {
	if !f.feature() {
		return nil
	}
	var broken []string
	if f.queries && f.role() != "store" {
		broken = append(broken, "sends SQL: of a feature, only store*.go does")
	}
	if f.transactions && f.role() != "service" && f.role() != "jobs" {
		broken = append(broken, "opens transactions: of a feature, only service*.go and jobs*.go do")
	}
	if f.clock && f.role() == "" {
		broken = append(broken, "reads the clock: rules are functions of values and a time")
	}
	for _, imported := range []string{"internal/db", "internal/event", "internal/media"} {
		if f.role() == "" && slices.Contains(f.imports, module+imported) {
			broken = append(broken, "imports "+imported+": rules need no database, no event log and no media server")
		}
	}
	return broken
}

// note notes a call that only some files of a feature may make. SQL and transactions
// are known by what is called and with what, whatever the variable is named.
func note(f *file, call *ast.CallExpr) {
	if slices.ContainsFunc(call.Args, inTransaction) {
		f.transactions = true
	}
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return
	}
	on := ""
	switch x := method.X.(type) {
	case *ast.Ident:
		on = x.Name
	case *ast.SelectorExpr:
		on = x.Sel.Name
	}
	switch name := method.Sel.Name; {
	case name == "Exec", name == "QueryRow", on == "db" && slices.Contains([]string{"Query", "IDs", "Delete"}, name):
		f.queries = true
	case on == "DB" && slices.Contains([]string{"Read", "ReadOne", "Write", "WriteLoosely"}, name), on == "db" && name == "Sweep":
		f.transactions = true
	case name == "Now", on == "time" && slices.Contains([]string{"After", "AfterFunc", "NewTicker", "NewTimer", "Since", "Sleep", "Until"}, name):
		f.clock = true
	}
}

// inTransaction says whether an argument is a function that is written there, and takes
// a transaction. A call with such an argument opens the transaction, or has it opened.
func inTransaction(argument ast.Expr) bool {
	function, ok := argument.(*ast.FuncLit)
	return ok && slices.ContainsFunc(function.Type.Params.List, func(p *ast.Field) bool {
		pointer, ok := p.Type.(*ast.StarExpr)
		if !ok {
			return false
		}
		name, ok := pointer.X.(*ast.SelectorExpr)
		return ok && name.Sel.Name == "Tx"
	})
}

// The name of a file says what may be in it, in every feature.
func TestTheNameOfAFileSaysWhatIsInIt(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		file    file
		refused bool
	}{
		{"SQL in a store", file{path: "internal/poll/store_box.go", queries: true}, false},
		{"SQL in a service", file{path: "internal/poll/service.go", queries: true}, true},
		{"SQL in a rule", file{path: "internal/poll/box.go", queries: true}, true},
		{"SQL in a part of a feature", file{path: "internal/schedule/feed/service.go", queries: true}, true},
		{"SQL in a test", file{path: "internal/poll/box_test.go", queries: true}, false},
		{"SQL in a foundation", file{path: "internal/job/queue.go", queries: true}, false},
		{"a transaction in a service", file{path: "internal/breakout/service_rooms.go", transactions: true}, false},
		{"a transaction in a job", file{path: "internal/breakout/jobs.go", transactions: true}, false},
		{"a transaction in a handler", file{path: "internal/breakout/http_meet.go", transactions: true}, true},
		{"a transaction in a rule", file{path: "internal/breakout/deal.go", transactions: true}, true},
		{"the clock in a service", file{path: "internal/live/service.go", clock: true}, false},
		{"the clock in a rule", file{path: "internal/live/plan.go", clock: true}, true},
		{"a rule with a name like a store's", file{path: "internal/schedule/stores.go", queries: true}, true},
		{"a rule on the database", file{path: "internal/poll/board.go", imports: []string{module + "internal/db"}}, true},
		{"a rule on the event log", file{path: "internal/poll/board.go", imports: []string{module + "internal/event"}}, true},
		{"a rule on the media server", file{path: "internal/seat/place.go", imports: []string{module + "internal/media"}}, true},
		{"a service on the media server", file{path: "internal/live/service_sync.go", imports: []string{module + "internal/media"}}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			broken := check(tt.file)
			if got := len(broken) > 0; got != tt.refused {
				t.Errorf("%s: refused %v, want %v %q", tt.file.path, got, tt.refused, broken)
			}
		})
	}
}

// What a file does is seen in its calls, not in the names of its variables.
func TestWhatAFileDoes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		call                         string
		queries, transactions, clock bool
	}{
		{`tx.Exec(ctx, query)`, true, false, false},
		{`in.QueryRow(ctx, query)`, true, false, false},
		{`db.Query(ctx, t, scan, query)`, true, false, false},
		{`s.DB.Write(ctx, s.carryOut)`, false, true, false},
		{`s.data.Write(ctx, func(tx *db.Tx) error { return nil })`, false, true, false},
		{`read(ctx, func(t *db.Tx) error { return nil })`, false, true, false},
		{`db.Sweep(ctx, s.DB, find, remove)`, false, true, false},
		{`s.Now()`, false, false, true},
		{`body.Read(p)`, false, false, false},
		{`slices.SortFunc(all, func(a, b *Seat) int { return 0 })`, false, false, false},
	}
	for _, tt := range tests {
		t.Run(tt.call, func(t *testing.T) {
			t.Parallel()
			expression, err := parser.ParseExpr(tt.call)
			if err != nil {
				t.Fatal(err)
			}
			call, ok := expression.(*ast.CallExpr)
			if !ok {
				t.Fatalf("%s is no call", tt.call)
			}
			var f file
			note(&f, call)
			if f.queries != tt.queries || f.transactions != tt.transactions || f.clock != tt.clock {
				t.Errorf("queries %v, transactions %v, clock %v; want %v, %v, %v", f.queries, f.transactions, f.clock, tt.queries, tt.transactions, tt.clock)
			}
		})
	}
}
