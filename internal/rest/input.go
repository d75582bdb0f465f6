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

// input is an operation's In type, read once.
type input struct {
	path  []*field // named in the path, handed over as they were sent
	query []*field
	body  *schema // an empty object when the operation takes none
	at    []int   // of Body in the struct; nil when there is none
	merge bool    // the body is a JSON merge patch
}

// compileInput reads an In type. Mistakes in it are mistakes in the program
// and panic when the operation is registered.
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

// pathMismatch names a parameter that only one of the path and the input has.
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

// decode fills the struct behind into and collects what is wrong. The values in the path are ids, and
// whether something stands behind an id is the handler's business. body is
// nil when the request had none.
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

// asJSON reads a query value as the JSON value it stands for, so that the same
// checks in the same words apply to it.
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

// parseQuery reads the query string. A broken one, or one that is not UTF-8,
// is refused rather than read in part.
func parseQuery(raw string) (url.Values, error) {
	query, err := url.ParseQuery(raw)
	if plain, unescapeErr := url.QueryUnescape(raw); err != nil || unescapeErr != nil || !utf8.ValidString(plain) {
		return nil, fault.New(fault.Invalid, api.CodeParameterInvalid, "The query string is malformed.")
	}
	return query, nil
}
