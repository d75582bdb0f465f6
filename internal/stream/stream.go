package stream

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// part is one part of the state that a device gets. It is sent as a whole when its
// sum has changed.
type part struct {
	name string
	data []byte // JSON
	sum  string
}

func newPart(name string, v any) (part, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return part{}, fmt.Errorf("write %s: %w", name, err)
	}
	hash := sha256.Sum256(data)
	return part{name: name, data: data, sum: hex.EncodeToString(hash[:6])}, nil
}

// stream sends changes to one device.
type stream struct {
	out    io.Writer
	flush  func() error
	sums   map[string]string // of the parts the device has, by name
	order  []string
	claims map[string]string // what the device says it has; used only for parts that exist
}

// mostClaims is how many parts a device may say it has: more than exist.
const mostClaims = 32

// newStream starts from the parts that the device already has, according to its
// Last-Event-ID.
func newStream(out io.Writer, flush func() error, lastEventID string) *stream {
	st := &stream{out: out, flush: flush, sums: map[string]string{}, claims: map[string]string{}}
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

// send writes the parts that differ from what the device has.
func (st *stream) send(parts []part) error {
	for _, p := range parts {
		if st.sums[p.name] == p.sum {
			continue
		}
		st.note(p.name, p.sum)
		claimed := st.claims[p.name]
		delete(st.claims, p.name) // a claim counts only once
		if claimed == p.sum {
			continue
		}
		if err := st.event(p.name, p.data); err != nil {
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
