package schema

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"github.com/conclave-rooms/conclave/api"
)

// kind is the kind of a value in the contract.
type kind int

const (
	kindString kind = iota + 1
	kindInteger
	kindNumber
	kindBoolean
	kindTime // api.Time
	kindArray
	kindObject
	kindCountOrList // api.CountOrList: a number, or a list
	kindAny         // any JSON: nothing looks inside
)

// Schema is a type of the contract as its Go type and tags describe it. It is
// compiled once, when an operation is registered.
type Schema struct {
	kind   kind
	goType reflect.Type
	name   string // of a struct: its name in the document

	fields []*field // of an object, in the order of the struct
	item   *Schema  // of an array
	count  *Schema  // of a number or a list: the number
	list   *Schema  // and the list
	rules
}

// rules are the limits of a value. On an array, lengths, enum, pattern and
// format apply to its elements. On a number or a list, minimum and maximum
// apply to the number, the others to the list.
type rules struct {
	minLength, maxLength *int
	minItems, maxItems   *int
	minimum, maximum     *float64
	enum                 []string
	pattern              *regexp.Regexp
	patternDoc           string // the pattern in words
	format               string
	multiline            bool // may hold line breaks
	raw                  bool // neither trimmed nor normalised: a secret, a token
	person               bool // a person's name: see PersonName
	uniqueItems          bool
}

// field is a field of an object.
type field struct {
	name     string
	index    []int // in the struct, through embedded ones
	schema   *Schema
	opt      bool // api.Opt: absent, null and a value differ
	ptr      bool // *T: absent and null are nil
	required bool // in a request
	always   bool // in an answer
	nullable bool
	def      *string // what it has in a request that leaves it out, as written in the tag
	defDoc   *string // the same where a rule of the feature decides it: for the document only
	doc      string
	example  string
}

func (s *Schema) field(name string) *field {
	for _, f := range s.fields {
		if f.name == name {
			return f
		}
	}
	return nil
}

// needsBody says whether a request without a body would fail.
func (s *Schema) needsBody() bool {
	for _, f := range s.fields {
		if f.required {
			return true
		}
	}
	return false
}

// Of compiles a type. It panics on a type that the contract cannot have, which is
// a mistake in the program and shows when it starts.
func Of(t reflect.Type) *Schema {
	return compiler{}.value(t, rules{})
}

// shower is a type that stands for another one in JSON: a value that was
// written before it is sent to several devices.
type shower interface {
	// Shows returns a value of the type whose JSON it is.
	Shows() any
}

// compiler keeps the structs that it is inside, so that it reports a type that
// holds itself and does not loop.
type compiler struct{ within []reflect.Type }

func (c compiler) value(t reflect.Type, r rules) *Schema {
	if shows, ok := reflect.Zero(t).Interface().(shower); ok {
		return c.value(reflect.TypeOf(shows.Shows()), r)
	}
	s := &Schema{goType: t, rules: r}
	switch {
	case t == reflect.TypeFor[api.Time]():
		s.kind = kindTime
	case t == reflect.TypeFor[json.RawMessage]() || t.Kind() == reflect.Interface || t.Kind() == reflect.Map:
		s.kind = kindAny
	case t.Kind() == reflect.String:
		s.kind = kindString
	case t.Kind() == reflect.Bool:
		s.kind = kindBoolean
	case t.Kind() == reflect.Int || t.Kind() == reflect.Int64 || t.Kind() == reflect.Int32:
		s.kind = kindInteger
	case t.Kind() == reflect.Float64:
		s.kind = kindNumber
	case t.Kind() == reflect.Pointer:
		return c.value(t.Elem(), r)
	case isCountOrList(t):
		s.kind = kindCountOrList
		s.count, s.list = c.value(t.Field(0).Type, r), c.value(t.Field(1).Type, r)
	case t.Kind() == reflect.Slice:
		s.kind = kindArray
		of := r
		of.minItems, of.maxItems, of.uniqueItems = nil, nil, false
		s.item = c.value(t.Elem(), of)
	case t.Kind() == reflect.Struct:
		c.object(s)
	default:
		panic(fmt.Sprintf("schema: %s is not a type of the contract", t))
	}
	return s
}

func (c compiler) object(s *Schema) {
	for _, outer := range c.within {
		if outer == s.goType {
			panic(fmt.Sprintf("schema: %s holds itself", s.goType))
		}
	}
	s.kind, s.name = kindObject, componentName(s.goType)
	if t := s.goType; t.NumField() == 1 && t.Field(0).Anonymous {
		s.name = componentName(t.Field(0).Type) // a struct that only adds a method to the object
	}
	inner := compiler{within: append(c.within[:len(c.within):len(c.within)], s.goType)}
	for i := range s.goType.NumField() {
		sf := s.goType.Field(i)
		name, options, _ := strings.Cut(sf.Tag.Get("json"), ",")
		switch {
		case sf.Anonymous && name == "":
			inner.embed(s, sf)
		case sf.IsExported() && name != "-":
			if name == "" {
				panic(fmt.Sprintf("schema: %s.%s has no json tag", s.goType, sf.Name))
			}
			s.fields = append(s.fields, inner.field(sf, name, options))
		}
	}
}

// embed adds the fields of an embedded struct to the outer one, as
// encoding/json does.
func (c compiler) embed(s *Schema, sf reflect.StructField) {
	of := c.value(sf.Type, rules{})
	for _, f := range of.fields {
		f.index = append([]int{sf.Index[0]}, f.index...)
		s.fields = append(s.fields, f)
	}
}

func (c compiler) field(sf reflect.StructField, name, options string) *field {
	f := &field{
		name: name, index: sf.Index,
		nullable: sf.Tag.Get("nullable") == "true",
		doc:      sf.Tag.Get("doc"),
		example:  sf.Tag.Get("example"),
	}
	t := sf.Type
	if inner, ok := optOf(t); ok {
		f.opt, t = true, inner
	} else if t.Kind() == reflect.Pointer {
		f.ptr, t = true, t.Elem()
	}
	f.def, f.defDoc = textTag(sf, "default"), textTag(sf, "defaultDoc")
	omitted := strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")
	f.always = !omitted && !f.opt
	f.required = sf.Tag.Get("required") == "true" || (f.always && !f.ptr && f.def == nil)
	f.schema = c.value(t, readRules(sf))
	return f
}

// optOf returns the T of api.Opt[T].
func optOf(t reflect.Type) (reflect.Type, bool) {
	if t.Kind() != reflect.Struct || t.PkgPath() != reflect.TypeFor[api.Time]().PkgPath() || !strings.HasPrefix(t.Name(), "Opt[") {
		return nil, false
	}
	value, ok := t.FieldByName("Value")
	return value.Type, ok
}

// isCountOrList recognises api.CountOrList, whose fields are the number and the
// list.
func isCountOrList(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t.PkgPath() == reflect.TypeFor[api.Time]().PkgPath() && strings.HasPrefix(t.Name(), "CountOrList[")
}

func readRules(sf reflect.StructField) rules {
	tag := sf.Tag
	r := rules{
		minLength: intTag(sf, "minLength"), maxLength: intTag(sf, "maxLength"),
		minItems: intTag(sf, "minItems"), maxItems: intTag(sf, "maxItems"),
		minimum: floatTag(sf, "minimum"), maximum: floatTag(sf, "maximum"),
		patternDoc:  tag.Get("patternDoc"),
		format:      tag.Get("format"),
		multiline:   tag.Get("multiline") == "true",
		raw:         tag.Get("raw") == "true",
		person:      tag.Get("person") == "true",
		uniqueItems: tag.Get("uniqueItems") == "true",
	}
	if enum := tag.Get("enum"); enum != "" {
		r.enum = strings.Split(enum, ",")
	}
	if pattern := tag.Get("pattern"); pattern != "" {
		r.pattern = regexp.MustCompile(pattern)
	}
	return r
}

func textTag(sf reflect.StructField, name string) *string {
	text, ok := sf.Tag.Lookup(name)
	if !ok {
		return nil
	}
	return &text
}

func intTag(sf reflect.StructField, name string) *int {
	text, ok := sf.Tag.Lookup(name)
	if !ok {
		return nil
	}
	v, err := strconv.Atoi(text)
	if err != nil {
		panic(fmt.Sprintf("schema: the tag %s of the field %s is not an integer", name, sf.Name))
	}
	return &v
}

func floatTag(sf reflect.StructField, name string) *float64 {
	text, ok := sf.Tag.Lookup(name)
	if !ok {
		return nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(fmt.Sprintf("schema: the tag %s of the field %s is not a number", name, sf.Name))
	}
	return &v
}

// componentName is the name of a struct in the document: Room, and RoomList for
// a list of rooms.
func componentName(t reflect.Type) string {
	name := t.Name()
	base, argument, generic := strings.Cut(name, "[")
	if !generic {
		return name
	}
	argument = strings.TrimSuffix(argument, "]")
	return argument[strings.LastIndexAny(argument, "./")+1:] + base
}
