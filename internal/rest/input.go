package rest

import (
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"unicode/utf8"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
)

// input describes an operation's In type.
type input struct {
	path  []*field // path values, which are passed on as sent
	query []*field
	body  *schema // an object without fields when the operation takes no body
	at    []int   // index of Body in the struct; nil without one
	merge bool    // the body is a JSON merge patch
}

// compileInput describes an In type. It panics on mistakes, when the operation
// is registered.
func compileInput(t reflect.Type, op Op) *input {
	in := &input{
		body:  &schema{kind: kindObject, goType: reflect.TypeFor[struct{}]()},
		merge: op.Method == http.MethodPatch,
	}
	for i := range t.NumField() {
		sf := t.Field(i)
		path, query := sf.Tag.Get("path"), sf.Tag.Get("query")
		switch {
		case path != "":
			f := compiler{}.field(sf, path, "")
			f.required, f.always = true, true
			if f.schema.goType.Kind() != reflect.String {
				panic(fmt.Sprintf("rest: %s: %s is not a string", op.ID, sf.Name))
			}
			in.path = append(in.path, f)
		case query != "":
			f := compiler{}.field(sf, query, "")
			f.required = sf.Tag.Get("required") == "true"
			in.query = append(in.query, f)
		case sf.Name == "Body":
			in.body, in.at = compileType(sf.Type), sf.Index
		default:
			panic(fmt.Sprintf("rest: %s: the field %s is neither path nor query nor Body", op.ID, sf.Name))
		}
	}
	return in
}

// pathMismatch names a parameter that only the path or only the input has.
func (in *input) pathMismatch(names []string) string {
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

// decode fills the struct behind into and collects what is wrong. Path values
// are ids; the handler finds out whether they exist. body is nil when the
// request had none.
func (in *input) decode(into reflect.Value, names, values []string, query url.Values, body *node, known *schema) *decoder {
	d := &decoder{}
	for _, f := range in.path {
		into.FieldByIndex(f.index).SetString(values[slices.Index(names, f.name)])
	}
	in.decodeQuery(d, into, query)
	d.merge = in.merge
	if body == nil {
		body = &node{kind: jsonObject}
	}
	target := into
	if in.at != nil {
		target = into.FieldByIndex(in.at)
	}
	d.object(nil, in.body, known, body, target)
	return d
}

func (in *input) decodeQuery(d *decoder, into reflect.Value, query url.Values) {
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
			name = shorten(name)
			d.unknown = append(d.unknown, fault.Field{
				Param: name, Code: api.CodeParameterUnknown, Message: name + " is not a query parameter of this operation.",
			})
		}
	}
}

// asJSON converts a query value to the JSON value that it stands for, so that
// it gets the same checks and messages.
func asJSON(s *schema, text string) node {
	switch s.kind {
	case kindInteger, kindNumber:
		if n, err := parseJSON([]byte(text)); err == nil && n.kind == jsonNumber {
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
