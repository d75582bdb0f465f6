package schema

import (
	"reflect"
	"testing"

	"github.com/conclave-rooms/conclave/api"
)

// A value that is the zero of its type is a value, not a field that was left out.
func TestAZeroIsNoDefault(t *testing.T) {
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
