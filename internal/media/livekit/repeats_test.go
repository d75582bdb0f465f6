package livekit

import (
	"bytes"
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/livekit/protocol/livekit"
)

// flooded is a log that leaves out lines, with a clock of its own.
type flooded struct {
	bridge

	out  bytes.Buffer
	time time.Time
	wake []func() // called by the test in place of a timer
}

func newFlooded() *flooded {
	f := &flooded{time: time.Unix(1_800_000_000, 0)}
	log := slog.New(slog.NewTextHandler(&f.out, &slog.HandlerOptions{Level: slog.LevelInfo}))
	r := newRepeats(log)
	r.now = func() time.Time { return f.time }
	r.after = func(d time.Duration, tell func()) {
		if d == tellAfter {
			f.wake = append(f.wake, tell)
		}
	}
	f.bridge = bridge{log: log, repeats: r}
	return f
}

// written is how many lines were written since it was asked last, and the last.
func (f *flooded) written() (lines int, last string) {
	all := strings.Split(strings.TrimSpace(f.out.String()), "\n")
	lines = strings.Count(f.out.String(), "\n")
	f.out.Reset()
	return lines, all[len(all)-1]
}

func TestLinesThatComeTooOftenAreLeftOut(t *testing.T) {
	t.Parallel()
	f := newFlooded()
	warn := func(times int) {
		for range times {
			f.WithValues("room", roomName("r")).Warnw("could not parse data packet", errors.New("why"))
		}
	}
	warn(linesAtOnce)
	if n, last := f.written(); n != linesAtOnce || strings.Contains(last, leftOut) {
		t.Errorf("%d of the first %d lines are written, the last is %s", n, linesAtOnce, last)
	}
	warn(1)
	f.time = f.time.Add(lineEvery - 1)
	warn(2)
	if n, _ := f.written(); n != 0 {
		t.Errorf("%d more are written within %s", n, lineEvery)
	}
	f.Warnw("another text", nil)
	if n, _ := f.written(); n != 1 {
		t.Error("a line with another text is left out")
	}
	f.time = f.time.Add(1)
	warn(2)
	if n, last := f.written(); n != 1 || !strings.Contains(last, "left_out=3 error=why") {
		t.Errorf("after %s, %d of 2 lines are written, the last is %s", lineEvery, n, last)
	}
	f.time = f.time.Add(linesAtOnce * lineEvery)
	warn(linesAtOnce + 1)
	if n, _ := f.written(); n != linesAtOnce {
		t.Errorf("after a pause, %d lines are written, want %d", n, linesAtOnce)
	}
}

// When a flood ends, the lines that it lacks are counted once.
func TestLinesThatWereLeftOutAreCounted(t *testing.T) {
	t.Parallel()
	f := newFlooded()
	for range linesAtOnce + 1000 {
		f.Errorw("received unsupported data packet", nil)
	}
	f.written()
	if len(f.wake) != 1 {
		t.Fatalf("%d timers run, want 1", len(f.wake))
	}
	f.wake[0]()
	if n, last := f.written(); n != 1 || !strings.Contains(last, `level=WARN msg="lines of the media server's log were left out" text="received unsupported data packet" left_out=1000`) {
		t.Errorf("%d lines are written, the last is %s", n, last)
	}
	f.wake[0]()
	if n, _ := f.written(); n != 0 {
		t.Errorf("%d lines are written about no flood", n)
	}
	f.Errorw("received unsupported data packet", nil)
	if len(f.wake) != 2 {
		t.Errorf("the next flood leaves %d timers, want one more", len(f.wake)-1)
	}
}

// The texts of the network library contain what strangers send, so all its lines count
// as one text.
func TestLinesWithManyTextsAreLimitedToo(t *testing.T) {
	t.Parallel()
	f := newFlooded()
	network := f.WithComponent("pion.ice")
	for i := range linesAtOnce + 5 {
		network.Errorw("failed to send to 198.51.100.7:"+strconv.Itoa(i), nil)
	}
	if n, _ := f.written(); n != linesAtOnce {
		t.Errorf("%d lines of the network library are written, want %d", n, linesAtOnce)
	}
	for i := range 2 * mostTexts {
		f.Warnw("text "+strconv.Itoa(i), nil)
	}
	if n, _ := f.written(); n > mostTexts+linesAtOnce || len(f.repeats.texts) > mostTexts+1 {
		t.Errorf("%d lines with texts that differ are written, and %d texts remembered", n, len(f.repeats.texts))
	}
	f.repeats.tell()
	f.written()
	f.time = f.time.Add(linesAtOnce * lineEvery)
	f.Warnw("a text of later", nil)
	if n, _ := f.written(); n != 1 || len(f.repeats.texts) != 1 {
		t.Errorf("later, %d lines are written, and %d texts remembered", n, len(f.repeats.texts))
	}
}

// Data channels are counted from lines of the log, including lines that are left out.
func TestDataChannelsAreCountedInAFlood(t *testing.T) {
	t.Parallel()
	f := newFlooded()
	removed := 0
	f.guard = &guard{remove: func(*session) { removed++ }}
	session := f.WithValues("participantID", livekit.ParticipantID("PA_1"))
	for range 10*mostChannels + 1 {
		session.Infow(channelAdded)
	}
	if removed != 10 {
		t.Errorf("the participant is removed %d times, want 10", removed)
	}
}
