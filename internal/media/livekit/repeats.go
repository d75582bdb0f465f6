package livekit

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// A guest decides how often LiveKit logs some lines: it warns about each message
// on a data channel that it cannot read. All lines go through one pipe, the parent
// reads each of them, and they are stored. So a text that comes often is written
// a few times in a second. How many lines are left out is said with the next one
// of that text, or within a second.
const (
	// linesAtOnce is how many lines of one text are written at once: enough to see
	// what they have in common.
	linesAtOnce = 20
	// lineEvery is the time after which one more may follow: five in a second.
	lineEvery = time.Second / 5
	// mostTexts is how many texts are counted each by itself. LiveKit's code has
	// some five hundred; a few of them contain a number.
	mostTexts = 1000
	// tellAfter is how long a count of lines that were left out is kept back.
	tellAfter = time.Second

	leftOut = "left_out" // the attribute with the count
)

// repeats counts the lines of each text.
type repeats struct {
	log   *slog.Logger // gets the counts of lines that were left out
	now   func() time.Time
	after func(time.Duration, func()) // calls a function later

	mu     sync.Mutex // guards the fields below
	texts  map[string]*repeated
	waking bool // tell will be called
}

// repeated is what is known about one text.
type repeated struct {
	free  time.Time  // when linesAtOnce may be written at once again
	left  int        // how many were left out since the last one
	level slog.Level // of the one that was left out last
}

func newRepeats(log *slog.Logger) *repeats {
	return &repeats{
		log: log, texts: map[string]*repeated{}, now: time.Now, //nolint:forbidigo // the clock of this process; tests replace it
		after: func(d time.Duration, f func()) { time.AfterFunc(d, f) },
	}
}

// allow says whether one more line of a text may be written, and how many were
// left out before it. A nil *repeats allows all.
func (r *repeats) allow(text string, level slog.Level) (left int, ok bool) {
	if r == nil {
		return 0, true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	t := r.of(text, now)
	if t.free.Before(now) {
		t.free = now
	}
	if t.free.Sub(now) > (linesAtOnce-1)*lineEvery {
		t.left++
		t.level = level
		if !r.waking {
			r.waking = true
			r.after(tellAfter, r.tell)
		}
		return 0, false
	}
	t.free = t.free.Add(lineEvery)
	left, t.left = t.left, 0
	return left, true
}

// of finds what is known about a text. Texts beyond the limit count as one. The
// caller holds mu.
func (r *repeats) of(text string, now time.Time) *repeated {
	if t := r.texts[text]; t != nil {
		return t
	}
	if len(r.texts) >= mostTexts {
		for known, t := range r.texts {
			if t.left == 0 && !t.free.After(now) {
				delete(r.texts, known)
			}
		}
	}
	if len(r.texts) >= mostTexts {
		text = "other texts"
		if t := r.texts[text]; t != nil {
			return t
		}
	}
	t := &repeated{free: now, left: 0, level: 0}
	r.texts[text] = t
	return t
}

// tell logs how many lines were left out whose text did not come again.
func (r *repeats) tell() {
	type missing struct {
		text string
		repeated
	}
	var all []missing
	r.mu.Lock()
	r.waking = false
	for text, t := range r.texts {
		if t.left > 0 {
			all = append(all, missing{text, *t})
			t.left = 0
		}
	}
	r.mu.Unlock()
	for _, m := range all {
		r.log.Log(context.Background(), m.level, "lines of the media server's log were left out", "text", redact(m.text), leftOut, m.left)
	}
}
