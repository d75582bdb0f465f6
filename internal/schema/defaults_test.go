package schema

import (
	"reflect"
	"testing"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
)

// A value that is the zero of its type is a value, not a field that was left out.
func TestAZeroIsNotReplacedByTheDefault(t *testing.T) {
	t.Parallel()
	type sheet struct {
		Lined  api.Opt[bool] `json:"lined,omitzero" default:"true" doc:"Lined."`
		Margin int           `json:"margin" default:"5" minimum:"0" doc:"Margin."`
	}
	in, err := InputOf(reflect.TypeFor[struct{ Body sheet }](), false)
	if err != nil {
		t.Fatal(err)
	}
	for body, want := range map[string]sheet{
		`{}`:                              {Lined: api.Set(true), Margin: 5},
		`{"lined": false, "margin": 0}`:   {Lined: api.Set(false), Margin: 0},
		`{"lined": null, "margin": null}`: {Lined: api.Set(true), Margin: 5},
	} {
		var got struct{ Body sheet }
		read, err := in.Read(&got, Request{Body: []byte(body)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if wrong := read.Verdict(nil); wrong != nil || got.Body != want {
			t.Errorf("%s is read as %+v (%v), want %+v", body, got.Body, wrong, want)
		}
	}
	want := sheet{Lined: api.Set(false), Margin: 5}
	if got := Filled(sheet{Lined: api.Set(false)}); got != want {
		t.Errorf("a request made in Go is filled to %+v, want %+v", got, want)
	}
}

// What the program made itself is read by the rules of a body.
func TestChecked(t *testing.T) {
	t.Parallel()
	type label struct {
		Text  string          `json:"text" minLength:"1" maxLength:"3" doc:"Text."`
		Paper api.Opt[string] `json:"paper,omitzero" enum:"a4,a5" default:"a4" doc:"Paper."`
		Note  api.Opt[string] `json:"note,omitzero" maxLength:"3" nullable:"true" doc:"Note."`
	}
	for _, c := range []struct {
		name    string
		in      label
		want    label
		refused string
	}{
		{"defaults", label{Text: "abc"}, label{Text: "abc", Paper: api.Set("a4")}, ""},
		{"values", label{Text: "<&>", Paper: api.Set("a5"), Note: api.Set("x")}, label{Text: "<&>", Paper: api.Set("a5"), Note: api.Set("x")}, ""},
		{"trimmed and composed", label{Text: " cre\u0301 "}, label{Text: "cr\u00e9", Paper: api.Set("a4")}, ""},
		{"nothing", label{Text: "  "}, label{}, "text must be 1 to 3 characters long."},
		{"nothing that shows", label{Text: "\u200b\u2800"}, label{}, "text must have a character that shows."},
		{"an emoji with a selector", label{Text: "\u2764\ufe0f"}, label{Text: "\u2764\ufe0f", Paper: api.Set("a4")}, ""},
		{"a family of joined emoji", label{Text: "\U0001F469\u200d\U0001F467"}, label{Text: "\U0001F469\u200d\U0001F467", Paper: api.Set("a4")}, ""},
		{"Persian with a non-joiner", label{Text: "\u0645\u200c\u062e"}, label{Text: "\u0645\u200c\u062e", Paper: api.Set("a4")}, ""},
		{"too long", label{Text: "abcd"}, label{}, "text must be 1 to 3 characters long."},
		{"a line end", label{Text: "a\nb"}, label{}, "text must not contain control characters."},
		{"an optional one too long", label{Text: "a", Note: api.Set("abcd")}, label{}, "note must be at most 3 characters long."},
		{"another paper", label{Text: "a", Paper: api.Set("a6")}, label{}, "paper must be one of a4, a5."},
	} {
		got, err := Checked(c.in)
		if c.refused == "" && (err != nil || got != c.want) {
			t.Errorf("%s: %+v is read as %+v (%v), want %+v", c.name, c.in, got, err, c.want)
		}
		if f, _ := fault.As(err); c.refused != "" && (f == nil || f.Message != c.refused) {
			t.Errorf("%s: %+v gets %v, want %s", c.name, c.in, err, c.refused)
		}
	}
}
