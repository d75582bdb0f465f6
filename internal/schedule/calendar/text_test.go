package calendar

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// hostile returns texts with which somebody might try to add properties to an event.
func hostile() []string {
	return []string{
		"a\r\nATTACH:http://evil.example", "a\nEND:VEVENT\nBEGIN:VEVENT", "a\rATTENDEE:x", "a\u2028ATTACH:x", "a\u0085ATTACH:x", "a\vATTACH:x\fb", "\x00\x1b[31m",
		`a\nATTACH:x`, `\`, `;,:"`, strings.Repeat("ü", 100), strings.Repeat("👩‍👩‍👧", 40), "\xff\xfe", strings.Repeat("x", 75), strings.Repeat("\r\n ", 30), "",
	}
}

// wellFormed checks an object the way a strict reader does: lines of at most 75
// octets, each whole UTF-8, and the properties of one event, each once.
func wellFormed(t *testing.T, object []byte) {
	t.Helper()
	if !bytes.HasSuffix(object, []byte("\r\n")) {
		t.Fatalf("it does not end a line: %q", object)
	}
	seen := map[string]int{}
	for _, line := range strings.Split(strings.TrimSuffix(string(object), "\r\n"), "\r\n") {
		if len(line) > 75 || !utf8.ValidString(line) || strings.ContainsAny(line, "\r\n\v\f\x00\u0085\u2028\u2029") {
			t.Fatalf("the line %q has %d octets", line, len(line))
		}
		if name, _, _ := strings.Cut(line, ":"); !strings.HasPrefix(line, " ") {
			seen[name]++
		}
	}
	for name, times := range seen {
		switch name {
		case "BEGIN", "END":
			if times != 2 { // the calendar and the event
				t.Fatalf("%d times %s: %q", times, name, object)
			}
		case "VERSION", "PRODID", "CALSCALE", "UID", "DTSTAMP", "CREATED", "LAST-MODIFIED", "SEQUENCE", "DTSTART", "DTEND", "SUMMARY", "DESCRIPTION", "STATUS", "TRANSP", "X-CONCLAVE-MEETING":
			if times != 1 {
				t.Fatalf("%d times %s: %q", times, name, object)
			}
		default:
			t.Fatalf("%s does not belong there: %q", name, object)
		}
	}
}

// plainEntry is a single meeting in UTC, without a link.
func plainEntry(title, description string) Entry {
	return Entry{
		Meeting: testMeeting, Title: title, Description: description, Recurrence: None,
		Starts: testNow(), Ends: testNow().Add(time.Hour), Created: testNow(), Updated: testNow(),
	}
}

// A title or a description cannot add a line of its own, and every permitted text is
// read back unchanged.
func FuzzTextStaysText(f *testing.F) {
	for _, s := range hostile() {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, title, description string) {
		o, err := Object(plainEntry(title, description), testHost)
		if err != nil {
			t.Fatal(err)
		}
		wellFormed(t, o)
		back := readEvent(t, string(o))
		if want := strings.TrimSpace(cleanText(description)); !strings.Contains(want, `\`) && back.Text != want {
			t.Fatalf("the text %q comes back as %q", want, back.Text)
		}
	})
}

// Another program also reads hostile texts as texts.
func TestTextStaysTextElsewhere(t *testing.T) {
	t.Parallel()
	entries := make([]Entry, 0, len(hostile()))
	for i, s := range hostile() {
		e := plainEntry("T"+s, "D"+s)
		e.Meeting = "0193a1f0-5c3e-7bb4-8a50-0000000000" + string(rune('0'+i/10)) + string(rune('0'+i%10))
		entries = append(entries, e)
	}
	feed, err := Feed("Hostile", entries, testHost)
	if err != nil {
		t.Fatal(err)
	}
	read := occurrences(t, feed, "2026-03-01", "2026-03-04")
	if len(read) != len(entries) {
		t.Fatalf("the other program sees %d events of %d", len(read), len(entries))
	}
	slices.SortFunc(read, func(a, b occurrence) int { return strings.Compare(a.UID, b.UID) })
	for i, o := range read {
		// The other program reads an escaped backslash before an n as a line end.
		if want := strings.TrimSpace(cleanText(entries[i].Description)); o.Text != want && !strings.Contains(want, `\`) {
			t.Errorf("the text %q is read as %q", want, o.Text)
		}
		for _, name := range []string{"ATTACH", "ATTENDEE"} {
			if slices.Contains(o.Properties, name) {
				t.Errorf("%q added %s", entries[i].Title, name)
			}
		}
	}
}
