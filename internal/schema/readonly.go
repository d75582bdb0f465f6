package schema

import (
	"math"
	"slices"
	"strconv"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
)

// Verdict returns everything that is wrong with the request, or nil: known fields
// in the order of the schema, then read-only ones, then unknown ones. Read-only
// fields are compared with the current values of the object, so that a fetched
// object can be sent back. current loads it, and is called only when such a field
// was sent; nil: the values are not known.
//
// When the object does not exist, that is the verdict, unless the request itself
// is wrong: fields are checked before objects.
func (d *Reading) Verdict(current func() (any, error)) error {
	readOnly, err := d.checkReadOnly(current)
	if err != nil {
		return err
	}
	failures := slices.Concat(d.failures, readOnly, d.unknown)
	if len(failures) == 0 {
		return nil
	}
	return fault.Parameters(failures[:min(len(failures), mostFailures)])
}

func (d *Reading) checkReadOnly(load func() (any, error)) ([]fault.Field, error) {
	if len(d.readOnly) == 0 {
		return nil, nil
	}
	var current *node
	if load != nil {
		object, err := load()
		if _, refused := fault.As(err); err != nil && (!refused || !d.Wrong()) {
			return nil, err
		}
		if err == nil {
			if current, err = asNode(object); err != nil {
				return nil, err
			}
		}
	}
	slices.SortStableFunc(d.readOnly, func(a, b sentReadOnly) int {
		return slices.Compare(d.known.place(a.steps), d.known.place(b.steps))
	})
	var failures []fault.Field
	for _, sent := range d.readOnly {
		if !d.unchanged(sent, current) {
			failures = append(failures, fault.Field{
				Param: sent.path, Code: api.CodeParameterReadOnly, Message: sent.path + " is read-only and cannot be set here.",
			})
		}
	}
	return failures, nil
}

// place finds the field in the object, level by level.
func (s *Schema) place(steps []string) []int {
	var place []int
	for _, step := range steps {
		i := slices.IndexFunc(s.fields, func(f *field) bool { return f.name == step })
		if i < 0 {
			break
		}
		place, s = append(place, i), s.fields[i].schema
	}
	return place
}

// unchanged says whether a read-only field was sent with its current value.
func (d *Reading) unchanged(sent sentReadOnly, current *node) bool {
	if sent.value.kind == jsonNull && !d.merge {
		return true // null means that the field was left out
	}
	known := d.known
	for i, step := range sent.steps {
		f := known.field(step)
		if f == nil {
			return false
		}
		if i == len(sent.steps)-1 && len(f.schema.enum) == 1 && !f.nullable { // constant, such as object
			return sent.value.kind == jsonString && sent.value.text == f.schema.enum[0]
		}
		known = f.schema
	}
	if current == nil {
		return false
	}
	for _, step := range sent.steps {
		if current = current.get(step); current == nil {
			return isZero(&sent.value) // the object leaves the field out
		}
	}
	return sameJSON(&sent.value, current)
}

// asNode converts a value of the service, of any size, to the JSON in which it is sent.
func asNode(v any) (*node, error) {
	raw, err := Encode(v)
	if err != nil {
		return nil, err
	}
	return parseJSON(raw, math.MaxInt)
}

func isZero(n *node) bool {
	switch n.kind {
	case jsonNull:
		return true
	case jsonBool:
		return !n.boolean
	case jsonNumber:
		return n.text == "0"
	case jsonString:
		return n.text == ""
	case jsonArray:
		return len(n.items) == 0
	case jsonObject:
		return len(n.members) == 0
	}
	return false
}

// sameJSON compares values, not their spelling: 1 and 1.0 are the same number,
// and a time is the same in every zone.
func sameJSON(a, b *node) bool {
	if a.kind != b.kind {
		return false
	}
	switch a.kind {
	case jsonNumber:
		x, errX := strconv.ParseFloat(a.text, 64)
		y, errY := strconv.ParseFloat(b.text, 64)
		return errX == nil && errY == nil && x == y
	case jsonString:
		return a.text == b.text || sameTime(a.text, b.text)
	case jsonArray:
		if len(a.items) != len(b.items) {
			return false
		}
		for i := range a.items {
			if !sameJSON(&a.items[i], &b.items[i]) {
				return false
			}
		}
		return true
	case jsonObject:
		if len(a.members) != len(b.members) {
			return false
		}
		for i := range a.members {
			other := b.get(a.members[i].name)
			if other == nil || !sameJSON(&a.members[i].value, other) {
				return false
			}
		}
		return true
	case jsonNull, jsonBool:
		return a.boolean == b.boolean
	}
	return false
}

func sameTime(a, b string) bool {
	x, errX := api.ParseTime(a)
	y, errY := api.ParseTime(b)
	return errX == nil && errY == nil && x.Equal(y.Time)
}
