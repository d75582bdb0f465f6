package rest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
)

// failures sends a body and returns the failures in the answer as "param code:
// message".
func failures(t *testing.T, w *padServer, method, target, body string) []string {
	t.Helper()
	res := w.call(t, method, target, body)
	if res.StatusCode != http.StatusBadRequest {
		return []string{fmt.Sprintf("status %d", res.StatusCode)}
	}
	e := refusalOf(t, res)
	var lines []string
	for _, f := range e.Errors {
		lines = append(lines, f.Param+" "+f.Code+": "+f.Message)
	}
	if len(e.Errors) > 0 && (e.Code != e.Errors[0].Code || e.Param != e.Errors[0].Param || e.Message != e.Errors[0].Message) {
		t.Errorf("the top level says %s %s, the first failure is %s", e.Param, e.Code, lines[0])
	}
	return lines
}

func TestWhichFieldsOfABodyAreRefused(t *testing.T) {
	t.Parallel()
	invalid := func(param, message string) string { return param + " parameter_invalid: " + message }
	tests := []struct {
		body string
		want []string // nil: accepted
	}{
		// Presence.
		{`{}`, []string{"name parameter_missing: name is required."}},
		{``, []string{"name parameter_missing: name is required."}},
		{`{"name": "x"}`, nil},
		{`{"name": null}`, []string{invalid("name", "name must not be null.")}},
		{`{"name": "x", "count": null, "note": null, "paper": null, "tags": null, "code": null, "copies": null}`, nil},
		// Text: both limits and their neighbours, in code points.
		{`{"name": ""}`, []string{invalid("name", "name must be 1 to 8 characters long.")}},
		{`{"name": "   "}`, []string{invalid("name", "name must be 1 to 8 characters long.")}},
		{`{"name": "12345678"}`, nil},
		{`{"name": "123456789"}`, []string{invalid("name", "name must be 1 to 8 characters long.")}},
		{`{"name": "  12345678  "}`, nil},
		{`{"name": "😀😀😀😀😀😀😀😀"}`, nil},
		{`{"name": "e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301"}`, nil}, // eight after NFC
		{`{"name": "a\nb"}`, []string{invalid("name", "name must not contain control characters.")}},
		{`{"name": "a\u0000b"}`, []string{invalid("name", "name must not contain control characters.")}},
		{`{"name": "a\u0085b"}`, []string{invalid("name", "name must not contain control characters.")}},
		{`{"name": 1}`, []string{invalid("name", "name must be a string.")}},
		{`{"name": "x", "note": "12345"}`, nil},
		{`{"name": "x", "note": "123456"}`, []string{invalid("note", "note must be at most 5 characters long.")}},
		{`{"name": "x", "note": "a\nb"}`, nil},
		{`{"name": "x", "note": "a\tb"}`, []string{invalid("note", "note must not contain control characters other than line ends.")}},
		// Enum, pattern, format.
		{`{"name": "x", "paper": {"size": "a5"}}`, nil},
		{`{"name": "x", "paper": {"size": "A5"}}`, []string{invalid("paper.size", "paper.size must be one of a4, a5.")}},
		{`{"name": "x", "paper": 1}`, []string{invalid("paper", "paper must be an object.")}},
		{`{"name": "x", "code": "ABC"}`, []string{invalid("code", "code must be lower-case letters.")}},
		{`{"name": "x", "owner": "0192f3a1-7c3e-7d3a-9a41-3b6f0e5d2c11"}`, nil},
		{`{"name": "x", "owner": "{0192f3a1-7c3e-7d3a-9a41-3b6f0e5d2c11}"}`, []string{invalid("owner", "owner must be a UUID in lower case.")}},
		{`{"name": "x", "link": "https://example.com/a"}`, nil},
		{`{"name": "x", "link": "/a"}`, []string{invalid("link", "link must be an absolute URL.")}},
		// Numbers.
		{`{"name": "x", "count": 2}`, nil},
		{`{"name": "x", "count": 4}`, nil},
		{`{"name": "x", "count": 1}`, []string{invalid("count", "count must be 2 to 4.")}},
		{`{"name": "x", "count": 5}`, []string{invalid("count", "count must be 2 to 4.")}},
		{`{"name": "x", "count": 3.0}`, nil},
		{`{"name": "x", "count": 3.5}`, []string{invalid("count", "count must be an integer.")}},
		{`{"name": "x", "count": "3"}`, []string{invalid("count", "count must be an integer.")}},
		{`{"name": "x", "count": 1e400}`, []string{invalid("count", "count must be an integer.")}},
		{`{"name": "x", "count": 1e300}`, []string{invalid("count", "count must be an integer.")}},
		{`{"name": "x", "ratio": 0.5}`, nil},
		{`{"name": "x", "ratio": 0.49}`, []string{invalid("ratio", "ratio must be at least 0.5.")}},
		{`{"name": "x", "ratio": 1e400}`, []string{invalid("ratio", "ratio must be a number.")}},
		{`{"name": "x", "ratio": true}`, []string{invalid("ratio", "ratio must be a number.")}},
		{`{"name": "x", "paper": {"ruled": 1}}`, []string{invalid("paper.ruled", "paper.ruled must be true or false.")}},
		// Times.
		{`{"name": "x", "due": "2026-11-20T10:00:00+01:00"}`, nil},
		{`{"name": "x", "due": "2026-11-20T10:00:00"}`, []string{invalid("due", "due must be a time with an offset, such as 2026-11-20T10:00:00Z.")}},
		{`{"name": "x", "due": 1763632800}`, []string{invalid("due", "due must be a time with an offset, such as 2026-11-20T10:00:00Z.")}},
		// Arrays.
		{`{"name": "x", "tags": []}`, []string{invalid("tags", "tags must have 1 to 3 entries.")}},
		{`{"name": "x", "tags": ["a", "b", "c"]}`, nil},
		{`{"name": "x", "tags": ["a", "b", "c", "d"]}`, []string{invalid("tags", "tags must have 1 to 3 entries.")}},
		{`{"name": "x", "tags": ["a", "12345"]}`, []string{invalid("tags[1]", "tags[1] must be at most 4 characters long.")}},
		{`{"name": "x", "tags": ["a", null]}`, []string{invalid("tags[1]", "tags[1] must not be null.")}},
		{`{"name": "x", "tags": ["a", " a "]}`, []string{invalid("tags", "tags must not have the same entry twice.")}},
		{`{"name": "x", "tags": [5, "a", " a "]}`, []string{
			invalid("tags[0]", "tags[0] must be a string."), invalid("tags", "tags must not have the same entry twice."),
		}},
		{`{"name": "x", "tags": [5, 6]}`, []string{invalid("tags[0]", "tags[0] must be a string."), invalid("tags[1]", "tags[1] must be a string.")}},
		{`{"name": "x", "tags": "a"}`, []string{invalid("tags", "tags must be an array.")}},
		// A number or a list: the limits of each.
		{`{"name": "x", "pages": 1}`, nil},
		{`{"name": "x", "pages": 5}`, nil},
		{`{"name": "x", "pages": 0}`, []string{invalid("pages", "pages must be 1 to 5.")}},
		{`{"name": "x", "pages": 6}`, []string{invalid("pages", "pages must be 1 to 5.")}},
		{`{"name": "x", "pages": 1.5}`, []string{invalid("pages", "pages must be an integer.")}},
		{`{"name": "x", "pages": ["a"]}`, nil},
		{`{"name": "x", "pages": []}`, []string{invalid("pages", "pages must have 1 to 2 entries.")}},
		{`{"name": "x", "pages": ["a", "b", "c"]}`, []string{invalid("pages", "pages must have 1 to 2 entries.")}},
		{`{"name": "x", "pages": ["a", "12345"]}`, []string{invalid("pages[1]", "pages[1] must be at most 4 characters long.")}},
		{`{"name": "x", "pages": [1]}`, []string{invalid("pages[0]", "pages[0] must be a string.")}},
		{`{"name": "x", "pages": "2"}`, []string{invalid("pages", "pages must be an integer or an array.")}},
		{`{"name": "x", "pages": true}`, []string{invalid("pages", "pages must be an integer or an array.")}},
		{`{"name": "x", "pages": {}}`, []string{invalid("pages", "pages must be an integer or an array.")}},
		{`{"name": "x", "moves": [{"who": "a", "room": 0}, {"who": "b", "room": -1}]}`, []string{invalid("moves[1].room", "moves[1].room must be at least 0.")}},
		{`{"name": "x", "moves": [{}]}`, []string{
			"moves[0].who parameter_missing: moves[0].who is required.", "moves[0].room parameter_missing: moves[0].room is required.",
		}},
		// Unknown fields, with names as sent, come last and completely.
		{`{"zebra": 1, "paper": {"colour": 1}, "Name": "x", "count": 9}`, []string{
			"name parameter_missing: name is required.",
			invalid("count", "count must be 2 to 4."),
			"paper.colour parameter_unknown: paper.colour is not a field of this request.",
			"zebra parameter_unknown: zebra is not a field of this request.",
			"Name parameter_unknown: Name is not a field of this request. Did you mean name?",
		}},
		{`{"name": "x", "": 1, "paper": {" ": 1}}`, []string{
			"paper parameter_unknown: paper has a field without a name.",
			" parameter_unknown: The body has a field without a name.",
		}},
		// Read-only fields of the object are refused unless they have their
		// current value.
		{`{"name": "x", "id": "0192f3a1-7c3e-7d3a-9a41-3b6f0e5d2c11", "what": 1, "paper": {"kind": "fancy"}}`, []string{
			"id parameter_read_only: id is read-only and cannot be set here.",
			"paper.kind parameter_read_only: paper.kind is read-only and cannot be set here.",
			"what parameter_unknown: what is not a field of this request.",
		}},
		{`{"name": "x", "object": "pad", "locked": false, "id": null, "paper": {"kind": "plain"}, "deleted": false}`, nil},
		{`{"name": "x", "object": "room"}`, []string{"object parameter_read_only: object is read-only and cannot be set here."}},
		{`{"name": "x", "locked": true}`, []string{"locked parameter_read_only: locked is read-only and cannot be set here."}},
	}
	for _, test := range tests {
		t.Run(test.body, func(t *testing.T) {
			t.Parallel()
			w := newPadServer(t, nil)
			got := failures(t, w, "POST", "/api/v1/pads", test.body)
			want := test.want
			if want == nil {
				want = []string{"status 201"}
			}
			if !slices.Equal(got, want) {
				t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
			}
		})
	}
}

func TestTheHandlerGetsCleanedValues(t *testing.T) {
	t.Parallel()
	w := newPadServer(t, nil)
	body := `{"name": "  caf\u0065\u0301 ", "note": " a\r\nb ", "paper": {"ruled": true}, "count": 3, "due": "2026-11-20T10:00:00.12345+01:00",
		"tags": [" x "], "code": "abc", "secret": " kept ", "meta": {"a": [1]}, "moves": [{"who": "ada", "room": 2}]}`
	if res := w.call(t, "POST", "/api/v1/pads", body); res.StatusCode != http.StatusCreated {
		t.Fatalf("status %d: %v", res.StatusCode, refusalOf(t, res))
	}
	code := "abc"
	due := api.At(time.Date(2026, 11, 20, 9, 0, 0, 123e6, time.UTC))
	want := padCreate{
		Name: "café", Note: api.Set("a\nb"), Paper: paperUpdate{Size: api.Set("a4"), Ruled: api.Set(true)}, Count: api.Set(3), Due: api.Set(due),
		Tags: []string{"x"}, Code: &code, Secret: " kept ", Copies: 3, Meta: map[string]any{"a": []any{1.0}}, Moves: []move{{"ada", 2}},
	}
	if !reflect.DeepEqual(w.seen[0], want) {
		t.Errorf("got  %+v\nwant %+v", w.seen[0], want)
	}
}

func TestAMergePatch(t *testing.T) {
	t.Parallel()
	tests := []struct {
		body string
		want any // padUpdate: what the handler gets; []string: failures
	}{
		{``, padUpdate{}},
		{`{}`, padUpdate{}},
		{`{"note": null}`, padUpdate{Note: api.Clear[string]()}},
		{`{"note": "  "}`, padUpdate{Note: api.Clear[string]()}},
		{`{"note": "x"}`, padUpdate{Note: api.Set("x")}},
		{`{"paper": {"ruled": false}}`, padUpdate{Paper: paperUpdate{Ruled: api.Set(false)}}},
		{`{"name": null}`, []string{"name parameter_invalid: name must not be null."}},
		{`{"name": ""}`, []string{"name parameter_invalid: name must be 1 to 8 characters long."}},
		{`{"paper": null}`, []string{"paper parameter_invalid: paper must not be null."}},
		{`{"paper": {"size": null}}`, []string{"paper.size parameter_invalid: paper.size must not be null."}},
		// What GET shows can be sent back.
		{`{"object": "pad", "id": "` + padID + `", "name": "Notes", "note": null, "locked": false, "paper": {"size": "a4", "ruled": false, "kind": "plain"},
			"made": "2025-11-20T10:00:00.000Z", "tags": ["x"]}`, padUpdate{
			Name: api.Set("Notes"), Note: api.Clear[string](), Paper: paperUpdate{Size: api.Set("a4"), Ruled: api.Set(false)},
		}},
		{`{"made": "2025-11-20T11:00:00+01:00"}`, padUpdate{}},
		{`{"made": "2025-11-20T11:00:00.001+01:00"}`, []string{"made parameter_read_only: made is read-only and cannot be set here."}},
		{`{"tags": ["x", "y"]}`, []string{"tags parameter_read_only: tags is read-only and cannot be set here."}},
		{`{"id": null}`, []string{"id parameter_read_only: id is read-only and cannot be set here."}},
	}
	for _, test := range tests {
		t.Run(test.body, func(t *testing.T) {
			t.Parallel()
			w := newPadServer(t, nil)
			got := failures(t, w, "PATCH", "/api/v1/pads/"+padID, test.body)
			if want, ok := test.want.([]string); ok {
				if !slices.Equal(got, want) {
					t.Errorf("got %q, want %q", got, want)
				}
				return
			}
			if w.count() != 1 || !reflect.DeepEqual(w.seen[0], test.want) {
				t.Errorf("answer %q, the handler got %+v, want %+v", got, w.seen, test.want)
			}
		})
	}
}

func TestReadOnlyFieldsOfAnObjectThatIsNotThere(t *testing.T) {
	t.Parallel()
	w := newPadServer(t, nil)
	if got := failures(t, w, "PATCH", "/api/v1/pads/nothing", `{"id": "nothing"}`); !slices.Equal(got, []string{"status 404"}) {
		t.Errorf("alone: %q, want the 404 of the object", got)
	}
	got := failures(t, w, "PATCH", "/api/v1/pads/nothing", `{"id": "nothing", "name": 1}`)
	if len(got) == 0 || got[0] != "name parameter_invalid: name must be a string." {
		t.Errorf("with another failure: %q, want that failure first", got)
	}
}

func TestBodiesOfOperationsThatTakeNone(t *testing.T) {
	t.Parallel()
	for body, want := range map[string][]string{
		"":             {"status 200"},
		"{}":           {"status 200"},
		`{"a": 1}`:     {"a parameter_unknown: a is not a field of this request."},
		`{"name": ""}`: {"name parameter_unknown: name is not a field of this request."},
	} {
		w := newPadServer(t, nil)
		if got := failures(t, w, "POST", "/api/v1/tokens", body); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", body, got, want)
		}
	}
	w := newPadServer(t, nil)
	if res := w.call(t, "GET", "/api/v1/me", `{"a": 1}`, "Content-Type", "text/plain"); res.StatusCode != http.StatusOK {
		t.Errorf("a GET with a body got %d; its body means nothing", res.StatusCode)
	}
}

func TestQueries(t *testing.T) {
	t.Parallel()
	tests := []struct {
		query string
		want  []string // nil: accepted
	}{
		{"", nil},
		{"limit=1", nil},
		{"limit=100&starting_after=x&from=2026-11-20T10:00:00Z&open=true", nil},
		{"limit=0", []string{"limit parameter_invalid: limit must be 1 to 100."}},
		{"limit=101", []string{"limit parameter_invalid: limit must be 1 to 100."}},
		{"limit=", []string{"limit parameter_invalid: limit must not be empty."}},
		{"limit", []string{"limit parameter_invalid: limit must not be empty."}},
		{"limit=1&limit=1", []string{"limit parameter_invalid: limit must be given once."}},
		{"limit=ten", []string{"limit parameter_invalid: limit must be an integer."}},
		{"limit=%31", nil},
		{"limit=+5", []string{"limit parameter_invalid: limit must be an integer."}},
		{"=1", []string{" parameter_unknown: The query has a parameter without a name."}},
		{"Limit=1", []string{"Limit parameter_unknown: Limit is not a query parameter of this operation."}},
		{"open=1", []string{"open parameter_invalid: open must be true or false."}},
		{"from=tomorrow", []string{"from parameter_invalid: from must be a time with an offset, such as 2026-11-20T10:00:00Z."}},
		{"zoo=1&limit=x&apple=2&from=x", []string{
			"limit parameter_invalid: limit must be an integer.",
			"from parameter_invalid: from must be a time with an offset, such as 2026-11-20T10:00:00Z.",
			"apple parameter_unknown: apple is not a query parameter of this operation.",
			"zoo parameter_unknown: zoo is not a query parameter of this operation.",
		}},
		{"starting_after=%00", []string{"starting_after parameter_invalid: starting_after must not contain control characters."}},
		{"limit=%zz", []string{}},
		{"limit=1;open=true", []string{}},
		{"starting_after=%ff", []string{}},
	}
	for _, test := range tests {
		t.Run(test.query, func(t *testing.T) {
			t.Parallel()
			w := newPadServer(t, nil)
			got := failures(t, w, "GET", "/api/v1/pads?"+test.query, "")
			want := test.want
			if want == nil {
				want = []string{"status 200"}
			}
			if !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestDefaultsOfAQuery(t *testing.T) {
	t.Parallel()
	w := newPadServer(t, nil)
	w.call(t, "GET", "/api/v1/pads", "")
	if got := reflect.ValueOf(w.seen[0]).FieldByName("Limit").Int(); got != 25 {
		t.Errorf("without a limit the handler gets %d, want 25", got)
	}
	if w.call(t, "POST", "/api/v1/pads?limit=1", `{"name": "x"}`).StatusCode != http.StatusBadRequest {
		t.Error("a query parameter that the operation does not have was accepted")
	}
}

// FuzzRequest checks that every request gets a success or an envelope, and
// never internal_error.
func FuzzRequest(f *testing.F) {
	for _, seed := range []string{
		`{"name": "x"}`, `{"name": null, "id": {}}`, `{"tags": ["a", ["b"]], "moves": [{"room": 1e99}]}`, `{"paper": {"kind": [{}]}}`,
		`{"due": "0000-01-01T00:00:00Z", "count": -0, "ratio": 1e-999, "meta": {"a": {"b": []}}}`, `{"": ""}`, `[`, "\xff",
	} {
		f.Add("POST", "limit=1", seed)
		f.Add("PATCH", "%", seed)
	}
	w := newPadServer(f, func(c *Config) { c.Limits.Off = true })
	f.Fuzz(func(t *testing.T, method, query, body string) {
		path := "/api/v1/pads"
		if method != http.MethodPost {
			method, path = http.MethodPatch, path+"/"+padID
		}
		r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
		r.URL.RawQuery = query
		r.Header.Set("Authorization", "Bearer all")
		r.Header.Set("Content-Type", "application/json")
		rec := httptest.NewRecorder()
		w.ServeHTTP(rec, r)
		if rec.Code >= http.StatusMultipleChoices {
			refusalOf(t, rec.Result())
			if rec.Code >= http.StatusInternalServerError {
				t.Errorf("%s %s?%s %q: %d", method, path, query, body, rec.Code)
			}
		}
	})
}
