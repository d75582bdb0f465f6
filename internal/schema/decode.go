package schema

import (
	"cmp"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
)

// mostFailures bounds the failures that one answer lists: a body of 64 KiB
// could hold ten thousand unknown fields.
const mostFailures = 200

// Reading is a request that has been read into the input of an operation, and
// everything that is wrong with it, in the order of the schema.
type Reading struct {
	of       *Input
	merge    bool    // for a JSON merge patch, in which null clears
	known    *Schema // of the object that the operation is about; nil without one
	failures []fault.Field
	readOnly []sentReadOnly
	unknown  []fault.Field
}

// sentReadOnly is a read-only field that was sent. Only the value decides
// whether that is a failure.
type sentReadOnly struct {
	path  string
	steps []string
	value node
}

// Fail adds that a parameter is wrong.
func (d *Reading) Fail(param, message string) { d.fail(param, message) }

// Failed says whether a parameter, or something in it, is wrong.
func (d *Reading) Failed(param string) bool {
	return slices.ContainsFunc(d.failures, func(f fault.Field) bool {
		rest, within := strings.CutPrefix(f.Param, param)
		return within && (rest == "" || rest[0] == '.' || rest[0] == '[')
	})
}

// Also adds the fields of a refusal that are not known to be wrong yet, where they belong
// in the order of the schema.
func (d *Reading) Also(refusal error) {
	f, ok := fault.As(refusal)
	if !ok {
		return
	}
	for _, field := range f.Fields {
		if !slices.ContainsFunc(d.failures, func(known fault.Field) bool { return known.Param == field.Param }) {
			d.failures = append(d.failures, field)
		}
	}
	slices.SortStableFunc(d.failures, func(a, b fault.Field) int { return slices.Compare(d.of.place(a.Param), d.of.place(b.Param)) })
}

// HasReadOnly says whether read-only fields were sent. Whether they are wrong depends on
// the object.
func (d *Reading) HasReadOnly() bool { return len(d.readOnly) > 0 }

// Wrong says whether the request is refused whatever the object holds.
func (d *Reading) Wrong() bool { return len(d.failures)+len(d.unknown) > 0 }

func (d *Reading) fail(path, message string) {
	d.failCode(path, api.CodeParameterInvalid, message)
}

func (d *Reading) failCode(path, code, message string) {
	d.failures = append(d.failures, fault.Field{Param: path, Code: code, Message: message})
}

// object reads the fields of an object. known describes the object that the
// operation is about, or is nil: its other fields are read-only here.
func (d *Reading) object(at []string, s, known *Schema, n *node, into reflect.Value) {
	for _, f := range s.fields {
		path := join(at, f.name)
		sent := n.get(f.name)
		if sent == nil || d.standsForAbsent(f, sent) {
			d.absent(f, path, into)
			continue
		}
		var inner *Schema
		if known != nil {
			if of := known.field(f.name); of != nil {
				inner = of.schema
			}
		}
		d.field(append(at[:len(at):len(at)], f.name), f, inner, sent, into.FieldByIndex(f.index))
	}
	for i := range n.members {
		if m := &n.members[i]; s.field(m.name) == nil {
			d.unknownField(at, s, known, m)
		}
	}
}

// standsForAbsent says whether null (or an empty text) means that an optional
// field was left out. In a merge patch it does not.
func (d *Reading) standsForAbsent(f *field, sent *node) bool {
	if d.merge || f.required {
		return false
	}
	return sent.kind == jsonNull || (f.nullable && f.isBlank(sent))
}

// isBlank says whether a text is empty once trimmed.
func (f *field) isBlank(sent *node) bool {
	return f.schema.kind == kindString && sent.kind == jsonString && !f.schema.raw && strings.TrimSpace(sent.text) == ""
}

func (d *Reading) absent(f *field, path string, into reflect.Value) {
	switch {
	case f.required:
		d.failCode(path, api.CodeParameterMissing, path+" is required.")
	case !d.merge: // in a merge patch, what is absent stays as it is
		f.fill(into.FieldByIndex(f.index))
	}
}

// unknownField reports a field that the operation does not take.
func (d *Reading) unknownField(at []string, s, known *Schema, m *member) {
	if strings.TrimSpace(m.name) == "" {
		path := join(at, "")
		d.unknown = append(d.unknown, fault.Field{
			Param: path, Code: api.CodeParameterUnknown, Message: cmp.Or(path, "The body") + " has a field without a name.",
		})
		return
	}
	path := join(at, shorten(m.name))
	if known != nil && known.field(m.name) != nil {
		d.readOnly = append(d.readOnly, sentReadOnly{
			path: path, steps: append(at[:len(at):len(at)], m.name), value: m.value,
		})
		return
	}
	message := path + " is not a field of this request."
	for _, f := range s.fields {
		if strings.EqualFold(f.name, m.name) {
			message = path + " is not a field of this request. Did you mean " + f.name + "?"
		}
	}
	d.unknown = append(d.unknown, fault.Field{Param: path, Code: api.CodeParameterUnknown, Message: message})
}

// field reads one field that was sent.
func (d *Reading) field(at []string, f *field, known *Schema, sent *node, into reflect.Value) {
	path := join(at, "")
	if sent.kind == jsonNull || (d.merge && f.nullable && f.isBlank(sent)) {
		switch {
		case !f.nullable:
			d.fail(path, path+" must not be null.")
		case f.opt:
			into.FieldByName("Set").SetBool(true)
			into.FieldByName("Null").SetBool(true)
		}
		return // the pointer stays nil
	}
	switch {
	case f.opt:
		into.FieldByName("Set").SetBool(true)
		into = into.FieldByName("Value")
	case f.ptr:
		into.Set(reflect.New(into.Type().Elem()))
		into = into.Elem()
	}
	d.value(at, f.schema, known, sent, into)
}

func (d *Reading) value(at []string, s, known *Schema, n *node, into reflect.Value) {
	path := join(at, "")
	switch s.kind {
	case kindString:
		d.text(path, s, n, into)
	case kindInteger, kindNumber:
		d.number(path, s, n, into)
	case kindBoolean:
		if n.kind != jsonBool {
			d.fail(path, path+" must be true or false.")
			return
		}
		into.SetBool(n.boolean)
	case kindTime:
		t, err := parseTime(n)
		if err != nil {
			d.fail(path, path+" must be a time with an offset, such as 2026-11-20T10:00:00Z.")
			return
		}
		into.Set(reflect.ValueOf(t))
	case kindArray:
		d.array(at, s, n, into)
	case kindObject:
		if n.kind != jsonObject {
			d.fail(path, path+" must be an object.")
			return
		}
		d.object(at, s, known, n, into)
	case kindCountOrList:
		d.countOrList(at, s, n, into)
	case kindAny:
		if err := json.Unmarshal(n.raw, into.Addr().Interface()); err != nil {
			d.fail(path, path+" has the wrong type.")
		}
	}
}

func (d *Reading) text(path string, s *Schema, n *node, into reflect.Value) {
	if n.kind != jsonString {
		d.fail(path, path+" must be a string.")
		return
	}
	text, complaint := s.checkText(n.text)
	if complaint != "" {
		d.fail(path, path+complaint)
		return
	}
	into.SetString(text)
}

func (d *Reading) number(path string, s *Schema, n *node, into reflect.Value) {
	v, err := strconv.ParseFloat(n.text, 64)
	if s.kind == kindNumber {
		if n.kind != jsonNumber || err != nil {
			d.fail(path, path+" must be a number.")
			return
		}
	} else if n.kind != jsonNumber || err != nil || v != math.Trunc(v) || math.Abs(v) > 1<<53 {
		d.fail(path, path+" must be an integer.")
		return
	}
	if complaint := s.checkRange(v); complaint != "" {
		d.fail(path, path+complaint)
		return
	}
	if s.kind == kindNumber {
		into.SetFloat(v)
		return
	}
	if into.OverflowInt(int64(v)) {
		d.fail(path, path+" must be an integer.")
		return
	}
	into.SetInt(int64(v))
}

func (d *Reading) array(at []string, s *Schema, n *node, into reflect.Value) {
	path := join(at, "")
	if n.kind != jsonArray {
		d.fail(path, path+" must be an array.")
		return
	}
	if complaint := s.checkCount(len(n.items)); complaint != "" {
		d.fail(path, path+complaint)
		return
	}
	var valid []reflect.Value
	into.Set(reflect.MakeSlice(into.Type(), len(n.items), len(n.items)))
	for i := range n.items {
		element := slices.Concat(at, []string{"[" + strconv.Itoa(i) + "]"})
		if n.items[i].kind == jsonNull && s.item.kind != kindAny {
			d.fail(join(element, ""), join(element, "")+" must not be null.")
			continue
		}
		before := len(d.failures)
		d.value(element, s.item, nil, &n.items[i], into.Index(i))
		if len(d.failures) == before {
			valid = append(valid, into.Index(i))
		}
	}
	if s.uniqueItems && hasDuplicate(valid) {
		d.fail(path, path+" must not have the same entry twice.")
	}
}

// countOrList reads a number or a list. For any other value the failure names
// both.
func (d *Reading) countOrList(at []string, s *Schema, n *node, into reflect.Value) {
	switch n.kind {
	case jsonNumber:
		d.number(join(at, ""), s.count, n, into.Field(0))
	case jsonArray:
		d.array(at, s.list, n, into.Field(1))
	case jsonNull, jsonBool, jsonString, jsonObject:
		path := join(at, "")
		d.fail(path, path+" must be an integer or an array.")
	}
}

func hasDuplicate(list []reflect.Value) bool {
	for i, one := range list {
		if slices.ContainsFunc(list[:i], func(other reflect.Value) bool { return sameEntry(one, other) }) {
			return true
		}
	}
	return false
}

// sameEntry says whether two entries of a list are equal; texts, also when they look the
// same.
func sameEntry(a, b reflect.Value) bool {
	if a.Kind() == reflect.String {
		return shown(a.String()) == shown(b.String())
	}
	return a.Equal(b)
}

// parseTime reads RFC 3339, which requires an offset, and cuts to milliseconds.
func parseTime(n *node) (api.Time, error) {
	if n.kind != jsonString {
		return api.Time{}, strconv.ErrSyntax
	}
	return api.ParseTime(strings.TrimSpace(n.text)) //nolint:wrapcheck // becomes a failure with the field's name
}

// join makes a path such as settings.access or placements[2].room.
func join(at []string, name string) string {
	var b strings.Builder
	for _, step := range append(at[:len(at):len(at)], name) {
		if step == "" {
			continue
		}
		if b.Len() > 0 && step[0] != '[' {
			b.WriteByte('.')
		}
		b.WriteString(step)
	}
	return b.String()
}
