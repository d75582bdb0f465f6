package schedule

import (
	"fmt"
	"math"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // zones work on a machine that has no zone files, such as a bare container
)

// zones loads time zones by name and caches them, because loading one reads a file.
// The cache holds only zones of the IANA database.
type zones struct {
	mu    sync.Mutex
	known map[string]*time.Location
}

// isZoneName reports whether a text has the form of an IANA name. It refuses paths,
// and names such as posix/Europe/Berlin, which only some machines know. It also
// refuses Local, the zone of the machine, and Factory, that of a machine that was
// never set up.
func isZoneName(name string) bool {
	if len(name) > 64 || name == "Local" || name == "Factory" {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part[0] < 'A' || part[0] > 'Z' || strings.Trim(part, zoneLetters) != "" {
			return false
		}
	}
	return true
}

const zoneLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-"

// load finds a zone by its IANA name; "" is UTC.
func (z *zones) load(name string) (*time.Location, error) {
	if name == "" {
		return time.UTC, nil
	}
	if !isZoneName(name) {
		return nil, fmt.Errorf("%q is not the name of a time zone", name)
	}
	z.mu.Lock()
	defer z.mu.Unlock()
	if loc := z.known[name]; loc != nil {
		return loc, nil
	}
	loc, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("load a time zone: %w", err)
	}
	if z.known == nil {
		z.known = map[string]*time.Location{}
	}
	z.known[strings.Clone(name)] = loc
	return loc, nil
}

// moment is a time in milliseconds since 1970, in UTC. A local moment is a local time
// written as if it were UTC.
type moment = int64

const (
	second moment = 1000
	minute        = 60 * second
	hour          = 60 * minute
	day           = 24 * hour
)

// farthest is more than any zone's clock has ever been away from UTC.
const farthest = 27 * hour

// span is a period in which a zone has one offset from UTC: from start, and before
// end.
type span struct{ start, end, offset moment }

func (s span) has(t moment) bool { return s.start <= t && t < s.end }

// clock converts between moments and local times of one zone. It caches the spans it
// has used, because one request converts many moments that are close together. It
// must be used by one goroutine only.
type clock struct {
	zone  *time.Location
	spans []span
}

// at finds the span that a moment lies in.
func (c *clock) at(t moment) span {
	for _, s := range c.spans {
		if s.has(t) {
			return s
		}
	}
	there := time.UnixMilli(t).In(c.zone)
	_, offset := there.Zone()
	s := span{start: math.MinInt64, end: math.MaxInt64, offset: moment(offset) * second}
	start, end := there.ZoneBounds()
	if !start.IsZero() {
		s.start = start.UnixMilli()
	}
	if !end.IsZero() {
		s.end = end.UnixMilli()
	}
	// From 2038 on, package time computes a zone's transitions by a rule, and ends
	// every year after 365 days. On the 31st of December of a leap year, the bounds
	// it returns end before they begin; the offset is right.
	if s.end <= t {
		s.end = (floorDiv(t, day) + 1) * day
	}
	if len(c.spans) == mostSpans {
		c.spans = c.spans[:0]
	}
	c.spans = append(c.spans, s)
	return s
}

// mostSpans limits the cache of a clock: searching more spans takes longer than
// asking the zone.
const mostSpans = 8

// local returns the local time at a moment.
func (c *clock) local(t moment) moment { return t + c.at(t).offset }

// when returns the moment of a local time, as RFC 5545 section 3.3.5 defines it. For
// a local time that occurs twice, it is the first moment. A local time that the clock
// skips is converted with the offset before the gap, so the result is later by as
// much as the clock was put forward.
func (c *clock) when(local moment) moment {
	for s := c.at(local - farthest); ; {
		t := local - s.offset
		if t < s.end {
			return t
		}
		next := c.at(s.end)
		if local-next.offset < next.start { // the local time is in the gap between the two spans
			return t
		}
		s = next
	}
}
