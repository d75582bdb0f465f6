package db

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/conclave-rooms/conclave/internal/loop"
)

const (
	// measureEvery is how often the clock is compared with the database's.
	measureEvery = 5 * time.Second
	// slowAnswer is how long the database may take to tell its time. An answer
	// that takes longer is too inexact.
	slowAnswer = time.Second
	// atStart is how often the database is asked at the start. The first answer is the
	// least exact, because a connection is opened for it.
	atStart = 4
	// jump is the difference beyond which the clock is set at once. After a smaller one
	// it never goes back.
	jump = 100 * time.Millisecond
	// drift says how fast clocks of two machines drift apart: by one second in about this
	// many.
	drift = 10_000
	// maxSkew is by how much this machine's clock may differ from the database's
	// before operators are told. From about three seconds on the media servers of a cluster
	// harm each other.
	maxSkew = 2500 * time.Millisecond
)

// clock tells the time of the database's machine. Nodes that share a database also
// share times in it: limits, leases, and when breakouts end. So they must go by
// one clock, and not each by its own, which may be wrong or be set at any moment.
type clock struct {
	ask     func(ctx context.Context) (time.Time, error) // tells the database's time; nil on SQLite, which uses this machine's clock
	wall    func() time.Time                             // this machine's clock
	elapsed func() time.Duration                         // the time since some moment; it never jumps

	mu     sync.RWMutex
	read   time.Time     // what the database's clock said when the clock was set
	readAt time.Duration // when that was, by elapsed
	unsure time.Duration // by how much the clock was wrong then, at most
	told   time.Time     // what it said before it was set back; it says nothing earlier
}

func newClock(wall func() time.Time, ask func(context.Context) (time.Time, error)) *clock {
	if wall == nil {
		wall = time.Now //nolint:forbidigo // this package is where the service's clock comes from
	}
	began := time.Now() //nolint:forbidigo // as above
	return &clock{wall: wall, ask: ask, elapsed: func() time.Duration { return time.Since(began) }}
}

// now is the time of the database's machine.
func (c *clock) now() time.Time {
	if c.ask == nil {
		return c.wall()
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.latest()
}

// latest is the time now. It stands still for as long as the clock was set back. The
// caller holds mu.
func (c *clock) latest() time.Time {
	now := c.at(c.elapsed())
	if now.Before(c.told) {
		return c.told
	}
	return now
}

// at is the time at a moment. The caller holds mu.
func (c *clock) at(moment time.Duration) time.Time { return c.read.Add(moment - c.readAt) }

// skew is by how much this machine's clock is ahead of the database's.
func (c *clock) skew() time.Duration { return c.wall().Sub(c.now()) }

// compare asks the database for its time. It sets the clock if the answer is more
// exact than the clock can be by now, or shows that the clock is wrong. Nodes have to
// agree to the millisecond: when one changes what another has just changed, the later
// change has to have the later time.
func (c *clock) compare(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, measureEvery)
	defer cancel()
	asked := c.elapsed()
	read, err := c.ask(ctx)
	if err != nil {
		return fmt.Errorf("ask the database for its time: %w", err)
	}
	answered := c.elapsed()
	// The database read its clock between the question and the answer.
	middle, unsure := (asked+answered)/2, (answered-asked)/2
	c.mu.Lock()
	defer c.mu.Unlock()
	switch first := c.read.IsZero(); {
	case first:
	case answered-asked > slowAnswer:
		return nil
	case read.Sub(c.at(middle)).Abs() > unsure+jump:
		c.told = time.Time{}
	case unsure >= c.unsure+(middle-c.readAt)/drift:
		return nil
	default:
		c.told = c.latest()
	}
	c.read, c.readAt, c.unsure = read, middle, unsure
	return nil
}

// Now is the clock for everything that is stored in the database: on
// PostgreSQL the time of the database's machine, so that all nodes have the same,
// and on SQLite this machine's.
func (d *DB) Now() time.Time { return d.clock.now() }

// Skew is by how much this machine's clock is ahead of the database's, or zero
// if the difference is too small to report. It makes no difference to what the service remembers,
// but certificates and the media server go by this machine's clock.
func (d *DB) Skew() time.Duration {
	if d.clock.ask == nil {
		return 0
	}
	if skew := d.clock.skew(); skew.Abs() > maxSkew {
		return skew
	}
	return 0
}

// setClock makes the clock, and reads the database's for the first time.
func (d *DB) setClock(ctx context.Context, wall func() time.Time) error {
	if d.engine == SQLite {
		d.clock = newClock(wall, nil)
		return nil
	}
	d.clock = newClock(wall, d.postgresTime)
	for range atStart {
		if err := d.CompareClocks(ctx); err != nil {
			return err
		}
	}
	return nil
}

// CompareClocks asks PostgreSQL for its time, and sets the clock of Now by it if
// the two differ. Run does this every few seconds.
func (d *DB) CompareClocks(ctx context.Context) error {
	if d.clock.ask == nil {
		return nil
	}
	return d.clock.compare(ctx)
}

// keepTime compares the clock with the database's until ctx ends. It tells operators
// when this machine's clock is wrong, and when it is right again.
func (d *DB) keepTime(ctx context.Context) {
	isSkewed, isSilent := false, false
	compare := func(ctx context.Context) error {
		if err := d.CompareClocks(ctx); err != nil {
			return err
		}
		isSilent = false
		skew := d.Skew()
		switch {
		case skew != 0 && !isSkewed:
			d.log.WarnContext(ctx, "this machine's clock differs from the database's; set it, for instance with NTP", "ahead_seconds", skew.Round(100*time.Millisecond).Seconds())
		case skew == 0 && isSkewed:
			d.log.InfoContext(ctx, "this machine's clock agrees with the database's again")
		}
		isSkewed = skew != 0
		return nil
	}
	loop.Every(ctx, measureEvery, compare, func(err error) {
		if !isSilent {
			d.log.WarnContext(ctx, "the clock cannot be compared with the database's; it goes on by itself", "error", err)
		}
		isSilent = true
	})
}

// postgresTime is the time of PostgreSQL's machine, in microseconds.
func (d *DB) postgresTime(ctx context.Context) (time.Time, error) {
	var micros int64
	err := d.read.QueryRowContext(ctx, `SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint`).Scan(&micros)
	return time.UnixMicro(micros).UTC(), err //nolint:wrapcheck // compare says what was asked
}
