package db

import (
	"context"
	"errors"
	"testing"
	"time"
)

// fakeClocks are the clocks of this machine and of the database's.
type fakeClocks struct {
	elapsed time.Duration // never jumps
	wall    time.Time
	remote  time.Time
	delay   time.Duration // from the question to the answer
	lost    error
}

func (f *fakeClocks) pass(d time.Duration) {
	f.elapsed += d
	f.wall, f.remote = f.wall.Add(d), f.remote.Add(d)
}

func (f *fakeClocks) ask(context.Context) (time.Time, error) {
	f.pass(f.delay / 2)
	read := f.remote
	f.pass(f.delay / 2)
	return read, f.lost
}

func newFakeClocks() (*fakeClocks, *clock) {
	noon := time.Date(2026, time.November, 23, 12, 0, 0, 0, time.UTC)
	f := &fakeClocks{wall: noon.Add(time.Hour), remote: noon}
	return f, &clock{ask: f.ask, wall: func() time.Time { return f.wall }, elapsed: func() time.Duration { return f.elapsed }}
}

func compare(t *testing.T, c *clock) {
	t.Helper()
	if err := c.compare(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// wantNow checks the clock to a hundredth of a second.
func wantNow(t *testing.T, c *clock, want time.Time) {
	t.Helper()
	if off := c.now().Sub(want); off.Abs() > 10*time.Millisecond {
		t.Errorf("the clock differs from the database's by %v", off)
	}
}

func TestTheClockIsTheDatabases(t *testing.T) {
	t.Parallel()
	f, c := newFakeClocks()
	f.delay = 40 * time.Millisecond
	compare(t, c)
	wantNow(t, c, f.remote)
	if skew := c.skew(); skew.Round(time.Second) != time.Hour {
		t.Errorf("this machine's clock is ahead by %v, want an hour", skew)
	}
	f.pass(time.Minute)
	wantNow(t, c, f.remote)
}

func TestSettingThisMachinesClockDoesNotMoveTheClock(t *testing.T) {
	t.Parallel()
	f, c := newFakeClocks()
	compare(t, c)
	f.wall = f.wall.Add(-3 * time.Hour)
	f.pass(time.Second)
	wantNow(t, c, f.remote)
	if skew := c.skew(); skew != -2*time.Hour {
		t.Errorf("this machine's clock is ahead by %v, want -2h", skew)
	}
}

func TestTheClockFollowsTheDatabases(t *testing.T) {
	t.Parallel()
	f, c := newFakeClocks()
	compare(t, c)

	// An answer that agrees within the tolerance does not move it.
	before := c.now()
	f.remote = f.remote.Add(tolerance)
	compare(t, c)
	if after := c.now(); after != before {
		t.Errorf("the clock moved by %v", after.Sub(before))
	}

	// The database now runs on another machine.
	f.remote = f.remote.Add(-time.Second)
	compare(t, c)
	wantNow(t, c, f.remote)
}

func TestASlowAnswerDoesNotMoveTheClock(t *testing.T) {
	t.Parallel()
	f, c := newFakeClocks()
	compare(t, c)

	f.delay = 2 * slowAnswer
	f.remote = f.remote.Add(time.Minute)
	compare(t, c)
	wantNow(t, c, f.remote.Add(-time.Minute))

	f.delay, f.lost = 0, errors.New("connection refused")
	if err := c.compare(t.Context()); !errors.Is(err, f.lost) {
		t.Errorf("compare: %v, want %v", err, f.lost)
	}
	wantNow(t, c, f.remote.Add(-time.Minute))
}
