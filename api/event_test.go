package api

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// EventTypes lists every type, and every struct named *Event is the data of one, so that
// no event is missing where events are read or described.
func TestEventData(t *testing.T) {
	t.Parallel()
	kinds, structs := declared(t)
	if len(kinds) < 8 || len(structs) < 5 {
		t.Fatalf("found %d types of events and %d structs, which cannot be all of them", len(kinds), len(structs))
	}
	used := map[string]bool{}
	for _, kind := range kinds {
		if kind != "*" && !slices.Contains(EventTypes(), kind) {
			t.Errorf("%s is not in EventTypes", kind)
		}
		if data := EventData(kind); data != nil {
			used[reflect.TypeOf(data).Elem().Name()] = true
		}
	}
	for _, name := range structs {
		if !used[name] {
			t.Errorf("%s is the data of no type of event: name it in EventData", name)
		}
	}
	if data := EventData("planet.discovered"); data != nil {
		t.Errorf("an unknown type has the data %T", data)
	}
}

// declared finds the constants of type EventType and the structs named *Event.
func declared(t *testing.T) (kinds []EventType, structs []string) {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch spec := n.(type) {
			case *ast.ValueSpec:
				if kind, ok := spec.Type.(*ast.Ident); ok && kind.Name == "EventType" {
					for _, value := range spec.Values {
						if text, ok := value.(*ast.BasicLit); ok {
							kinds = append(kinds, EventType(strings.Trim(text.Value, `"`)))
						}
					}
				}
			case *ast.TypeSpec:
				if _, ok := spec.Type.(*ast.StructType); ok && strings.HasSuffix(spec.Name.Name, "Event") && spec.Name.Name != "Event" {
					structs = append(structs, spec.Name.Name)
				}
			}
			return true
		})
	}
	return kinds, structs
}
