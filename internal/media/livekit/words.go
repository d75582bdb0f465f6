package livekit

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"sync"
	"time"
)

// The protocol between parent and child: one JSON object a line. The parent
// writes an order and then questions to the child's standard input; the child
// writes words to its standard output. Nothing goes through the child's
// arguments or environment, which other processes may read.

// order is the first line; it says what to run.
type order struct {
	Config   EmbedConfig `json:"config"`
	HintsURL string      `json:"hints_url"`
	Level    slog.Level  `json:"level"` // lines below this level are not wanted
}

// question is every later line. One of its fields is set.
type question struct {
	Metrics  int   `json:"metrics,omitempty"`  // asks for the metrics: a number that the answer repeats
	People   int   `json:"people,omitempty"`   // asks how many people are in its rooms: a number that the answer repeats
	Draining *bool `json:"draining,omitempty"` // says whether new rooms should go to other nodes
}

// word is one line of the child. One of its fields is set.
type word struct {
	Ready  bool            `json:"ready,omitempty"`  // LiveKit answers
	Failed string          `json:"failed,omitempty"` // why it could not start
	Log    json.RawMessage `json:"log,omitempty"`    // a line of its log
	Answer *answer         `json:"answer,omitempty"` // the answer to a question
	Lost   []string        `json:"lost,omitempty"`   // the rooms of other nodes that are dead

	Nodes    []netip.AddrPort `json:"nodes,omitempty"`    // the media addresses of the cluster's nodes
	Identity string           `json:"identity,omitempty"` // the cluster's, which has changed
	Settled  *bool            `json:"settled,omitempty"`  // whether Redis knows the rooms of all nodes
}

// answer is what a question asked for.
type answer struct {
	Number  int    `json:"number"`            // that of the question
	Metrics string `json:"metrics,omitempty"` // in Prometheus' text format
	People  int    `json:"people,omitempty"`
}

// longestWord bounds one word. The longest are metrics, some hundred kilobytes
// for meetings of hundreds.
const longestWord = 16 << 20

// speaker writes words.
type speaker struct {
	mu  sync.Mutex
	out io.Writer
}

func (s *speaker) say(w word) error {
	line, err := json.Marshal(w)
	if err != nil {
		return fmt.Errorf("write to the parent: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.out.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("write to the parent: %w", err)
	}
	return nil
}

// Write sends one line of the log as a word. It makes a speaker the writer of a
// slog.JSONHandler, which writes each line with one call.
func (s *speaker) Write(line []byte) (int, error) {
	if err := s.say(word{Log: bytes.TrimSpace(line)}); err != nil {
		return 0, err
	}
	return len(line), nil
}

// logger makes a logger whose lines become words.
func (s *speaker) logger(level slog.Level) *slog.Logger {
	return slog.New(slog.NewJSONHandler(s, &slog.HandlerOptions{
		Level: level,
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Value.Kind() == slog.KindDuration {
				return slog.String(a.Key, a.Value.Duration().String()) // JSON has no durations, and people read these
			}
			return a
		},
	}))
}

// listener is the parent's end: it cuts what is written to it into words and
// calls handle with each.
type listener struct {
	handle func(word)
	log    *slog.Logger
	rest   []byte
}

// Write takes a part of the child's output. It never fails: a pipe that nobody
// reads would end the child.
func (l *listener) Write(p []byte) (int, error) {
	l.rest = append(l.rest, p...)
	for {
		line, rest, whole := bytes.Cut(l.rest, []byte("\n"))
		if !whole {
			break
		}
		l.rest = rest
		var w word
		if err := json.Unmarshal(line, &w); err != nil {
			l.log.Warn("the media server's process wrote an invalid line", "error", err)
			continue
		}
		l.handle(w)
	}
	if len(l.rest) > longestWord {
		l.rest = nil
	}
	return len(p), nil
}

// relate writes a line of the child's log to another log.
func relate(log *slog.Logger, line json.RawMessage) error {
	var at time.Time
	var level slog.Level
	var msg string
	var attrs []slog.Attr
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber()
	if _, err := dec.Token(); err != nil {
		return fmt.Errorf("read a line of the child's log: %w", err)
	}
	for n := 0; dec.More(); n++ {
		key, err := dec.Token()
		if err != nil {
			return fmt.Errorf("read a line of the child's log: %w", err)
		}
		// The handler writes these three first; later ones are LiveKit's own.
		var into any
		var value any
		switch name, _ := key.(string); {
		case n < 3 && name == slog.TimeKey:
			into = &at
		case n < 3 && name == slog.LevelKey:
			into = &level
		case n < 3 && name == slog.MessageKey:
			into = &msg
		default:
			into = &value
		}
		if err := dec.Decode(into); err != nil {
			return fmt.Errorf("read a line of the child's log: %w", err)
		}
		if into == &value {
			attrs = append(attrs, slog.Any(fmt.Sprint(key), number(value)))
		}
	}
	ctx := context.Background()
	if !log.Enabled(ctx, level) {
		return nil
	}
	record := slog.NewRecord(at, level, msg, 0)
	record.AddAttrs(attrs...)
	return log.Handler().Handle(ctx, record)
}

// number turns a JSON number into one of Go; other values stay unchanged.
func number(value any) any {
	n, ok := value.(json.Number)
	if !ok {
		return value
	}
	if i, err := n.Int64(); err == nil {
		return i
	}
	f, err := n.Float64()
	if err != nil {
		return n.String()
	}
	return f
}

// lowest is the lowest level that a log accepts.
func lowest(log *slog.Logger) slog.Level {
	for _, level := range []slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn} {
		if log.Enabled(context.Background(), level) {
			return level
		}
	}
	return slog.LevelError
}
