package servertest

import (
	"encoding/json"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

// find finds a value by a path such as data[0].settings.chat; "." is the whole
// answer, and length the number of elements of a list.
func find(v any, path string) (any, bool) {
	if path == "." {
		return v, true
	}
	for _, step := range strings.FieldsFunc(path, func(r rune) bool { return r == '.' || r == '[' || r == ']' }) {
		switch at := v.(type) {
		case map[string]any:
			inner, ok := at[step]
			if !ok {
				return nil, false
			}
			v = inner
		case []any:
			if step == "length" {
				v = float64(len(at))
				continue
			}
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(at) {
				return nil, false
			}
			v = at[i]
		default:
			return nil, false
		}
	}
	return v, true
}

// text is the text under which a value is saved: a string unchanged, anything
// else as JSON.
func text(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	raw, _ := json.Marshal(v) // it was decoded from JSON
	return string(raw)
}

// compare checks a value against the expectation of a line.
func (s *story) compare(got any, there bool, expected string) {
	s.t.Helper()
	switch {
	case satisfies(got, there, expected):
	case there:
		s.fatal("got %s", text(got))
	default:
		s.fatal("it is not there")
	}
}

// satisfies says whether a value fits an expectation: absent, matches PATTERN,
// not EXPECTATION, or the value itself.
func satisfies(got any, there bool, expected string) bool {
	if expected == "absent" || !there {
		return expected == "absent" && !there
	}
	if pattern, ok := strings.CutPrefix(expected, "matches "); ok {
		return regexp.MustCompile(pattern).MatchString(text(got))
	}
	if other, ok := strings.CutPrefix(expected, "not "); ok {
		return !matchesValue(got, other)
	}
	return matchesValue(got, expected)
}

// matchesValue compares a value with one written as JSON or as a plain word.
func matchesValue(got any, expected string) bool {
	if s, ok := got.(string); ok && s == expected {
		return true
	}
	return reflect.DeepEqual(got, value(expected))
}
