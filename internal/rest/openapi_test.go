package rest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/conclave-rooms/conclave/internal/rest"
	"github.com/conclave-rooms/conclave/internal/rest/resttest"
)

const aPad = "/api/v1/pads/0192f3a1-7c3e-7d3a-9a41-3b6f0e5d2c11"

func document(t *testing.T) ([]byte, map[string]any) {
	t.Helper()
	_, group := rest.NewPads(t)
	raw, err := group.Document()
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	return raw, doc
}

// at follows steps down into a document.
func at(t *testing.T, v any, steps ...string) any {
	t.Helper()
	for _, step := range steps {
		m, ok := v.(map[string]any)
		if !ok || m[step] == nil {
			t.Fatalf("the document has no %q of %v in %v", step, steps, v)
		}
		v = m[step]
	}
	return v
}

func TestTheDocumentIsTheSameEveryTime(t *testing.T) {
	t.Parallel()
	first, _ := document(t)
	for range 5 {
		if again, _ := document(t); !bytes.Equal(first, again) {
			t.Fatal("two documents of the same operations differ")
		}
	}
}

func TestTheDocumentIsPublic(t *testing.T) {
	t.Parallel()
	edge, group := rest.NewPads(t)
	want, err := group.Document()
	if err != nil {
		t.Fatal(err)
	}
	rec := httptest.NewRecorder()
	edge.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), "GET", "/api/v1/openapi.json", http.NoBody))
	if rec.Code != http.StatusOK || !bytes.Equal(rec.Body.Bytes(), want) || rec.Header().Get("Content-Type") != "application/json" {
		t.Errorf("%d %s", rec.Code, rec.Header())
	}
}

func TestEveryReferenceLeadsSomewhere(t *testing.T) {
	t.Parallel()
	_, doc := document(t)
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if target, ok := v["$ref"].(string); ok {
				at(t, doc, strings.Split(strings.TrimPrefix(target, "#/"), "/")...)
			}
			for _, inner := range v {
				walk(inner)
			}
		case []any:
			for _, inner := range v {
				walk(inner)
			}
		}
	}
	walk(doc)
}

func TestContentOfTheDocument(t *testing.T) {
	t.Parallel()
	_, doc := document(t)
	for _, test := range []struct {
		steps []string
		want  string // JSON
	}{
		{[]string{"openapi"}, `"3.1.0"`},
		{[]string{"info"}, `{"title": "Pads", "description": "Paper.", "version": "1.2.3"}`},
		{[]string{"servers"}, `[{"url": "https://meet.example.com/api/v1"}]`},
		{[]string{"components", "securitySchemes", "bearer", "scheme"}, `"bearer"`},
		{[]string{"paths", "/pads", "post", "security"}, `[{"bearer": ["rooms:write"]}]`},
		{[]string{"paths", "/me", "get", "security"}, `[{"bearer": []}]`},
		{[]string{"paths", "/pads", "post", "requestBody", "required"}, `true`},
		{[]string{"paths", "/pads/{room_id}", "patch", "requestBody", "required"}, `false`},
		{[]string{"paths", "/pads", "get", "parameters"}, `[
			{"name": "limit", "in": "query", "description": "How many.", "required": false, "schema": {"type": "integer", "minimum": 1, "maximum": 100, "default": 25}},
			{"name": "starting_after", "in": "query", "description": "After this pad.", "required": false, "schema": {"type": "string"}},
			{"name": "from", "in": "query", "description": "From.", "required": false, "schema": {"type": "string", "format": "date-time"}},
			{"name": "open", "in": "query", "description": "Open.", "required": false, "schema": {"type": "boolean"}}]`},
		{[]string{"components", "schemas", "padCreate", "required"}, `["name"]`},
		{[]string{"components", "schemas", "padCreate", "additionalProperties"}, `false`},
		{[]string{"components", "schemas", "padCreate", "properties", "name"}, `{"type": "string", "minLength": 1, "maxLength": 8, "description": "Name.", "examples": ["Notes"]}`},
		{[]string{"components", "schemas", "padCreate", "properties", "note", "type"}, `["string", "null"]`},
		{
			[]string{"components", "schemas", "padCreate", "properties", "pages"},
			`{"oneOf": [{"type": "integer", "minimum": 1, "maximum": 5}, {"type": "array", "items": {"type": "string", "maxLength": 4}, "minItems": 1, "maxItems": 2}], "description": "Pages."}`,
		},
		{[]string{"components", "schemas", "padCreate", "properties", "copies"}, `{"type": "integer", "minimum": 1, "description": "Copies.", "default": 3}`},
		{[]string{"components", "schemas", "paperUpdate", "properties", "ruled", "default"}, `false`},
		{[]string{"components", "schemas", "paperUpdatePatch", "properties", "ruled"}, `{"type": "boolean", "description": "Ruled."}`},
		{[]string{"components", "schemas", "pad", "required"}, `["object", "id", "name", "note", "locked", "paper", "made", "tags"]`},
		{[]string{"components", "schemas", "pad", "properties", "object", "const"}, `"pad"`},
		{[]string{"components", "schemas", "padList", "properties", "data"}, `{"type": "array", "items": {"$ref": "#/components/schemas/pad"}, "description": "The objects."}`},
		{[]string{"paths", "/pads", "post", "responses", "409", "x-error-codes"}, `["room_locked", "idempotency_key_in_use"]`},
		{[]string{"paths", "/pads", "get", "responses", "403", "x-error-codes"}, `["insufficient_scope"]`},
		{[]string{"paths", "/stream", "get", "responses", "200", "content", "text/event-stream", "schema", "type"}, `"string"`},
	} {
		var want any
		if err := json.Unmarshal([]byte(test.want), &want); err != nil {
			t.Fatal(err)
		}
		if got := at(t, doc, test.steps...); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%v is\n%v, want\n%v", test.steps, got, want)
		}
	}
	if paths, _ := at(t, doc, "paths").(map[string]any); paths["/openapi.json"] != nil {
		t.Error("the document describes itself")
	}
}

// TestAnswersFitTheDocument sends one request for each kind of outcome and
// checks the answers against the document.
func TestAnswersFitTheDocument(t *testing.T) {
	t.Parallel()
	edge, _ := rest.NewPads(t)
	handler := resttest.Handler(t, edge, http.NotFoundHandler())
	for _, test := range []struct {
		method, path, key, media, body string
		status                         int
	}{
		{"GET", "/api/v1/pads", "all", "", "", 200},
		{"GET", "/api/v1/pads?limit=0", "all", "", "", 400},
		{"GET", "/api/v1/pads?x=0", "all", "", "", 400},
		{"POST", "/api/v1/pads", "all", "application/json", `{"name": "x"}`, 201},
		{"POST", "/api/v1/pads", "all", "application/json", `{"id": 1, "x": 1}`, 400},
		{"POST", "/api/v1/pads", "all", "application/json", `{`, 400},
		{"POST", "/api/v1/pads", "all", "text/plain", `{}`, 415},
		{"POST", "/api/v1/pads", "all", "application/json", strings.Repeat(" ", rest.MaxBody+1), 413},
		{"POST", "/api/v1/pads", "readonly", "", "", 403},
		{"POST", "/api/v1/pads", "", "", "", 401},
		{"GET", aPad, "all", "", "", 200},
		{"HEAD", aPad, "all", "", "", 200},
		{"GET", "/api/v1/pads/x", "all", "", "", 404},
		{"PATCH", aPad, "all", "application/json", `{"name": "y"}`, 200},
		{"PUT", aPad, "all", "", "", 405},
		{"POST", "/api/v1/tokens", "all", "", "", 200},
		{"POST", "/api/v1/fail", "all", "", "", 500},
		{"GET", "/api/v1/nothing", "all", "", "", 404},
		{"GET", "/api/v1/openapi.json", "", "", "", 200},
		{"GET", "/api/v1/stream", "all", "", "", 200},
	} {
		r := httptest.NewRequestWithContext(t.Context(), test.method, test.path, strings.NewReader(test.body))
		if test.key != "" {
			r.Header.Set("Authorization", "Bearer "+test.key)
		}
		r.Header.Set("Content-Type", test.media)
		rec := httptest.NewRecorder()
		handler.ServeHTTP(rec, r)
		if rec.Code != test.status {
			t.Errorf("%s %s: %d, want %d: %s", test.method, test.path, rec.Code, test.status, rec.Body)
		}
	}
}

// TestDeviationsAreReported checks that answers that differ from the document are
// reported, each for its reason.
func TestDeviationsAreReported(t *testing.T) {
	t.Parallel()
	raw, _ := document(t)
	doc, err := resttest.ParseDocument("/api/v1", raw)
	if err != nil {
		t.Fatal(err)
	}
	good := `{"object": "pad", "id": "0192f3a1-7c3e-7d3a-9a41-3b6f0e5d2c11", "name": "x", "note": null, "locked": false,
		"paper": {"size": "a4", "ruled": true, "kind": "x"}, "made": "2026-11-20T10:00:00.000Z", "tags": []}`
	for _, test := range []struct {
		name, old, new string
		status         int
		want           string // empty: nothing
	}{
		{"a good answer", "", "", 200, ""},
		{"a missing field", `"locked": false,`, ``, 200, "locked is missing"},
		{"one too many", `"locked"`, `"secret": 1, "locked"`, 200, "secret is not in the document"},
		{"a wrong type", `"locked": false`, `"locked": "no"`, 200, "breaks type boolean"},
		{"null", `"name": "x"`, `"name": null`, 200, "breaks type string"},
		{"null in a list's place", `"tags": []`, `"tags": null`, 200, "breaks type array"},
		{"a wrong element", `"tags": []`, `"tags": [1]`, 200, "tags[0]"},
		{"a wrong word", `"size": "a4"`, `"size": "a3"`, 200, "breaks enum"},
		{"a wrong constant", `"object": "pad"`, `"object": "room"`, 200, "breaks const"},
		{"a time without milliseconds", `10:00:00.000Z`, `10:00:00Z`, 200, "breaks format date-time"},
		{"an id that is none", `0192f3a1-`, `0192F3A1-`, 200, "breaks format uuid"},
		{"another status", "", "", 418, "no such answer"},
		{"an undocumented code", good, `{"error": {"type": "t", "code": "room_locked", "message": "m", "doc_url": "d", "request_id": "r"}}`, 404, "room_locked"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			header := http.Header{
				"Request-Id": {"r"}, "Cache-Control": {"no-store"}, "X-Content-Type-Options": {"nosniff"}, "Content-Type": {"application/json"},
			}
			r := httptest.NewRequestWithContext(t.Context(), "GET", aPad, http.NoBody)
			wrong := strings.Join(doc.Answer("GET", r.URL, test.status, header, []byte(strings.Replace(good, test.old, test.new, 1))), "\n")
			if (test.want == "") != (wrong == "") || !strings.Contains(wrong, test.want) {
				t.Errorf("got %q, want a complaint about %q", wrong, test.want)
			}
			header.Del("Request-Id")
			if missing := strings.Join(doc.Answer("GET", r.URL, test.status, header, []byte(good)), "\n"); !strings.Contains(missing, "Request-Id") {
				t.Errorf("a missing Request-Id was not reported: %q", missing)
			}
		})
	}
}

// TestTheTableOfCodes checks that every code of package api is explained once,
// and no other.
func TestTheTableOfCodes(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "../../api/errors.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var constants []string
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(spec.Names[0].Name, "Code") {
			return true
		}
		literal, ok := spec.Values[0].(*ast.BasicLit)
		if !ok {
			t.Fatalf("%s is not a literal", spec.Names[0].Name)
		}
		value, err := strconv.Unquote(literal.Value)
		if err != nil {
			t.Fatal(err)
		}
		constants = append(constants, value)
		return true
	})
	var table []string
	for _, doc := range rest.Codes() {
		table = append(table, doc.Code)
		if doc.When == "" || doc.Fix == "" || doc.Type == "" || http.StatusText(doc.Status) == "" {
			t.Errorf("%s is not explained", doc.Code)
		}
	}
	slices.Sort(constants)
	slices.Sort(table)
	if !slices.Equal(constants, table) {
		t.Errorf("package api has\n%v, the table has\n%v", constants, table)
	}
}

// TestTheReferencePage checks that docs/reference/errors.md has a row for every code,
// as the table has it.
func TestTheReferencePage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/reference/errors.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range rest.Codes() {
		row := fmt.Sprintf("| %d | %#q | %#q | %s | %s |\n", c.Status, c.Type, c.Code, c.When, c.Fix)
		if !strings.Contains(string(page), row) {
			t.Errorf("docs/reference/errors.md lacks the row\n%s", row)
		}
	}
	if rows := strings.Count(string(page), "\n| 4") + strings.Count(string(page), "\n| 5"); rows != len(rest.Codes()) {
		t.Errorf("the page has %d rows, the table %d", rows, len(rest.Codes()))
	}
}
