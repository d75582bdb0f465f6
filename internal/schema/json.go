package schema

import (
	"errors"
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// maxDepth is how deep arrays and objects may nest in a body. The contract's
// bodies nest at most four deep; the limit keeps the parser's stack small.
const maxDepth = 16

// mostValues is how many values a body may have, in objects and arrays of any depth. A
// value of two bytes takes several hundred while it is parsed, so a body of 2 MiB could
// take half a gigabyte. The contract's largest body, which places a thousand people in
// breakout rooms, has 3,000.
const mostValues = 10_000

// jsonKind is the kind of a JSON value.
type jsonKind int

const (
	jsonNull jsonKind = iota + 1
	jsonBool
	jsonNumber
	jsonString
	jsonArray
	jsonObject
)

// node is a parsed JSON value. encoding/json does not fit for bodies, because
// it accepts what the contract refuses: duplicate keys (the last one wins),
// invalid UTF-8 (silently replaced), lone surrogates, names in any case.
type node struct {
	kind    jsonKind
	boolean bool
	text    string // the string's value, or the number as it was written
	items   []node
	members []member
	raw     []byte // the value as it was written
}

type member struct {
	name  string
	value node
}

// get finds a member of an object.
func (n *node) get(name string) *node {
	for i := range n.members {
		if n.members[i].name == name {
			return &n.members[i].value
		}
	}
	return nil
}

// parseObject parses a body, which must be one JSON object and nothing else.
func parseObject(body []byte) (*node, error) {
	n, err := parseJSON(body, mostValues)
	if err != nil {
		return nil, err
	}
	if n.kind != jsonObject {
		return nil, errors.New("the body must be a JSON object")
	}
	return n, nil
}

// parseJSON parses one JSON value (RFC 8259). It must be valid UTF-8, have no
// duplicate names, nest at most maxDepth deep, and consist of at most `most` values.
func parseJSON(body []byte, most int) (*node, error) {
	if !utf8.Valid(body) {
		return nil, errors.New("the body is not valid UTF-8")
	}
	p := &parser{in: body, most: most}
	p.space()
	n, err := p.value(1)
	if err != nil {
		return nil, err
	}
	p.space()
	if p.pos < len(p.in) {
		return nil, p.errorf("there is more after the JSON value")
	}
	return &n, nil
}

type parser struct {
	in     []byte
	pos    int
	values int // that have begun
	most   int // how many values there may be
}

func (p *parser) errorf(format string, args ...any) error {
	return fmt.Errorf("%s (at byte %d)", fmt.Sprintf(format, args...), p.pos)
}

func (p *parser) space() {
	for p.pos < len(p.in) {
		switch p.in[p.pos] {
		case ' ', '\t', '\r', '\n':
			p.pos++
		default:
			return
		}
	}
}

// peek returns the next byte, 0 at the end. A zero byte in the input is no
// valid token, so it need not be distinguished.
func (p *parser) peek() byte {
	if p.pos < len(p.in) {
		return p.in[p.pos]
	}
	return 0
}

func (p *parser) value(depth int) (node, error) {
	if p.values++; p.values > p.most {
		return node{}, p.errorf("the body has more than %d values", p.most)
	}
	start := p.pos
	n, err := p.unwrapped(depth)
	n.raw = p.in[start:p.pos]
	return n, err
}

func (p *parser) unwrapped(depth int) (node, error) {
	switch c := p.peek(); {
	case c == '{' || c == '[':
		if depth > maxDepth {
			return node{}, p.errorf("the body nests deeper than %d levels", maxDepth)
		}
		if c == '{' {
			return p.object(depth)
		}
		return p.array(depth)
	case c == '"':
		s, err := p.string()
		return node{kind: jsonString, text: s}, err
	case c == '-' || isDigit(c):
		return p.number()
	case p.word("true"):
		return node{kind: jsonBool, boolean: true}, nil
	case p.word("false"):
		return node{kind: jsonBool}, nil
	case p.word("null"):
		return node{kind: jsonNull}, nil
	case p.pos == len(p.in):
		return node{}, p.errorf("the JSON ends too early")
	default:
		return node{}, p.errorf("a JSON value was expected")
	}
}

func (p *parser) word(w string) bool {
	if len(p.in)-p.pos < len(w) || string(p.in[p.pos:p.pos+len(w)]) != w {
		return false
	}
	p.pos += len(w)
	return true
}

func (p *parser) object(depth int) (node, error) {
	n := node{kind: jsonObject}
	p.pos++
	p.space()
	if p.peek() == '}' {
		p.pos++
		return n, nil
	}
	seen := map[string]struct{}{}
	for {
		p.space()
		if p.peek() != '"' {
			return n, p.errorf("a field name in double quotes was expected")
		}
		name, err := p.string()
		if err != nil {
			return n, err
		}
		if _, twice := seen[name]; twice {
			return n, p.errorf("the field %q is there twice", shorten(name))
		}
		seen[name] = struct{}{}
		p.space()
		if p.peek() != ':' {
			return n, p.errorf("a colon was expected after a field name")
		}
		p.pos++
		p.space()
		v, err := p.value(depth + 1)
		if err != nil {
			return n, err
		}
		n.members = append(n.members, member{name: name, value: v})
		if done, err := p.next('}'); done || err != nil {
			return n, err
		}
	}
}

func (p *parser) array(depth int) (node, error) {
	n := node{kind: jsonArray}
	p.pos++
	p.space()
	if p.peek() == ']' {
		p.pos++
		return n, nil
	}
	for {
		p.space()
		v, err := p.value(depth + 1)
		if err != nil {
			return n, err
		}
		n.items = append(n.items, v)
		if done, err := p.next(']'); done || err != nil {
			return n, err
		}
	}
}

// next reads the comma before another element, or the end of the list.
func (p *parser) next(end byte) (done bool, err error) {
	p.space()
	switch p.peek() {
	case ',':
		p.pos++
		return false, nil
	case end:
		p.pos++
		return true, nil
	default:
		return false, p.errorf("a comma or %c was expected", end)
	}
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func (p *parser) number() (node, error) {
	start := p.pos
	if p.peek() == '-' {
		p.pos++
	}
	if p.peek() == '0' {
		p.pos++
	} else if !p.digits() {
		return node{}, p.errorf("a digit was expected")
	}
	if p.peek() == '.' {
		p.pos++
		if !p.digits() {
			return node{}, p.errorf("a digit was expected after the point")
		}
	}
	if c := p.peek(); c == 'e' || c == 'E' {
		p.pos++
		if c := p.peek(); c == '+' || c == '-' {
			p.pos++
		}
		if !p.digits() {
			return node{}, p.errorf("a digit was expected in the exponent")
		}
	}
	return node{kind: jsonNumber, text: string(p.in[start:p.pos])}, nil
}

func (p *parser) digits() bool {
	start := p.pos
	for isDigit(p.peek()) {
		p.pos++
	}
	return p.pos > start
}

func (p *parser) string() (string, error) {
	p.pos++
	start := p.pos
	for p.pos < len(p.in) && p.in[p.pos] != '"' && p.in[p.pos] != '\\' && p.in[p.pos] >= 0x20 {
		p.pos++
	}
	if p.peek() == '"' { // nothing to unescape, the usual case
		s := string(p.in[start:p.pos])
		p.pos++
		return s, nil
	}
	out := append([]byte{}, p.in[start:p.pos]...)
	for p.pos < len(p.in) {
		switch c := p.in[p.pos]; {
		case c == '"':
			p.pos++
			return string(out), nil
		case c < 0x20:
			return "", p.errorf("a control character stands unescaped in a string")
		case c == '\\':
			r, err := p.escape()
			if err != nil {
				return "", err
			}
			out = utf8.AppendRune(out, r)
		default:
			out = append(out, c)
			p.pos++
		}
	}
	return "", p.errorf("a string does not end")
}

// escape reads one escape, or the two of a surrogate pair. It refuses half a
// pair, which is not a character.
func (p *parser) escape() (rune, error) {
	p.pos++
	c := p.peek()
	p.pos++
	switch c {
	case '"', '\\', '/':
		return rune(c), nil
	case 'b':
		return '\b', nil
	case 'f':
		return '\f', nil
	case 'n':
		return '\n', nil
	case 'r':
		return '\r', nil
	case 't':
		return '\t', nil
	case 'u':
	default:
		return 0, p.errorf("an unknown escape stands in a string")
	}
	r, ok := p.hex4()
	if !ok {
		return 0, p.errorf("four hexadecimal digits were expected after \\u")
	}
	if !utf16.IsSurrogate(r) {
		return r, nil
	}
	if p.word(`\u`) {
		if low, ok := p.hex4(); ok {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				return pair, nil
			}
		}
	}
	return 0, p.errorf("half of a surrogate pair stands in a string")
}

func (p *parser) hex4() (rune, bool) {
	if len(p.in)-p.pos < 4 {
		return 0, false
	}
	v, err := strconv.ParseUint(string(p.in[p.pos:p.pos+4]), 16, 32)
	if err != nil {
		return 0, false
	}
	p.pos += 4
	return rune(v), true
}

// shorten cuts a name that a caller invented, so that an answer stays small.
func shorten(name string) string {
	const longest = 64
	if utf8.RuneCountInString(name) <= longest {
		return name
	}
	return string([]rune(name)[:longest]) + "..."
}
