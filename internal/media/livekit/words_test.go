package livekit

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"
)

// A line of the child's log looks in the parent's log as if it had been written
// there, in whatever pieces it arrives.
func TestLogOfTheChild(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelInfo, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}})).With("from", "livekit")
	heard := &listener{log: log, handle: func(w word) {
		if err := relate(log, w.Log); err != nil {
			t.Error(err)
		}
	}}
	b := bridge{log: (&speaker{out: oneByOne{heard}}).logger(slog.LevelDebug)}
	b.WithValues("room", roomName("r")).Errorw("lost", errors.New("why"), "n", 7, "share", 0.5, "after", 90*time.Second, "so", true, "msg", "its own", "level", "its own")
	b.Infow("not wanted")
	const want = `level=WARN msg=lost from=livekit room=r n=7 share=0.5 after=1m30s so=true msg="its own" level="its own" error=why` + "\n"
	if got := out.String(); got != want {
		t.Errorf("got  %swant %s", got, want)
	}
}

type oneByOne struct{ to *listener }

func (o oneByOne) Write(p []byte) (int, error) {
	for i := range p {
		if _, err := o.to.Write(p[i : i+1]); err != nil {
			return i, err
		}
	}
	return len(p), nil
}

// Unexpected output of a child is logged, and the lines after it still count.
func TestUnexpectedOutputOfAChild(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	ready := 0
	l := &listener{log: slog.New(slog.NewTextHandler(&out, nil)), handle: func(w word) {
		if w.Ready {
			ready++
		}
	}}
	if _, err := l.Write([]byte("PASS\n{\"ready\":true}\n{\"rea")); err != nil || ready != 1 || !strings.Contains(out.String(), "an invalid line") {
		t.Errorf("%v, %d, %s", err, ready, out.String())
	}
	if _, err := l.Write(bytes.Repeat([]byte("x"), longestWord+1)); err != nil || l.rest != nil {
		t.Errorf("%v, %d bytes are kept", err, len(l.rest))
	}
}

// The child only gets variables that Go itself reads: the service's settings
// may be secrets.
func TestEnvironmentOfTheChild(t *testing.T) {
	t.Parallel()
	got := environment([]string{"PATH=/bin", "CONCLAVE_MASTER_KEY=x", "GOMEMLIMIT=1GiB", "CONCLAVE_DATABASE_URL=postgres://u:p@h/d", "AWS_SECRET_ACCESS_KEY=x", "GO=x"})
	if want := []string{"PATH=/bin", "GOMEMLIMIT=1GiB"}; strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("got %q, want %q", got, want)
	}
	if environment(nil) == nil {
		t.Error("no environment means all of it")
	}
}

// The order holds all of the configuration but the logger.
func TestOrder(t *testing.T) {
	t.Parallel()
	o := order{Config: EmbedConfig{
		APIKey: "k", APISecret: "s", HTTPPort: 1, UDPPort: 2, TCPPort: 3, NodeIP: "127.0.0.1", IPs: []string{"a"}, Interfaces: []string{"b"},
		Redis: Redis{"h:1", "u", "p", 2, true, "m", "h:2", "q"}, EmptyTimeout: 4, DepartureTimeout: 5, AskEvery: 6,
	}, HintsURL: "http://127.0.0.1:1", Level: slog.LevelWarn}
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	var back order
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(back)
	if err != nil || !bytes.Equal(text, again) || back.Config.APISecret != "s" || back.Config.Redis != o.Config.Redis || back.Level != slog.LevelWarn {
		t.Errorf("%s came back as %s (%v)", text, again, err)
	}
}

func TestPause(t *testing.T) {
	t.Parallel()
	for failed, want := range []time.Duration{
		0, 250 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second, 5 * time.Second, 5 * time.Second,
	} {
		if got := pause(failed); got != want {
			t.Errorf("after %d failed starts: %s, want %s", failed, got, want)
		}
	}
	if got := pause(1000); got != longestPause {
		t.Errorf("after a thousand: %s", got)
	}
}
