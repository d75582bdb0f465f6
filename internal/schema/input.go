package schema

import (
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
)

// Input describes what an operation takes.
type Input struct {
	path  []*field // path values, which are passed on as sent
	query []*field
	body  *Schema // an object without fields when the operation takes no body
	at    []int   // index of Body in the struct; nil without one
	merge bool    // the body is a JSON merge patch
}

// InputOf compiles a struct with fields tagged path or query, and a field Body
// if the operation takes one. merge says that the body is a JSON merge patch.
func InputOf(t reflect.Type, merge bool) (*Input, error) {
	in := &Input{
		body:  &Schema{kind: kindObject, goType: reflect.TypeFor[struct{}]()},
		merge: merge,
	}
	for i := range t.NumField() {
		sf := t.Field(i)
		path, query := sf.Tag.Get("path"), sf.Tag.Get("query")
		switch {
		case path != "":
			f := compiler{}.field(sf, path, "")
			f.required, f.always = true, true
			if f.schema.goType.Kind() != reflect.String {
				return nil, fmt.Errorf("%s is not a string", sf.Name)
			}
			in.path = append(in.path, f)
		case query != "":
			f := compiler{}.field(sf, query, "")
			f.required = sf.Tag.Get("required") == "true"
			in.query = append(in.query, f)
		case sf.Name == "Body":
			in.body, in.at = Of(sf.Type), sf.Index
		default:
			return nil, fmt.Errorf("the field %s is neither path nor query nor Body", sf.Name)
		}
	}
	return in, nil
}

// PathMismatch names a value that only the path or only the input has; "" when
// they agree. names are those of the path.
func (in *Input) PathMismatch(names []string) string {
	for _, name := range names {
		if !slices.ContainsFunc(in.path, func(f *field) bool { return f.name == name }) {
			return name
		}
	}
	for _, f := range in.path {
		if !slices.Contains(names, f.name) {
			return f.name
		}
	}
	return ""
}

// TakesQuery says whether the input has values from the query.
func (in *Input) TakesQuery() bool { return len(in.query) > 0 }

// Requires says whether a request can lack something: a field of the body, or a
// value of the query.
func (in *Input) Requires() bool {
	return in.body.needsBody() || slices.ContainsFunc(in.query, func(f *field) bool { return f.required })
}

// Request is what a request sent.
type Request struct {
	Names, Values []string // of the path, in its order
	Query         string   // as it was sent
	Body          []byte   // empty when there was none
}

// Read reads a request into the struct that into points to. Path values are ids;
// the handler finds out whether they exist. object describes the object that the
// operation is about, or is nil: its fields that the body does not take are
// read-only rather than unknown. A body that is no JSON object, and a query that
// is malformed, are faults.
func (in *Input) Read(into any, r Request, object *Schema) (*Reading, error) {
	body := &node{kind: jsonObject}
	if len(r.Body) > 0 {
		var err error
		if body, err = parseObject(r.Body); err != nil {
			return nil, fault.New(fault.Invalid, api.CodeInvalidJSON, sentence(err.Error()))
		}
	}
	query, err := parseQuery(r.Query)
	if err != nil {
		return nil, err
	}
	d := &Reading{of: in, known: object}
	target := reflect.ValueOf(into).Elem()
	for _, f := range in.path {
		target.FieldByIndex(f.index).SetString(r.Values[slices.Index(r.Names, f.name)])
	}
	in.readQuery(d, target, query)
	d.merge = in.merge // a query is never a merge patch
	if in.at != nil {
		target = target.FieldByIndex(in.at)
	}
	d.object(nil, in.body, object, body, target)
	return d, nil
}

// place is where a parameter, such as placements[2].room, stands in the order of the
// schema, level by level. The query comes before the body; what is in neither, such as a
// header, comes last.
func (in *Input) place(param string) []int {
	var place []int
	fields := slices.Concat(in.query, in.body.fields)
	for _, step := range strings.FieldsFunc(param, func(r rune) bool { return r == '.' || r == '[' || r == ']' }) {
		i, err := strconv.Atoi(step) // in a list
		if err != nil {
			if i = slices.IndexFunc(fields, func(f *field) bool { return f.name == step }); i < 0 {
				return append(place, len(fields))
			}
			fields = fields[i].schema.inner()
		}
		place = append(place, i)
	}
	return place
}

// inner returns the fields of an object, or of the objects in a list.
func (s *Schema) inner() []*field {
	switch s.kind {
	case kindArray:
		return s.item.inner()
	case kindCountOrList:
		return s.list.inner()
	default:
		return s.fields
	}
}

// sentence turns an error's text into a sentence.
func sentence(text string) string {
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

func (in *Input) readQuery(d *Reading, into reflect.Value, query url.Values) {
	for _, f := range in.query {
		values, sent := query[f.name]
		switch {
		case !sent:
			d.absent(f, f.name, into)
		case len(values) > 1:
			d.fail(f.name, f.name+" must be given once.")
		case values[0] == "":
			d.fail(f.name, f.name+" must not be empty.")
		default:
			sent := asJSON(f.schema, values[0])
			d.field([]string{f.name}, f, nil, &sent, into.FieldByIndex(f.index))
		}
	}
	for _, name := range sortedKeys(query) {
		if !slices.ContainsFunc(in.query, func(f *field) bool { return f.name == name }) {
			message := "The query has a parameter without a name."
			if name = shorten(name); strings.TrimSpace(name) != "" {
				message = name + " is not a query parameter of this operation."
			}
			d.unknown = append(d.unknown, fault.Field{Param: name, Code: api.CodeParameterUnknown, Message: message})
		}
	}
}

// asJSON converts a query value to the JSON value that it stands for, so that
// it gets the same checks and messages.
func asJSON(s *Schema, text string) node {
	switch s.kind {
	case kindInteger, kindNumber:
		if n, err := parseJSON([]byte(text), 1); err == nil && n.kind == jsonNumber && string(n.raw) == text { // without spaces
			return *n
		}
	case kindBoolean:
		if text == "true" || text == "false" {
			return node{kind: jsonBool, boolean: text == "true"}
		}
	case kindString, kindTime, kindArray, kindObject, kindCountOrList, kindAny:
	}
	return node{kind: jsonString, text: text}
}

func sortedKeys(query url.Values) []string {
	keys := make([]string, 0, len(query))
	for k := range query {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// parseQuery parses the query string. It refuses one that is malformed or not
// UTF-8, and reads no part of it.
func parseQuery(raw string) (url.Values, error) {
	query, err := url.ParseQuery(raw)
	if plain, unescapeErr := url.QueryUnescape(raw); err != nil || unescapeErr != nil || !utf8.ValidString(plain) {
		return nil, fault.New(fault.Invalid, api.CodeParameterInvalid, "The query string is malformed.")
	}
	return query, nil
}
