package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// object is a JSON object whose members keep their order, so that the document
// reads like the code: id before name, create before delete. A map would be
// sorted.
type object []property

type property struct {
	name  string
	value any
}

// with adds a member.
func (o object) with(name string, value any) object { return append(o, property{name, value}) }

// withText adds a member unless its text is empty.
func (o object) withText(name, value string) object {
	if value == "" {
		return o
	}
	return o.with(name, value)
}

// MarshalJSON writes the members in their order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, p := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := Encode(p.name)
		if err != nil {
			return nil, err
		}
		value, err := Encode(p.value)
		if err != nil {
			return nil, fmt.Errorf("encode %s: %w", p.name, err)
		}
		b.Write(bytes.TrimSpace(name))
		b.WriteByte(':')
		b.Write(bytes.TrimSpace(value))
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func ref(kind, name string) object { return object{{"$ref", "#/components/" + kind + "/" + name}} }

// Encode encodes a value as the API's JSON, without escaping <, > and &: an
// answer is never part of an HTML page.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encode the answer: %w", err)
	}
	return b.Bytes(), nil
}
