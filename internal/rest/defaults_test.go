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

// A value that is the zero of its type is a value, not a field that was left out.
func TestAZeroIsNoDefault(t *testing.T) {
	t.Parallel()
	type sheet struct {
		Lined  api.Opt[bool] `json:"lined,omitzero" default:"true" doc:"Lined."`
		Margin int           `json:"margin" default:"5" minimum:"0" doc:"Margin."`
	}
	for body, want := range map[string]sheet{
		`{}`:                              {Lined: api.Set(true), Margin: 5},
		`{"lined": false, "margin": 0}`:   {Lined: api.Set(false), Margin: 0},
		`{"lined": null, "margin": null}`: {Lined: api.Set(true), Margin: 5},
	} {
		n, err := parseObject([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		var got sheet
		d := &decoder{}
		d.object(nil, compileType(reflect.TypeFor[sheet]()), nil, n, reflect.ValueOf(&got).Elem())
		if len(d.failures) > 0 || got != want {
			t.Errorf("%s is read as %+v (%v), want %+v", body, got, d.failures, want)
		}
	}
	want := sheet{Lined: api.Set(false), Margin: 5}
	if got := Filled(sheet{Lined: api.Set(false)}); got != want {
		t.Errorf("a request made in Go is filled to %+v, want %+v", got, want)
	}
}
