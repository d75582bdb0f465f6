package calendar

import (
	"strings"
	"unicode/utf8"
)

// cleanText removes what is not allowed in the text of a calendar: control characters
// other than tabs and line ends, and invalid UTF-8. Every kind of line end becomes one
// "\n", including those of Unicode, at which some programs break lines.
func cleanText(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\r' || r == '\v' || r == '\f' || r == '\u0085' || r == '\u2028' || r == '\u2029':
			return '\n'
		case r < ' ' || r >= 0x7f && r < 0xa0:
			return -1
		}
		return r
	}, s)
}

// OneLine returns a text on one line, without control characters, cut to a number of
// characters.
func OneLine(s string, most int) string {
	line := []rune(oneLine(s))
	return strings.TrimSpace(string(line[:min(len(line), most)]))
}

func oneLine(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		return r
	}, cleanText(s)))
}

// escapeText writes a value of type TEXT (RFC 5545, section 3.3.11).
func escapeText(s string) string {
	clean := cleanText(s)
	var b strings.Builder
	b.Grow(len(clean))
	for i := range len(clean) {
		switch c := clean[i]; c {
		case '\\', ';', ',':
			b.WriteByte('\\')
			b.WriteByte(c)
		case '\n':
			b.WriteString(`\n`)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// lines collects the content lines of an iCalendar object.
type lines struct{ strings.Builder }

// foldAt is the longest line in octets, without its end (RFC 5545, section 3.1).
const foldAt = 75

// add writes one property and folds a long line between characters. name includes the
// parameters; value must be escaped.
func (l *lines) add(name, value string) {
	line := name + ":" + value
	room := foldAt
	for len(line) > room {
		cut := room
		for !utf8.RuneStart(line[cut]) {
			cut--
		}
		l.WriteString(line[:cut])
		l.WriteString("\r\n ")
		line, room = line[cut:], foldAt-1 // the space counts
	}
	l.WriteString(line)
	l.WriteString("\r\n")
}

// addText writes a property whose value is text, unless it is empty.
func (l *lines) addText(name, value string) {
	if value != "" {
		l.add(name, escapeText(value))
	}
}

// unfold returns the content lines of an iCalendar object.
func unfold(object string) []string {
	object = strings.ReplaceAll(object, "\r\n", "\n")
	object = strings.ReplaceAll(strings.ReplaceAll(object, "\n ", ""), "\n\t", "")
	return strings.Split(object, "\n")
}
