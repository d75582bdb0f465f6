package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// writer writes TypeScript.
type writer struct {
	doc     document
	out     strings.Builder
	pending []string // schemas still to write
	seen    []string
}

func (w *writer) line(format string, args ...any) { fmt.Fprintf(&w.out, format+"\n", args...) }

// wanted writes a schema and those that it refers to, once each.
func (w *writer) wanted(name string) error {
	w.pending = append(w.pending, name)
	for len(w.pending) > 0 {
		next := w.pending[0]
		w.pending = w.pending[1:]
		if slices.Contains(w.seen, next) {
			continue
		}
		w.seen = append(w.seen, next)
		s := w.doc.schemas.find(next)
		if s == nil {
			return fmt.Errorf("the document has no schema %s", next)
		}
		w.comment("", s.Description)
		w.line("export interface %s {", nameOf(next))
		if err := w.members("  ", s); err != nil {
			return fmt.Errorf("%s: %w", next, err)
		}
		w.line("}\n")
	}
	return nil
}

// nameOf is what the client calls a schema.
func nameOf(schema string) string {
	if name, ok := names[schema]; ok {
		return name
	}
	return schema
}

// members writes the fields of an object. The field "object" names the type of
// an object, which the client knows.
func (w *writer) members(indent string, s *schema) error {
	for _, f := range s.Properties {
		if f.name == "object" {
			continue
		}
		t, err := w.typeOf(indent, f.schema)
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		optional := "?"
		if slices.Contains(s.Required, f.name) {
			optional = ""
		}
		w.comment(indent, f.schema.Description)
		w.line("%sreadonly %s%s: %s;", indent, f.name, optional, t)
	}
	return nil
}

func (w *writer) comment(indent, text string) {
	const width = 100
	if text == "" {
		return
	}
	if len(indent)+len("/**  */")+len(text) <= width {
		w.line("%s/** %s */", indent, text)
		return
	}
	w.line("%s/**", indent)
	line := indent + " *"
	for word := range strings.FieldsSeq(text) {
		if len(line)+1+len(word) > width {
			w.line("%s", line)
			line = indent + " *"
		}
		line += " " + word
	}
	w.line("%s\n%s */", line, indent)
}

// typeOf returns the type of a value in TypeScript.
func (w *writer) typeOf(indent string, s *schema) (string, error) {
	switch {
	case s.Ref != "":
		w.pending = append(w.pending, target(s.Ref))
		return nameOf(target(s.Ref)), nil
	case s.Const != nil:
		return strconv.Quote(*s.Const), nil
	case len(s.AnyOf)+len(s.OneOf) > 0:
		var forms []string
		for _, form := range append(s.AnyOf, s.OneOf...) {
			t, err := w.typeOf(indent, form)
			if err != nil {
				return "", err
			}
			forms = append(forms, t)
		}
		return strings.Join(forms, " | "), nil
	case len(s.Enum) > 0:
		var values []string
		for _, v := range s.Enum {
			if v == nil {
				values = append(values, "null")
			} else {
				values = append(values, strconv.Quote(*v))
			}
		}
		return strings.Join(values, " | "), nil
	}
	kinds, ok := s.Type.([]any)
	if !ok {
		return w.plain(indent, fmt.Sprint(s.Type), s)
	}
	t, err := w.plain(indent, fmt.Sprint(kinds[0]), s)
	return t + " | null", err
}

// plain returns the type of a value that has one kind.
func (w *writer) plain(indent, kind string, s *schema) (string, error) {
	switch kind {
	case "string", "boolean", "null":
		return kind, nil
	case "integer", "number":
		return "number", nil
	case "array":
		item, err := w.typeOf(indent, s.Items)
		if strings.Contains(item, " | ") {
			item = "(" + item + ")"
		}
		return "readonly " + item + "[]", err
	case "object":
		inner := &writer{doc: w.doc, seen: w.seen}
		inner.line("{")
		err := inner.members(indent+"  ", s)
		w.pending = append(w.pending, inner.pending...)
		return inner.out.String() + indent + "}", err
	}
	return "", fmt.Errorf("wire.ts has no word for %s", kind)
}

// events writes the data of each event of the stream.
func (w *writer) events() error {
	var members strings.Builder
	for _, e := range w.doc.events {
		t, err := w.typeOf("", e.schema)
		if err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
		for _, needed := range slices.Clone(w.pending) {
			if err := w.wanted(needed); err != nil {
				return err
			}
		}
		inner := &writer{}
		inner.comment("  ", e.schema.Description)
		fmt.Fprintf(&members, "%s  readonly %s: %s;\n", inner.out.String(), e.name, t)
	}
	w.line("/** The data of the event stream's events, by the name of the event. */")
	w.line("export interface EventData {\n%s}\n", members.String())
	w.line("export const eventNames: readonly (keyof EventData)[] = [")
	for _, e := range w.doc.events {
		w.line("  %q,", e.name)
	}
	w.line("];\n")
	return nil
}

// limits writes the limits of requests.
func (w *writer) limits() error {
	w.line("/** Limits of what people enter. The service refuses more. */\nexport const limits = {")
	for _, l := range limits {
		s := w.doc.schemas.find(l.schema)
		if s == nil {
			return fmt.Errorf("the document has no schema %s", l.schema)
		}
		n, ok := s.Properties.find(l.field).limit(l.limit)
		if !ok {
			return fmt.Errorf("%s.%s has no %s", l.schema, l.field, l.limit)
		}
		w.line("  %s: %d,", l.name, n)
	}
	w.line("} as const;")
	return nil
}
