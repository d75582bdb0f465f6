package schedule

import (
	"math"
	"testing"
	"time"
)

// Occurrences of known series by local time, as RFC 5545 defines them.
func TestNext(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, every, zone, first, after, want string
	}{
		{"the first one itself", Daily, "UTC", "2026-11-23T10:00:00Z", "2026-11-23T10:00:00Z", "2026-11-23T10:00:00Z"},
		{"long before the first one", Monthly, "UTC", "2026-11-23T10:00:00Z", "1000-01-01T00:00:00Z", "2026-11-23T10:00:00Z"},
		{"daily, a millisecond late", Daily, "UTC", "2026-11-23T10:00:00Z", "2026-11-23T10:00:00.001Z", "2026-11-24T10:00:00Z"},
		{"daily, just in time", Daily, "UTC", "2026-11-23T10:00:00Z", "2026-11-24T10:00:00Z", "2026-11-24T10:00:00Z"},
		{"weekdays, after Friday", Weekdays, "UTC", "2026-11-23T10:00:00Z", "2026-11-27T10:00:00.001Z", "2026-11-30T10:00:00Z"},
		{"weekdays are those of the zone", Weekdays, "Asia/Tokyo", "2026-11-23T01:00:00+09:00", "2026-11-27T02:00:00+09:00", "2026-11-30T01:00:00+09:00"},
		{"weekly", Weekly, "UTC", "2026-11-23T10:00:00Z", "2026-11-23T10:00:00.001Z", "2026-11-30T10:00:00Z"},
		{"biweekly", Biweekly, "UTC", "2026-11-23T10:00:00Z", "2026-11-23T10:00:00.001Z", "2026-12-07T10:00:00Z"},
		{"biweekly, years later", Biweekly, "UTC", "2000-01-03T10:00:00Z", "2026-11-24T00:00:00Z", "2026-11-30T10:00:00Z"},
		{"monthly", Monthly, "UTC", "2026-11-23T10:00:00Z", "2026-11-23T10:00:00.001Z", "2026-12-23T10:00:00Z"},
		{"monthly on the 31st leaves out short months", Monthly, "UTC", "2027-01-31T10:00:00Z", "2027-02-01T00:00:00Z", "2027-03-31T10:00:00Z"},
		{"monthly on the 30th leaves out February", Monthly, "UTC", "2027-01-30T10:00:00Z", "2027-02-01T00:00:00Z", "2027-03-30T10:00:00Z"},
		{"monthly on the 29th, no leap year", Monthly, "UTC", "2027-01-29T10:00:00Z", "2027-02-01T00:00:00Z", "2027-03-29T10:00:00Z"},
		{"monthly on the 29th, leap year", Monthly, "UTC", "2028-01-29T10:00:00Z", "2028-02-01T00:00:00Z", "2028-02-29T10:00:00Z"},
		{"monthly on the 29th, 2100 is not a leap year", Monthly, "UTC", "2028-02-29T10:00:00Z", "2100-02-01T00:00:00Z", "2100-03-29T10:00:00Z"},
		{"monthly over the end of a year", Monthly, "UTC", "2026-10-31T10:00:00Z", "2026-12-31T10:00:00.001Z", "2027-01-31T10:00:00Z"},

		{"the local time stays in winter", Weekly, "Europe/Berlin", "2026-10-19T10:00:00+02:00", "2026-10-20T00:00:00Z", "2026-10-26T10:00:00+01:00"},
		{"the local time stays in summer", Weekly, "Europe/Berlin", "2027-03-22T10:00:00+01:00", "2027-03-23T00:00:00Z", "2027-03-29T10:00:00+02:00"},
		{"a skipped local time moves forward", Daily, "Europe/Berlin", "2027-03-27T02:30:00+01:00", "2027-03-28T00:00:00Z", "2027-03-28T03:30:00+02:00"},
		{"and is back the day after", Daily, "Europe/Berlin", "2027-03-27T02:30:00+01:00", "2027-03-28T03:30:00.001+02:00", "2027-03-29T02:30:00+02:00"},
		{"the first skipped moment", Daily, "Europe/Berlin", "2027-03-27T02:00:00+01:00", "2027-03-28T00:00:00Z", "2027-03-28T03:00:00+02:00"},
		{"the first moment after the gap", Daily, "Europe/Berlin", "2027-03-27T03:00:00+01:00", "2027-03-28T00:00:00Z", "2027-03-28T03:00:00+02:00"},
		{"a repeated local time is the first", Daily, "Europe/Berlin", "2026-10-24T02:30:00+02:00", "2026-10-24T12:00:00Z", "2026-10-25T02:30:00+02:00"},
		{"only the first", Daily, "Europe/Berlin", "2026-10-24T02:30:00+02:00", "2026-10-25T02:30:00.001+02:00", "2026-10-26T02:30:00+01:00"},
		{"a series that begins at the second one", Daily, "Europe/Berlin", "2026-10-25T02:30:00+01:00", "2026-10-25T00:00:00Z", "2026-10-25T02:30:00+01:00"},
		{"goes on at its local time", Daily, "Europe/Berlin", "2026-10-25T02:30:00+01:00", "2026-10-25T12:00:00Z", "2026-10-26T02:30:00+01:00"},
		{"half an hour of daylight saving", Daily, "Australia/Lord_Howe", "2026-10-03T02:15:00+10:30", "2026-10-03T12:00:00Z", "2026-10-04T02:45:00+11:00"},
		{"no midnight", Daily, "America/Havana", "2027-03-13T00:00:00-05:00", "2027-03-14T00:00:00Z", "2027-03-14T01:00:00-04:00"},

		{"Samoa had no 30th of December 2011", Daily, "Pacific/Apia", "2011-12-29T10:00:00-10:00", "2011-12-29T10:00:00.001-10:00", "2011-12-31T10:00:00+14:00"},
		{"and one 31st", Daily, "Pacific/Apia", "2011-12-29T10:00:00-10:00", "2011-12-31T10:00:00.001+14:00", "2012-01-01T10:00:00+14:00"},
		{"a Friday that was skipped moves forward", Weekly, "Pacific/Apia", "2011-12-23T10:00:00-10:00", "2011-12-24T00:00:00Z", "2011-12-31T10:00:00+14:00"},
		{"Kwajalein had no 21st of August 1993", Daily, "Pacific/Kwajalein", "1993-08-20T10:00:00-12:00", "1993-08-20T10:00:00.001-12:00", "1993-08-22T10:00:00+12:00"},

		{"the last day of a leap year far away", Daily, "America/Anchorage", "2026-11-23T10:00:00-09:00", "2044-12-31T01:00:00-09:00", "2044-12-31T10:00:00-09:00"},
		{"weekdays far away", Weekdays, "Europe/Berlin", "1970-01-01T10:00:00+01:00", "9999-12-25T12:00:00Z", "9999-12-27T10:00:00+01:00"},
		{"biweekly far away", Biweekly, "Europe/Berlin", "1970-01-05T10:00:00+01:00", "9999-12-14T12:00:00Z", "9999-12-27T10:00:00+01:00"},
		{"monthly far away", Monthly, "Europe/Berlin", "1970-01-31T10:00:00+01:00", "9999-11-01T12:00:00Z", "9999-12-31T10:00:00+01:00"},
		{"summer far away", Daily, "Europe/Berlin", "1970-01-01T10:00:00+01:00", "9999-07-01T00:00:00Z", "9999-07-01T10:00:00+02:00"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			zone, err := new(zones).load(c.zone)
			if err != nil {
				t.Fatal(err)
			}
			first, after, want := parse(t, c.first), parse(t, c.after), parse(t, c.want)
			got, ok := newRule(c.every, first, first+hour, math.MaxInt64, zone).next(&clock{zone: zone, spans: nil}, after)
			if !ok || got != want {
				t.Errorf("next = %s, %v; want %s", time.UnixMilli(got).In(zone), ok, c.want)
			}
		})
	}
}

// A series ends with the occurrence that starts at recurrence_until.
func TestASeriesIncludesAnOccurrenceAtItsEnd(t *testing.T) {
	t.Parallel()
	first := parse(t, "2026-11-23T10:00:00Z")
	for until, want := range map[moment]bool{first + day - 1: false, first + day: true, first + day + 1: true} {
		_, got := newRule(Daily, first, first+hour, until, time.UTC).next(&clock{zone: time.UTC, spans: nil}, first+1)
		if got != want {
			t.Errorf("until %d ms after the second occurrence: there is one is %v, want %v", until-first-day, got, want)
		}
	}
	if _, ok := newRule(Once, first, first+hour, math.MaxInt64, time.UTC).next(&clock{zone: time.UTC, spans: nil}, first+1); ok {
		t.Error("a meeting that does not repeat has a second occurrence")
	}
}

// An occurrence that is under way at the beginning of a window overlaps it, up to its
// last millisecond.
func TestAnOccurrenceUnderWayOverlapsTheWindow(t *testing.T) {
	t.Parallel()
	first := parse(t, "2026-11-23T10:00:00Z")
	r := newRule(Daily, first, first+hour, math.MaxInt64, time.UTC)
	for from, want := range map[moment]moment{
		first - day:        first,
		first:              first,
		first + hour - 1:   first,
		first + hour:       first + day,
		first + day:        first + day,
		first + day + hour: first + 2*day,
	} {
		if got, ok := r.overlapping(&clock{zone: time.UTC, spans: nil}, from); !ok || got != want {
			t.Errorf("from %d ms after the start: %d ms after it, %v; want %d", from-first, got-first, ok, want-first)
		}
	}
}

func TestZoneNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"": true, "UTC": true, "Europe/Berlin": true, "America/Argentina/Buenos_Aires": true, "America/Port-au-Prince": true, "Etc/GMT+5": true, "EST5EDT": true, "GB-Eire": true,
		"Asia/Calcutta": true, "Europe/Atlantis": false, "europe/berlin": false, "EUROPE/BERLIN": false, "Berlin": false, "Local": false, "Factory": false, "localtime": false,
		"posix/Europe/Berlin": false, "right/Europe/Berlin": false, "Europe/": false, "/Europe/Berlin": false, "Europe//Berlin": false, "../Europe/Berlin": false,
		"Europe/../Europe/Berlin": false, "Europe\\Berlin": false, "Europe": false, "+01:00": false, "CEST": false, "UTC\x00": false, " UTC": false, "Europe/Bërlin": false, //nolint:gocritic // the leading space makes the name invalid
	} {
		if _, err := new(zones).load(name); (err == nil) != want {
			t.Errorf("load(%q): %v, want it to be a zone: %v", name, err, want)
		}
	}
}

func parse(t *testing.T, text string) moment {
	t.Helper()
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		t.Fatal(err)
	}
	return at.UnixMilli()
}
