package schema

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/conclave-rooms/conclave/internal/id"
)

// Each check returns a complaint as the rest of a sentence that begins with the
// field's name, or "".

// checkText normalises a text (trimmed, in NFC) and checks it.
func (s *Schema) checkText(text string) (clean, complaint string) {
	if !s.raw {
		text = norm.NFC.String(strings.TrimSpace(text))
	}
	if s.person {
		text = PersonName(text)
	}
	if s.multiline {
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	if len(s.enum) > 0 {
		if !slices.Contains(s.enum, text) {
			return "", oneOf(s.enum)
		}
		return text, ""
	}
	if complaint := s.checkLength(utf8.RuneCountInString(text)); complaint != "" {
		return "", complaint
	}
	if strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) && (r != '\n' || !s.multiline) }) {
		if s.multiline {
			return "", " must not contain control characters other than line ends."
		}
		return "", " must not contain control characters."
	}
	if s.mustShow() && PersonName(text) == "" {
		return "", " must have a character that shows."
	}
	return text, s.checkForm(text)
}

// mustShow says whether a text must have a character that people see: if it must not be
// empty, and is not for machines only.
func (s *Schema) mustShow() bool { return !s.raw && s.minLength != nil && *s.minLength > 0 }

// oneOf is the complaint about a value outside an enum.
func oneOf(values []string) string {
	if len(values) == 1 {
		return " must be " + values[0] + "."
	}
	return " must be one of " + strings.Join(values, ", ") + "."
}

func (s *Schema) checkLength(n int) string {
	switch least, most := s.minLength, s.maxLength; {
	case (least == nil || n >= *least) && (most == nil || n <= *most):
		return ""
	case least == nil:
		return fmt.Sprintf(" must be at most %d characters long.", *most)
	case most == nil:
		return fmt.Sprintf(" must be at least %d characters long.", *least)
	case *least == *most:
		return fmt.Sprintf(" must be %d characters long.", *most)
	default:
		return fmt.Sprintf(" must be %d to %d characters long.", *least, *most)
	}
}

func (s *Schema) checkForm(text string) string {
	if s.pattern != nil && !s.pattern.MatchString(text) {
		if s.patternDoc != "" {
			return " must be " + s.patternDoc + "."
		}
		return " must match " + s.pattern.String() + "."
	}
	switch s.format {
	case "uuid":
		if !id.Valid(text) {
			return " must be a UUID in lower case."
		}
	case "uri":
		if u, err := url.Parse(text); err != nil || u.Scheme == "" || u.Host == "" {
			return " must be an absolute URL."
		}
	case "base64url": // only one text for each value
		if _, err := base64.RawURLEncoding.Strict().DecodeString(text); err != nil {
			return " must be base64url without padding."
		}
	}
	return ""
}

func (s *Schema) checkRange(v float64) string {
	number := func(v *float64) string { return strconv.FormatFloat(*v, 'f', -1, 64) }
	switch least, most := s.minimum, s.maximum; {
	case (least == nil || v >= *least) && (most == nil || v <= *most):
		return ""
	case least == nil:
		return " must be at most " + number(most) + "."
	case most == nil:
		return " must be at least " + number(least) + "."
	default:
		return " must be " + number(least) + " to " + number(most) + "."
	}
}

func (s *Schema) checkCount(n int) string {
	switch least, most := s.minItems, s.maxItems; {
	case (least == nil || n >= *least) && (most == nil || n <= *most):
		return ""
	case least == nil:
		return fmt.Sprintf(" must have at most %d entries.", *most)
	case most == nil && *least == 1:
		return " must have at least one entry."
	case most == nil:
		return fmt.Sprintf(" must have at least %d entries.", *least)
	default:
		return fmt.Sprintf(" must have %d to %d entries.", *least, *most)
	}
}

// parse sets a value from the text of a tag.
func (s *Schema) parse(text string, into reflect.Value) error {
	switch s.kind {
	case kindString:
		into.SetString(text)
	case kindBoolean:
		v, err := strconv.ParseBool(text)
		if err != nil {
			return fmt.Errorf("read a truth value: %w", err)
		}
		into.SetBool(v)
	case kindInteger:
		v, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return fmt.Errorf("read an integer: %w", err)
		}
		into.SetInt(v)
	case kindNumber:
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return fmt.Errorf("read a number: %w", err)
		}
		into.SetFloat(v)
	case kindTime:
		t, err := parseTime(&node{kind: jsonString, text: text})
		if err != nil {
			return fmt.Errorf("read a time: %w", err)
		}
		into.Set(reflect.ValueOf(t))
	case kindArray, kindObject, kindCountOrList, kindAny:
		return fmt.Errorf("a default for %s cannot be written in a tag", s.goType)
	}
	return nil
}
