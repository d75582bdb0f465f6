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
	late    time.Duration // by how much the database reads its clock before the middle of the delay
	lost    error
}

func (f *fakeClocks) pass(d time.Duration) {
	f.elapsed += d
	f.wall, f.remote = f.wall.Add(d), f.remote.Add(d)
}

func (f *fakeClocks) ask(context.Context) (time.Time, error) {
	f.pass(f.delay/2 - f.late)
	read := f.remote
	f.pass(f.delay/2 + f.late)
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

	// The database now runs on another machine.
	f.remote = f.remote.Add(-time.Second)
	compare(t, c)
	wantNow(t, c, f.remote)
}

// The nodes of a service order what they change by its time, so small differences
// count, too.
func TestTheMostExactAnswerSetsTheClock(t *testing.T) {
	t.Parallel()
	f, c := newFakeClocks()
	f.delay = 40 * time.Millisecond
	f.late = 15 * time.Millisecond // the answer took longer than the question
	compare(t, c)
	first := c.now()
	if off := first.Sub(f.remote); off != -f.late {
		t.Fatalf("the clock differs from the database's by %v, want -15ms", off)
	}

	f.delay, f.late = time.Millisecond, 0
	compare(t, c)
	if off := c.now().Sub(f.remote); off != 0 {
		t.Errorf("after a quick answer the clock differs from the database's by %v", off)
	}

	f.delay, f.late = 40*time.Millisecond, -15*time.Millisecond
	f.pass(measureEvery)
	compare(t, c)
	if off := c.now().Sub(f.remote); off != 0 {
		t.Errorf("after a slow answer the clock differs from the database's by %v", off)
	}

	// The machine's clock runs a little fast. A quick answer sets the clock again.
	f.delay, f.late = 2*time.Millisecond, 0
	f.pass(time.Minute)
	f.elapsed += 5 * time.Millisecond
	compare(t, c)
	f.pass(5 * time.Millisecond) // in which the clock stands still
	if off := c.now().Sub(f.remote); off != 0 {
		t.Errorf("the clock differs from the database's by %v after a minute", off)
	}
}

func TestTheClockNeverGoesBackALittle(t *testing.T) {
	t.Parallel()
	f, c := newFakeClocks()
	compare(t, c)
	f.pass(time.Minute)
	before := c.now()
	f.remote = f.remote.Add(-jump)
	for range 3 {
		compare(t, c)
		if now := c.now(); now != before {
			t.Errorf("the clock moved by %v", now.Sub(before))
		}
		f.pass(jump / 5)
	}
	f.pass(jump / 2)
	wantNow(t, c, f.remote)
	if now := c.now(); !now.After(before) {
		t.Error("the clock still stands still")
	}
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
