package calendartest

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// shape returns what is wrong with a value, or "".
type shape func(any) string

// fields is the shape of an object: each field has a shape, the required fields must
// be present, and no others are allowed.
func fields(required []string, all map[string]shape) shape {
	return func(v any) string {
		object, ok := v.(map[string]any)
		if !ok {
			return fmt.Sprintf("is %v, not an object", v)
		}
		for _, name := range required {
			if _, ok := object[name]; !ok {
				return "has no " + name
			}
		}
		for name, value := range object {
			check, known := all[name]
			if !known {
				return "has the field " + name + ", which cannot be written"
			}
			if wrong := check(value); wrong != "" {
				return name + " " + wrong
			}
		}
		return ""
	}
}

func text(v any) string {
	if _, ok := v.(string); !ok {
		return fmt.Sprintf("is %v, not a text", v)
	}
	return ""
}

func number(v any) string {
	if n, ok := v.(float64); !ok || n != float64(int(n)) {
		return fmt.Sprintf("is %v, not a number", v)
	}
	return ""
}

func anything(any) string { return "" }

func oneOf(values ...string) shape {
	return func(v any) string {
		if s, ok := v.(string); !ok || !slices.Contains(values, s) {
			return fmt.Sprintf("is %v, not one of %v", v, values)
		}
		return ""
	}
}

func timed(form string) shape {
	return func(v any) string {
		s, _ := v.(string)
		if _, err := time.Parse(form, s); err != nil {
			return fmt.Sprintf("is %v, not a time like %s", v, form)
		}
		return ""
	}
}

func listOf(each shape) shape {
	return func(v any) string {
		list, ok := v.([]any)
		if !ok || len(list) == 0 {
			return fmt.Sprintf("is %v, not a list", v)
		}
		for _, one := range list {
			if wrong := each(one); wrong != "" {
				return wrong
			}
		}
		return ""
	}
}

// readBody reads the JSON of a request and checks its shape.
func readBody(t testing.TB, r *http.Request, is shape) map[string]any {
	t.Helper()
	if got := r.Header.Get("Content-Type"); got != "application/json" {
		t.Errorf("%s %s has the type %q", r.Method, r.URL, got)
	}
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		t.Error(err)
	}
	var body map[string]any
	if err := json.Unmarshal(raw, &body); err != nil {
		t.Errorf("%s %s: %v", r.Method, r.URL, err)
	}
	if wrong := is(body); wrong != "" {
		t.Errorf("%s %s: the event %s: %s", r.Method, r.URL, wrong, raw)
	}
	return body
}

// Reply answers with JSON.
func Reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// sortedKeys returns the keys of a map in order.
func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}

// stringAt returns the text at a path in an object, or "".
func stringAt(object map[string]any, path ...string) string {
	var value any = object
	for _, name := range path {
		object, _ := value.(map[string]any)
		value = object[name]
	}
	s, _ := value.(string)
	return strings.TrimSpace(s)
}
