package servertest

import (
	"encoding/json"
	"fmt"
	"strings"
)

// told is an event that a line has named.
type told struct {
	kind string
	data any
}

// largestEvent is how large an event's data may be (docs/reference/events.md).
const largestEvent = 20 << 10

func (s *story) events(rest string) { s.expectEvents(strings.Fields(rest)) }

// expectEvents checks that exactly these events happened since the last such
// line.
func (s *story) expectEvents(expected []string) {
	s.t.Helper()
	s.batch = nil
	var got []string
	matches := true
	for _, e := range s.EventLog() {
		if s.seen[e.ID] {
			continue
		}
		s.seen[e.ID] = true
		var data any
		if err := json.Unmarshal(e.Data, &data); err != nil {
			s.fatal("the data of %s is not JSON: %v", e.Type, err)
		}
		if _, ok := find(data, "occurred_at"); !ok || len(e.Data) > largestEvent || !strings.HasPrefix(e.ID, "evt_") || len(e.ID) != 30 {
			s.fatal("the event %s %s lacks occurred_at, is too large or has no proper id: %s", e.ID, e.Type, e.Data)
		}
		if wrong := s.documents[0].Payload(string(e.Type), e.Data); len(wrong) > 0 {
			s.fatal("%s is not what the document promises: %s", e.Data, strings.Join(wrong, "; "))
		}
		i := len(got)
		s.batch = append(s.batch, told{string(e.Type), data})
		got = append(got, s.describe(s.batch[i], expected, i))
		matches = matches && i < len(expected) && got[i] == expected[i]
	}
	if !matches || len(got) != len(expected) {
		s.fatal("the events are: %s", strings.Join(got, " "))
	}
}

// describe writes an event as a line names it: with the person and the reason if
// the expectation at its place has them, or if there is none.
func (s *story) describe(e told, expected []string, i int) string {
	out := e.kind
	wanted := "=:"
	if i < len(expected) {
		wanted = expected[i]
	}
	if name, ok := find(e.data, "participant.name"); ok && strings.Contains(wanted, "=") {
		out += fmt.Sprintf("=%v", name)
	}
	reason, ok := find(e.data, "reason")
	if !ok {
		reason, ok = find(e.data, "session.reason")
	}
	if ok && strings.Contains(wanted, ":") {
		out += fmt.Sprintf(":%v", reason)
	}
	return out
}

// wantEvent checks the last event of a type among those named by the last line.
func (s *story) wantEvent(rest string) {
	w := words(rest, 3)
	for i := len(s.batch) - 1; i >= 0; i-- {
		if s.batch[i].kind == w[0] {
			got, there := find(s.batch[i].data, w[1])
			s.compare(got, there, w[2])
			return
		}
	}
	s.fatal("no such event was named before")
}
