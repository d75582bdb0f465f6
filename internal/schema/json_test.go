package schema

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestParseObject(t *testing.T) {
	t.Parallel()
	nest := func(levels int) string {
		return strings.Repeat(`{"a":`, levels-1) + "{}" + strings.Repeat("}", levels-1)
	}
	tests := []struct {
		name, body, complaint string // no complaint: accepted
	}{
		{"empty object", `{}`, ""},
		{"space around", " \t\r\n{ \"a\" : [ 1 , 2 ] } \n", ""},
		{"all escapes", `{"a": "\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00"}`, ""},
		{"deepest", nest(16), ""},
		{"one too deep", nest(17), "deeper than 16"},
		{"deep array", `{"a":` + strings.Repeat("[", 16) + strings.Repeat("]", 16) + `}`, "deeper than 16"},
		{"most values", `{"a":[` + strings.Repeat("1,", mostValues-3) + `1]}`, ""},
		{"one too many", `{"a":[` + strings.Repeat("1,", mostValues-2) + `1]}`, "more than 10000 values"},
		{"one object too many", `{"a":[` + strings.Repeat(`{"b":1},`, mostValues/2-1) + `1]}`, "more than 10000 values"},
		{"as many as 2 MiB may hold", `{"a":[` + strings.Repeat("[],", 699_050) + `1]}`, "more than 10000 values"},
		{"array", `[]`, "must be a JSON object"},
		{"string", `"a"`, "must be a JSON object"},
		{"null", `null`, "must be a JSON object"},
		{"nothing but space", "  ", "ends too early"},
		{"unfinished", `{"a": 1`, "a comma or }"},
		{"unfinished string", `{"a`, "does not end"},
		{"trailing value", `{} {}`, "more after"},
		{"trailing letter", `{}x`, "more after"},
		{"trailing comma", `{"a": 1,}`, "field name"},
		{"comma in array", `{"a": [1,]}`, "value was expected"},
		{"comment", `{/*a*/}`, "field name"},
		{"single quotes", `{'a': 1}`, "field name"},
		{"bare name", `{a: 1}`, "field name"},
		{"no colon", `{"a" 1}`, "colon"},
		{"duplicate", `{"a": 1, "b": 2, "a": 1}`, `"a" is there twice`},
		{"duplicate, escaped", `{"a": 1, "\u0061": 1}`, `"a" is there twice`},
		{"duplicate inside", `{"x": [{"a": 1, "a": 2}]}`, `"a" is there twice`},
		{"other case is not a duplicate", `{"a": 1, "A": 2}`, ""},
		{"invalid UTF-8", "{\"a\": \"\xff\"}", "UTF-8"},
		{"encoded surrogate", "{\"a\": \"\xed\xa0\x80\"}", "UTF-8"},
		{"lone high surrogate", `{"a": "\ud83d"}`, "surrogate"},
		{"lone low surrogate", `{"a": "\ude00"}`, "surrogate"},
		{"swapped surrogates", `{"a": "\ude00\ud83d"}`, "surrogate"},
		{"high surrogate, letter", `{"a": "\ud83d\u0061"}`, "surrogate"},
		{"surrogate in a name", `{"\ud83d": 1}`, "surrogate"},
		{"short escape", `{"a": "\u12"}`, "hexadecimal"},
		{"signed escape", `{"a": "\u+123"}`, "hexadecimal"},
		{"unknown escape", `{"a": "\x"}`, "unknown escape"},
		{"raw newline", "{\"a\": \"\n\"}", "control character"},
		{"raw zero", "{\"a\": \"\x00\"}", "control character"},
		{"zero byte", "\x00", "value was expected"},
		{"byte order mark", "\ufeff{}", "value was expected"},
		{"leading zero", `{"a": 01}`, "comma"},
		{"plus", `{"a": +1}`, "value was expected"},
		{"point alone", `{"a": 1.}`, "after the point"},
		{"no integer part", `{"a": .5}`, "value was expected"},
		{"exponent alone", `{"a": 1e}`, "exponent"},
		{"minus alone", `{"a": -}`, "digit"},
		{"NaN", `{"a": NaN}`, "value was expected"},
		{"huge number", `{"a": 1e400}`, ""}, // its field refuses it
		{"capital literal", `{"a": True}`, "value was expected"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := parseObject([]byte(test.body))
			switch {
			case test.complaint == "" && err != nil:
				t.Errorf("refused: %v", err)
			case test.complaint != "" && (err == nil || !strings.Contains(err.Error(), test.complaint)):
				t.Errorf("got %v, want a complaint about %q", err, test.complaint)
			}
		})
	}
}

func TestParseJSONReadsWhatWasWritten(t *testing.T) {
	t.Parallel()
	n, err := parseObject([]byte(`{"s": "a\u00e9\ud83d\ude00\n", "n": -1.50e+2, "t": true, "l": [null, {}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := n.get("s").text; got != "aé😀\n" {
		t.Errorf("the string is %q", got)
	}
	if got := n.get("n").text; got != "-1.50e+2" {
		t.Errorf("the number is %q", got)
	}
	if !n.get("t").boolean {
		t.Error("true is false")
	}
	if got := string(n.get("l").raw); got != "[null, {}]" {
		t.Errorf("the list was written %s", got)
	}
	if n.get("nothing") != nil {
		t.Error("found a member that is not there")
	}
}

// FuzzParseJSON checks that encoding/json accepts everything that the parser
// accepts and reads the same, and that the parser refuses everything that
// encoding/json refuses.
func FuzzParseJSON(f *testing.F) {
	for _, seed := range []string{
		`{}`, `[1, -0.5e10, "a\u00e9\ud83d\ude00", null, true, {"a": {"b": []}}]`, `{"a": 1, "a": 2}`, `"\ud83d"`, "\xff", `01`, `{"a":`, `1e400`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		n, err := parseJSON(in, mostValues)
		if err != nil {
			return
		}
		if !utf8.Valid(in) {
			t.Fatalf("accepted what is not UTF-8: %q", in)
		}
		if !json.Valid(in) {
			t.Fatalf("accepted what encoding/json refuses: %q", in)
		}
		if n.kind == jsonString {
			var want string
			if err := json.Unmarshal(in, &want); err != nil || want != n.text {
				t.Fatalf("read %q as %q, encoding/json as %q (%v)", in, n.text, want, err)
			}
		}
	})
}

// An object of the service, with which a request is compared, may be larger than any
// body: a breakout session of some thousand people, for instance.
func TestAnObjectOfTheServiceHasAnyNumberOfValues(t *testing.T) {
	t.Parallel()
	n, err := asNode(make([]int, mostValues))
	if err != nil || len(n.items) != mostValues {
		t.Errorf("an array of %d numbers: %v", mostValues, err)
	}
}
