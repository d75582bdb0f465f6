package schedule

import "time"

// The values of recurrence.
const (
	Once     = "none"
	Daily    = "daily"
	Weekdays = "weekdays"
	Weekly   = "weekly"
	Biweekly = "biweekly"
	Monthly  = "monthly"
)

// rule gives the times of a meeting and of its repetitions.
type rule struct {
	every     string // one of the values of recurrence
	first     moment // when the first occurrence starts
	duration  moment // of every occurrence, even if the clock changes during it
	until     moment // no occurrence starts after it
	zone      *time.Location
	date      int64  // the local date of the first occurrence, in days since 1970-01-01
	timeOfDay moment // when every occurrence starts on its local date
}

// newRule makes the rule of a meeting whose zone is loaded.
func newRule(every string, starts, ends, until moment, zone *time.Location) rule {
	local := (&clock{zone: zone, spans: nil}).local(starts)
	return rule{
		every: every, first: starts, duration: ends - starts, until: until, zone: zone,
		date: floorDiv(local, day), timeOfDay: floorMod(local, day),
	}
}

// next finds the first occurrence that starts at or after a moment, without visiting
// the earlier ones. c is the clock of the rule's zone.
//
// An occurrence has the first one's local time of day on another local date. A clock
// is put forward or back by at most a day, so the search begins two days before the
// moment and skips only a few dates.
func (r rule) next(c *clock, after moment) (moment, bool) {
	switch {
	case after <= r.first:
		return r.first, true
	case r.every == Once || after > r.until:
		return 0, false
	}
	for d := r.dateFrom(floorDiv(c.local(after), day) - 2); ; d = r.dateFrom(d + 1) {
		t := c.when(d*day + r.timeOfDay)
		if t > r.until {
			return 0, false
		}
		if t >= after {
			return t, true
		}
	}
}

// overlapping finds the first occurrence that ends after a moment. It may be under
// way at that moment.
func (r rule) overlapping(c *clock, from moment) (moment, bool) {
	return r.next(c, from-r.duration+1)
}

// dateFrom finds the first date of the rule at or after another one.
func (r rule) dateFrom(from int64) int64 {
	if from <= r.date {
		return r.date
	}
	switch r.every {
	case Weekdays:
		switch w := weekday(from); w {
		case time.Saturday:
			return from + 2
		case time.Sunday:
			return from + 1
		default:
			return from
		}
	case Weekly:
		return r.date + roundUp(from-r.date, 7)
	case Biweekly:
		return r.date + roundUp(from-r.date, 14)
	case Monthly:
		return monthly(r.date, from)
	default:
		return from
	}
}

// monthly finds the first date, at or after from, that has the same day of the month
// as first. Months without that day are skipped.
func monthly(first, from int64) int64 {
	_, _, dayOfMonth := civil(first)
	year, month, _ := civil(from)
	for ; ; month++ {
		// time.Date normalizes months after December and days after the month's end.
		t := time.Date(year, month, dayOfMonth, 0, 0, 0, 0, time.UTC)
		if d := floorDiv(t.Unix(), 24*60*60); t.Day() == dayOfMonth && d >= from {
			return d
		}
	}
}

// civil returns the year, month and day of a date.
func civil(date int64) (int, time.Month, int) {
	return time.Unix(date*24*60*60, 0).UTC().Date()
}

// weekday returns a date's day of the week; 1970-01-01 was a Thursday.
func weekday(date int64) time.Weekday {
	return time.Weekday(floorMod(date+int64(time.Thursday), 7))
}

// roundUp returns the smallest multiple of step that is at least n.
func roundUp(n, step int64) int64 { return (n + step - 1) / step * step }

// floorDiv divides and rounds down, also for negative numbers.
func floorDiv(n, by int64) int64 { return (n - floorMod(n, by)) / by }

func floorMod(n, by int64) int64 { return ((n % by) + by) % by }
