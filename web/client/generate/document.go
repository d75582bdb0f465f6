package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// schema is what the generator reads of a JSON schema.
type schema struct {
	Ref         string         `json:"$ref"`
	Type        any            `json:"type"` // a word, or a list of two of which one is null
	Description string         `json:"description"`
	Const       *string        `json:"const"`
	Enum        []*string      `json:"enum"` // nil: null
	Items       *schema        `json:"items"`
	Properties  fields         `json:"properties"`
	Required    []string       `json:"required"`
	AnyOf       []*schema      `json:"anyOf"`
	OneOf       []*schema      `json:"oneOf"`
	Limits      map[string]int `json:"-"`
}

// UnmarshalJSON reads a schema and its limits.
func (s *schema) UnmarshalJSON(raw []byte) error {
	type plain schema
	if err := json.Unmarshal(raw, (*plain)(s)); err != nil {
		return fmt.Errorf("read a schema: %w", err)
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil {
		return fmt.Errorf("read the limits of a schema: %w", err)
	}
	s.Limits = map[string]int{}
	for _, name := range []string{"minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum"} {
		var n int
		if text, ok := all[name]; ok && json.Unmarshal(text, &n) == nil {
			s.Limits[name] = n
		}
	}
	return nil
}

// limit finds a limit of a value, or of its elements, or of one of its forms.
func (s *schema) limit(name string) (int, bool) {
	if s == nil {
		return 0, false
	}
	if n, ok := s.Limits[name]; ok {
		return n, true
	}
	for _, inner := range append(append([]*schema{s.Items}, s.AnyOf...), s.OneOf...) {
		if n, ok := inner.limit(name); ok {
			return n, true
		}
	}
	return 0, false
}

// field is a named schema.
type field struct {
	name   string
	schema *schema
}

// fields are the members of an object in the order of the document.
type fields []field

// UnmarshalJSON reads an object of schemas.
func (f *fields) UnmarshalJSON(raw []byte) error {
	in := json.NewDecoder(bytes.NewReader(raw))
	if _, err := in.Token(); err != nil {
		return fmt.Errorf("read an object: %w", err)
	}
	for in.More() {
		name, err := in.Token()
		if err != nil {
			return fmt.Errorf("read a name: %w", err)
		}
		var s schema
		if err := in.Decode(&s); err != nil {
			return fmt.Errorf("read %v: %w", name, err)
		}
		*f = append(*f, field{fmt.Sprint(name), &s})
	}
	return nil
}

func (f fields) find(name string) *schema {
	for _, one := range f {
		if one.name == name {
			return one.schema
		}
	}
	return nil
}

// document is what the generator reads of the OpenAPI document.
type document struct {
	events  fields
	schemas fields
}

func read(raw []byte) (document, error) {
	var doc struct {
		Paths map[string]map[string]struct {
			Responses map[string]struct {
				Content map[string]struct {
					Events fields `json:"x-events"`
				} `json:"content"`
			} `json:"responses"`
		} `json:"paths"`
		Components struct {
			Schemas fields `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		return document{}, fmt.Errorf("read the document: %w", err)
	}
	events := doc.Paths["/events"]["get"].Responses["200"].Content["text/event-stream"].Events
	if len(events) == 0 {
		return document{}, errors.New("the document describes no events")
	}
	return document{events: events, schemas: doc.Components.Schemas}, nil
}

// readBodies reads what each operation of a document takes.
func readBodies(raw []byte, into map[string]*schema) error {
	var doc struct {
		Paths map[string]map[string]struct {
			ID   string `json:"operationId"`
			Body struct {
				Content map[string]struct {
					Schema *schema `json:"schema"`
				} `json:"content"`
			} `json:"requestBody"`
		} `json:"paths"`
		Components struct {
			Schemas fields `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		return fmt.Errorf("read the bodies of a document: %w", err)
	}
	for _, operations := range doc.Paths {
		for _, operation := range operations {
			body := operation.Body.Content["application/json"].Schema
			if body != nil && body.Ref != "" {
				body = doc.Components.Schemas.find(target(body.Ref))
			}
			if body != nil {
				into[operation.ID] = body
			}
		}
	}
	return nil
}

// target is the name of the schema that a reference names.
func target(ref string) string { return ref[strings.LastIndex(ref, "/")+1:] }
