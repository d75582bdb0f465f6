package stream

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// part is one part of the state that a device gets. It is sent when its sum has
// changed: as a whole, or as what changed to a device that asked for it.
type part struct {
	name string
	data []byte // JSON
	sum  string

	// since returns the JSON of what changed since the part had a sum; nil for a
	// part that is only sent whole.
	since func(sum string) []byte
}

func newPart(name string, v any) (part, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return part{}, fmt.Errorf("write %s: %w", name, err)
	}
	return partOf(name, data), nil
}

func partOf(name string, data []byte) part {
	hash := sha256.Sum256(data)
	return part{name: name, data: data, sum: hex.EncodeToString(hash[:6]), since: nil}
}

// stream sends changes to one device.
type stream struct {
	out    io.Writer
	flush  func() error
	sums   map[string]string // of the parts the device has, by name
	order  []string
	claims map[string]string // what the device says it has; used only for parts that exist
	// asked names the parts that the device takes as changes.
	asked map[string]bool
}

// mostClaims is how many parts a device may say it has: more than exist.
const mostClaims = 32

// newStream starts from the parts that the device already has, according to its
// Last-Event-ID. changes names the parts that it takes as changes, with commas
// between them.
func newStream(out io.Writer, flush func() error, lastEventID, changes string) *stream {
	st := &stream{out: out, flush: flush, sums: map[string]string{}, claims: map[string]string{}, asked: map[string]bool{}}
	for name := range strings.SplitSeq(changes, ",") {
		if len(st.asked) < mostClaims {
			st.asked[name] = true
		}
	}
	for pair := range strings.SplitSeq(lastEventID, ",") {
		if name, sum, ok := strings.Cut(pair, ":"); ok && len(st.claims) < mostClaims {
			st.claims[name] = sum
		}
	}
	return st
}

func (st *stream) note(name, sum string) {
	if _, known := st.sums[name]; !known {
		st.order = append(st.order, name)
	}
	st.sums[name] = sum
}

// recognise notes the parts that the device says it has and that are still the same.
// No event is sent for them, so the others' ids have to name them: the device comes back
// with the id of the last event.
func (st *stream) recognise(parts []part) {
	for _, p := range parts {
		if st.sums[p.name] == "" && st.claims[p.name] == p.sum {
			st.note(p.name, p.sum)
		}
	}
}

// send writes the parts that differ from what the device has.
func (st *stream) send(parts []part) error {
	st.recognise(parts)
	for _, p := range parts {
		had := st.sums[p.name]
		if had == p.sum {
			continue
		}
		st.note(p.name, p.sum)
		if had == "" {
			had = st.claims[p.name] // a claim counts only once
		}
		name, data := p.name, p.data
		if p.since != nil && st.asked[p.name] {
			name, data = p.name+"_changed", p.since(had)
		}
		if err := st.event(name, data); err != nil {
			return err
		}
	}
	return st.flush()
}

// event writes one event. Its id names every part the device has now.
func (st *stream) event(name string, data []byte) error {
	pairs := make([]string, len(st.order))
	for i, n := range st.order {
		pairs[i] = n + ":" + st.sums[n]
	}
	_, err := fmt.Fprintf(st.out, "event: %s\nid: %s\ndata: %s\n\n", name, strings.Join(pairs, ","), data)
	return err //nolint:wrapcheck // the device is gone; nobody reads the text
}

func (st *stream) last(name string, data any) error {
	text, err := json.Marshal(data)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if err := st.event(name, text); err != nil {
		return err
	}
	return st.flush()
}

func (st *stream) heartbeat() error {
	if _, err := io.WriteString(st.out, ":\n\n"); err != nil {
		return err //nolint:wrapcheck // as in event
	}
	return st.flush()
}
