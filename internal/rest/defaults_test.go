package rest

import (
	"reflect"
	"testing"

	"github.com/conclave-rooms/conclave/api"
)

// A field that a new object leaves out has the default of its tag. A patch leaves
// such a field as it is.
func TestDefaults(t *testing.T) {
	t.Parallel()
	plain := paperUpdate{Size: api.Set("a4"), Ruled: api.Set(false)}
	tests := []struct {
		name, method, target, body string
		want                       any
	}{
		{"left out", "POST", "/pads", `{"name": "x"}`, padCreate{Name: "x", Paper: plain, Copies: 3}},
		{"null", "POST", "/pads", `{"name": "x", "copies": null, "paper": null}`, padCreate{Name: "x", Paper: plain, Copies: 3}},
		{"null in an object", "POST", "/pads", `{"name": "x", "paper": {"size": null}}`, padCreate{Name: "x", Paper: plain, Copies: 3}},
		{"another value", "POST", "/pads", `{"name": "x", "paper": {"size": "a5"}}`, padCreate{Name: "x", Paper: paperUpdate{Size: api.Set("a5"), Ruled: api.Set(false)}, Copies: 3}},
		{"the default itself", "POST", "/pads", `{"name": "x", "paper": {"ruled": false}}`, padCreate{Name: "x", Paper: plain, Copies: 3}},
		{"a patch", "PATCH", "/pads/" + padID, `{"name": "y"}`, padUpdate{Name: api.Set("y")}},
		{"an object in a patch", "PATCH", "/pads/" + padID, `{"paper": {"ruled": false}}`, padUpdate{Paper: paperUpdate{Ruled: api.Set(false)}}},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newPadServer(t, nil)
			if res := w.call(t, c.method, "/api/v1"+c.target, c.body); res.StatusCode >= 300 {
				t.Fatalf("status %d: %v", res.StatusCode, refusalOf(t, res))
			}
			if !reflect.DeepEqual(w.seen[0], c.want) {
				t.Errorf("the handler got\n  %+v\nwant\n  %+v", w.seen[0], c.want)
			}
		})
	}
}
