package resttest

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/conclave-rooms/conclave/internal/id"
)

// Document is an OpenAPI document against which answers are checked.
type Document struct {
	prefix string
	root   map[string]any
}

// ParseDocument parses the document of a group.
func ParseDocument(prefix string, raw []byte) (*Document, error) {
	d := &Document{prefix: prefix}
	if err := json.Unmarshal(raw, &d.root); err != nil {
		return nil, fmt.Errorf("read the document: %w", err)
	}
	return d, nil
}

// resolve follows a reference within the document.
func (d *Document) resolve(schema map[string]any) (map[string]any, error) {
	target, ok := schema["$ref"].(string)
	if !ok {
		return schema, nil
	}
	at := any(d.root)
	for _, step := range strings.Split(strings.TrimPrefix(target, "#/"), "/") {
		level, ok := at.(map[string]any)
		if !ok || level[step] == nil {
			return nil, fmt.Errorf("%s leads nowhere", target)
		}
		at = level[step]
	}
	found, ok := at.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%s is not a schema", target)
	}
	return found, nil
}

// check returns how a value differs from a schema of the document. It knows the
// keywords that the edge writes and complains about any other, so that nothing
// is skipped. It refuses properties that the schema does not name, because an
// answer must not hold undocumented fields.
func (d *Document) check(path string, schema map[string]any, value any) []string {
	schema, err := d.resolve(schema)
	if err != nil {
		return []string{path + ": " + err.Error()}
	}
	var wrong []string
	say := func(format string, args ...any) {
		wrong = append(wrong, path+": "+fmt.Sprintf(format, args...))
	}
	for keyword, rule := range schema {
		if complaint := keywordComplaint(keyword, rule, value); complaint != "" {
			say("%s", complaint)
		}
	}
	if alternatives, ok := schema["anyOf"].([]any); ok && !d.matchesAny(path, alternatives, value) {
		say("matches none of anyOf: %v", value)
	}
	if alternatives, ok := schema["oneOf"].([]any); ok && d.matching(path, alternatives, value) != 1 {
		say("matches %d of oneOf: %v", d.matching(path, alternatives, value), value)
	}
	switch v := value.(type) {
	case map[string]any:
		wrong = append(wrong, d.checkObject(path, schema, v)...)
	case []any:
		items, ok := schema["items"].(map[string]any)
		for i := range v {
			if ok {
				wrong = append(wrong, d.check(path+"["+strconv.Itoa(i)+"]", items, v[i])...)
			}
		}
	}
	return wrong
}

func (d *Document) matchesAny(path string, alternatives []any, value any) bool {
	return d.matching(path, alternatives, value) > 0
}

// matching counts the alternatives that a value matches.
func (d *Document) matching(path string, alternatives []any, value any) int {
	n := 0
	for _, a := range alternatives {
		if schema, ok := a.(map[string]any); ok && len(d.check(path, schema, value)) == 0 {
			n++
		}
	}
	return n
}

func (d *Document) checkObject(path string, schema, value map[string]any) []string {
	var wrong []string
	if required, ok := schema["required"].([]any); ok {
		for _, name := range required {
			if _, ok := value[fmt.Sprint(name)]; !ok {
				wrong = append(wrong, fmt.Sprintf("%s: %v is missing", path, name))
			}
		}
	}
	properties, ok := schema["properties"].(map[string]any)
	if !ok {
		return wrong // any object, or one that anyOf describes
	}
	for name, inner := range value {
		property, ok := properties[name].(map[string]any)
		if !ok {
			wrong = append(wrong, fmt.Sprintf("%s: %s is not in the document", path, name))
			continue
		}
		wrong = append(wrong, d.check(path+"."+name, property, inner)...)
	}
	return wrong
}

// keywordComplaint applies one keyword of JSON Schema to a value.
func keywordComplaint(keyword string, rule, value any) string {
	ok := true
	switch keyword {
	case "type":
		ok = isType(rule, value)
	case "const":
		ok = rule == value
	case "enum":
		values, isList := rule.([]any)
		ok = isList && slices.Contains(values, value)
	case "format":
		text, isText := value.(string)
		format, known := rule.(string)
		ok = !isText || (known && hasFormat(format, text))
	case "pattern":
		text, isText := value.(string)
		pattern, isPattern := rule.(string)
		ok = !isText || (isPattern && regexp.MustCompile(pattern).MatchString(text))
	case "minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum":
		bound, isNumber := rule.(float64)
		size, sized := sizeOf(keyword, value)
		ok = isNumber && (!sized || (strings.HasPrefix(keyword, "min") && size >= bound) || (strings.HasPrefix(keyword, "max") && size <= bound))
	case "uniqueItems": // for requests only
	case "anyOf", "oneOf", "items", "properties", "required", "additionalProperties", "$ref": // checked by the caller
	case "description", "default", "examples", "title": // for people
	default:
		return "the keyword " + keyword + " is unknown here"
	}
	if ok {
		return ""
	}
	return fmt.Sprintf("%v breaks %s %v", value, keyword, rule)
}

func sizeOf(keyword string, value any) (float64, bool) {
	switch v := value.(type) {
	case string:
		return float64(utf8.RuneCountInString(v)), strings.HasSuffix(keyword, "Length")
	case []any:
		return float64(len(v)), strings.HasSuffix(keyword, "Items")
	case float64:
		return v, strings.HasSuffix(keyword, "imum")
	}
	return 0, false
}

func isType(rule, value any) bool {
	if several, ok := rule.([]any); ok {
		return slices.ContainsFunc(several, func(one any) bool { return isType(one, value) })
	}
	switch v := value.(type) {
	case nil:
		return rule == "null"
	case bool:
		return rule == "boolean"
	case string:
		return rule == "string"
	case float64:
		return rule == "number" || (rule == "integer" && v == math.Trunc(v))
	case []any:
		return rule == "array"
	case map[string]any:
		return rule == "object"
	}
	return false
}

// timeForm is the format of times in the API: UTC, in milliseconds.
const timeForm = "2006-01-02T15:04:05.000Z"

func hasFormat(format, text string) bool {
	switch format {
	case "date-time":
		_, err := time.Parse(timeForm, text)
		return err == nil
	case "uuid":
		return id.Valid(text)
	case "uri":
		return strings.Contains(text, "://")
	}
	return false
}
