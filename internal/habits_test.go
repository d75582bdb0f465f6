package internal_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"testing"
)

// mostLines is how long a file may be. A longer one is split by noun
// (CONTRIBUTING.md).
const mostLines = 400

func TestFilesAreShort(t *testing.T) {
	t.Parallel()
	for _, f := range sources(t, "..") {
		if f.lines > mostLines && !f.test() && !f.generated {
			t.Errorf("%s has %d lines: split it by noun, at most %d", f.path, f.lines, mostLines)
		}
	}
}

// Tests wait for what must happen. One that can only sleep says why on the line.
func TestTestsDoNotSleep(t *testing.T) {
	t.Parallel()
	for _, f := range sources(t, "..") {
		for _, line := range f.sleeps {
			if f.test() || helper(f.pkg()) && !within(f.pkg(), "web/e2e") {
				t.Errorf("%s:%d sleeps: wait for a signal, or say in a comment on the line why there is none", f.path, line)
			}
		}
	}
}

// sleeps are the lines that sleep and have no comment.
func sleeps(positions *token.FileSet, syntax *ast.File) []int {
	var explained []int
	for _, group := range syntax.Comments {
		for _, comment := range group.List {
			explained = append(explained, positions.Position(comment.Pos()).Line)
		}
	}
	var lines []int
	ast.Inspect(syntax, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if method, ok := call.Fun.(*ast.SelectorExpr); ok && method.Sel.Name == "Sleep" {
			on, ok := method.X.(*ast.Ident)
			line := positions.Position(call.Pos()).Line
			if ok && on.Name == "time" && !slices.Contains(explained, line) {
				lines = append(lines, line)
			}
		}
		return true
	})
	return lines
}

func TestASleepNeedsAReason(t *testing.T) {
	t.Parallel()
	const code = `package p
func f() {
	time.Sleep(1)
	time.Sleep(2) // only waiting shows that nothing arrives
	// a comment above
	time.Sleep(3)
	clock.Sleep(4)
}`
	positions := token.NewFileSet()
	syntax, err := parser.ParseFile(positions, "p.go", code, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := sleeps(positions, syntax), []int{3, 6}; !slices.Equal(got, want) {
		t.Errorf("lines %v sleep without a reason, want %v", got, want)
	}
}
