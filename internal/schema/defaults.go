package schema

import (
	"fmt"
	"reflect"
)

// Filled returns a request with the defaults of the fields that it leaves out,
// as a handler gets it. It is for callers within the program, whose requests do
// not come through the edge. A field that cannot be absent in Go counts as left
// out when it is zero.
func Filled[Body any](b Body) Body {
	v := reflect.ValueOf(&b).Elem()
	Of(v.Type()).fill(v)
	return b
}

// Checked reads a request as the edge reads a body: texts in the form in which
// they are stored, with defaults, and refused if a rule of its tags is broken. It
// is for callers within the program that pass on what a person typed.
func Checked[Body any](b Body) (Body, error) {
	var read struct{ Body Body }
	in, err := InputOf(reflect.TypeOf(read), false)
	if err != nil {
		return read.Body, fmt.Errorf("describe a %T: %w", b, err)
	}
	body, err := Encode(b)
	if err != nil {
		return read.Body, err
	}
	reading, err := in.Read(&read, Request{Body: body}, nil)
	if err != nil {
		return read.Body, err
	}
	return read.Body, reading.Verdict(nil)
}

// fill gives the absent fields of an object their defaults.
func (s *Schema) fill(object reflect.Value) {
	for _, f := range s.fields {
		f.fill(object.FieldByIndex(f.index))
	}
}

// fill gives a field its default if it is absent. It does the same for the fields of an
// absent object.
func (f *field) fill(into reflect.Value) {
	if f.def == nil {
		if f.schema.kind == kindObject && !f.opt && !f.ptr {
			f.schema.fill(into)
		}
		return
	}
	if !into.IsZero() {
		return
	}
	switch {
	case f.opt:
		into.FieldByName("Set").SetBool(true)
		into = into.FieldByName("Value")
	case f.ptr:
		into.Set(reflect.New(into.Type().Elem()))
		into = into.Elem()
	}
	if err := f.schema.parse(*f.def, into); err != nil {
		panic("schema: the default of " + f.name + " does not fit: " + err.Error())
	}
}
