package schema

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// direction is what a schema describes. The same struct differs in each: what
// an answer always has, a request may not require; and a merge patch has no
// defaults, because absent fields keep their value.
type direction int

const (
	answers direction = iota
	requests
	patches
)

// components collects the named schemas of a document.
type components struct {
	names   map[component]string
	schemas map[string]object
}

type component struct {
	goType    reflect.Type
	direction direction
}

// schema describes a type; a struct with a name becomes a component.
func (c *components) schema(s *Schema, d direction) (object, error) {
	switch s.kind {
	case kindObject:
		if s.name == "" {
			return c.fields(s, d)
		}
		name, err := c.name(s, d)
		return ref("schemas", name), err
	case kindArray:
		items, err := c.schema(s.item, d)
		o := object{{"type", "array"}, {"items", items}}
		if s.minItems != nil {
			o = o.with("minItems", *s.minItems)
		}
		if s.maxItems != nil {
			o = o.with("maxItems", *s.maxItems)
		}
		if s.uniqueItems {
			o = o.with("uniqueItems", true)
		}
		return o, err
	case kindString:
		return s.text(), nil
	case kindTime:
		return object{{"type", "string"}, {"format", "date-time"}}, nil
	case kindBoolean:
		return object{{"type", "boolean"}}, nil
	case kindInteger:
		return s.bounded("integer"), nil
	case kindNumber:
		return s.bounded("number"), nil
	case kindCountOrList:
		count, err := c.schema(s.count, d)
		if err != nil {
			return nil, err
		}
		list, err := c.schema(s.list, d)
		return object{{"oneOf", []any{count, list}}}, err
	case kindAny:
		if s.goType.Kind() == reflect.Map {
			return object{{"type", "object"}}, nil
		}
		return object{}, nil
	}
	return nil, fmt.Errorf("%s is not a type of the contract", s.goType)
}

func (s *Schema) text() object {
	o := object{{"type", "string"}}
	switch len(s.enum) {
	case 0:
	case 1:
		o = o.with("const", s.enum[0])
	default:
		o = o.with("enum", s.enum)
	}
	o = o.withText("format", s.format)
	if s.minLength != nil {
		o = o.with("minLength", *s.minLength)
	}
	if s.maxLength != nil {
		o = o.with("maxLength", *s.maxLength)
	}
	if s.pattern != nil {
		o = o.with("pattern", s.pattern.String())
	}
	return o
}

func (s *Schema) bounded(typ string) object {
	o := object{{"type", typ}}
	if s.minimum != nil {
		o = o.with("minimum", *s.minimum)
	}
	if s.maximum != nil {
		o = o.with("maximum", *s.maximum)
	}
	return o
}

// name registers a struct and returns its name in the document. A struct that
// differs in another direction gets a second name.
func (c *components) name(s *Schema, d direction) (string, error) {
	key := component{s.goType, d}
	if name, ok := c.names[key]; ok {
		return name, nil
	}
	rendered, err := c.fields(s, d)
	if err != nil {
		return "", err
	}
	for _, suffix := range []string{"", []string{"", "Input", "Patch"}[d]} {
		name := s.name + suffix
		taken, ok := c.schemas[name]
		if !ok || sameRendering(taken, rendered) {
			c.names[key], c.schemas[name] = name, rendered
			return name, nil
		}
	}
	return "", fmt.Errorf("two types are called %s", s.name)
}

func sameRendering(a, b object) bool {
	x, errX := Encode(a)
	y, errY := Encode(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

func (c *components) fields(s *Schema, d direction) (object, error) {
	var properties object
	var required []string
	for _, f := range s.fields {
		o, err := c.field(f, d)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
		properties = properties.with(f.name, o)
		if (d == answers && f.always) || (d != answers && f.required) {
			required = append(required, f.name)
		}
	}
	o := object{{"type", "object"}, {"properties", properties}}
	if properties == nil {
		o = object{{"type", "object"}}
	}
	if required != nil {
		o = o.with("required", required)
	}
	if d != answers {
		o = o.with("additionalProperties", false)
	}
	return o, nil
}

// field describes a field: its type, and what its tags add.
func (c *components) field(f *field, d direction) (object, error) {
	o, err := c.schema(f.schema, d)
	if err != nil {
		return nil, err
	}
	if f.nullable || (d == answers && f.ptr && f.always) {
		o = nullable(o)
	}
	o = o.withText("description", f.doc)
	if def := cmp.Or(f.def, f.defDoc); def != nil && d != patches {
		value, err := f.schema.literal(*def)
		if err != nil {
			return nil, fmt.Errorf("the default: %w", err)
		}
		o = o.with("default", value)
	}
	if f.example != "" {
		value, err := f.schema.literal(f.example)
		if err != nil {
			return nil, fmt.Errorf("the example: %w", err)
		}
		o = o.with("examples", []any{value})
	}
	return o, nil
}

// nullable adds null to a schema.
func nullable(o object) object {
	out := slices.Clone(o)
	for i, p := range out {
		switch p.name {
		case "type":
			out[i].value = []any{p.value, "null"}
		case "enum":
			values, _ := p.value.([]string)
			withNull := make([]any, len(values)+1) // the last one stays nil
			for j, v := range values {
				withNull[j] = v
			}
			out[i].value = withNull
		case "$ref", "const", "oneOf":
			return object{{"anyOf", []any{o, object{{"type", "null"}}}}}
		}
	}
	return out
}

// literal parses a default or an example from its tag. Lists and objects are
// written as JSON, lists of words also with commas.
func (s *Schema) literal(text string) (any, error) {
	switch s.kind {
	case kindArray, kindObject, kindCountOrList, kindAny:
		var v any
		if err := json.Unmarshal([]byte(text), &v); err == nil {
			return v, nil
		}
		if s.kind == kindArray && s.item.kind == kindString {
			return strings.Split(text, ","), nil
		}
		return nil, fmt.Errorf("%q is not JSON", text)
	case kindTime:
		return text, nil
	case kindString, kindInteger, kindNumber, kindBoolean:
	}
	v := reflect.New(s.goType).Elem()
	if err := s.parse(text, v); err != nil {
		return nil, err
	}
	return v.Interface(), nil
}
