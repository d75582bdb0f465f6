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
	for _, imported := range f.imports {
		own := strings.TrimPrefix(imported, module)
		switch {
		case f.role() == "" && among(own, outOfRules):
			broken = append(broken, "imports "+own+": rules need no database, no media server, no jobs and no requests")
		case f.role() == "http" && among(own, outOfHTTP):
			broken = append(broken, "imports "+own+": http*.go asks service*.go, which decides and writes events")
		}
	}
	return broken
}

// The foundations that do something outside the process, or for which something
// is kept there. Rules are functions of values, and need none of them.
var outOfRules = []string{
	"internal/blob", "internal/db", "internal/event", "internal/job", "internal/mail", "internal/media", "internal/node", "internal/notify", "internal/outbound", "internal/seal",
}

// What operations leave to a service.
var outOfHTTP = []string{"internal/db", "internal/event", "internal/media"}

// among says whether a package is one of these, or lies below one of them.
func among(pkg string, roots []string) bool {
	return slices.ContainsFunc(roots, func(root string) bool { return within(pkg, root) })
}

// note notes a call that only some files of a feature may make. SQL and transactions
// are known by what is called and with what, whatever the variable is named.
func note(f *file, call *ast.CallExpr) {
	if slices.ContainsFunc(call.Args, inTransaction) {
		f.transactions = true
	}
	method, ok := called(call).(*ast.SelectorExpr)
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
	case slices.Contains([]string{"Read", "ReadOne", "Write", "WriteLoosely"}, name) && (on == "DB" || withContext(call)), on == "db" && name == "Sweep":
		f.transactions = true
	case name == "Now", on == "time" && slices.Contains([]string{"After", "AfterFunc", "NewTicker", "NewTimer", "Since", "Sleep", "Tick", "Until"}, name),
		on == "context" && slices.Contains([]string{"WithDeadline", "WithDeadlineCause", "WithTimeout", "WithTimeoutCause"}, name):
		f.clock = true
	}
}

// called is the function that is called, without its type arguments.
func called(call *ast.CallExpr) ast.Expr {
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.IndexExpr:
		return fun.X
	case *ast.IndexListExpr:
		return fun.X
	default:
		return fun
	}
}

// withContext says whether the first argument is a context: ctx, or one that is
// made there or taken from a request.
func withContext(call *ast.CallExpr) bool {
	if len(call.Args) == 0 {
		return false
	}
	switch first := call.Args[0].(type) {
	case *ast.Ident:
		return first.Name == "ctx"
	case *ast.CallExpr:
		method, ok := called(first).(*ast.SelectorExpr)
		if !ok {
			return false
		}
		from, ok := method.X.(*ast.Ident)
		return method.Sel.Name == "Context" || ok && from.Name == "context"
	}
	return false
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
		{"a rule on LiveKit", file{path: "internal/seat/place.go", imports: []string{module + "internal/media/livekit"}}, true},
		{"a rule on jobs", file{path: "internal/webhook/schedule.go", imports: []string{module + "internal/job"}}, true},
		{"a rule that sends requests", file{path: "internal/webhook/schedule.go", imports: []string{module + "internal/outbound"}}, true},
		{"a rule on ids", file{path: "internal/seat/place.go", imports: []string{module + "internal/id"}}, false},
		{"an operation on the database", file{path: "internal/poll/http.go", imports: []string{module + "internal/db"}}, true},
		{"an operation on the event log", file{path: "internal/poll/http.go", imports: []string{module + "internal/event"}}, true},
		{"an operation on the media server", file{path: "internal/live/http_meet.go", imports: []string{module + "internal/media/livekit"}}, true},
		{"a request to another server", file{path: "internal/webhook/http_send.go", imports: []string{module + "internal/outbound"}}, false},
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
func TestWhatAFileDoesIsSeenInItsCalls(t *testing.T) {
	t.Parallel()
	tests := []struct {
		call                         string
		queries, transactions, clock bool
	}{
		{`tx.Exec(ctx, query)`, true, false, false},
		{`in.QueryRow(ctx, query)`, true, false, false},
		{`db.Query(ctx, t, scan, query)`, true, false, false},
		{`db.Query[Seat](ctx, t, scan, query)`, true, false, false},
		{`db.Query[Seat, Place](ctx, t, scan, query)`, true, false, false},
		{`s.DB.Write(ctx, s.carryOut)`, false, true, false},
		{`s.data.Write(ctx, s.carryOut)`, false, true, false},
		{`database.ReadOne(context.WithoutCancel(ctx), s.find)`, false, true, false},
		{`d.Read(r.Context(), s.find)`, false, true, false},
		{`s.data.Write(ctx, func(tx *db.Tx) error { return nil })`, false, true, false},
		{`read(ctx, func(t *db.Tx) error { return nil })`, false, true, false},
		{`db.Sweep(ctx, s.DB, find, remove)`, false, true, false},
		{`db.Sweep[string](ctx, s.DB, find, remove)`, false, true, false},
		{`s.Now()`, false, false, true},
		{`time.Tick(time.Second)`, false, false, true},
		{`context.WithTimeout(ctx, time.Second)`, false, false, true},
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
				t.Fatalf("%s is not a call", tt.call)
			}
			var f file
			note(&f, call)
			if f.queries != tt.queries || f.transactions != tt.transactions || f.clock != tt.clock {
				t.Errorf("queries %v, transactions %v, clock %v; want %v, %v, %v", f.queries, f.transactions, f.clock, tt.queries, tt.transactions, tt.clock)
			}
		})
	}
}
