package schedule

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// oracleZones has zones with every kind of clock: without daylight saving and
// with it in both hemispheres, at midnight, by half an hour and by two hours,
// with negative daylight saving, with odd offsets, suspended for Ramadan,
// abolished, and moved across the date line, which skipped or repeated a day.
func oracleZones() []string {
	return []string{
		"UTC", "Etc/GMT+12", "Etc/GMT-14", "Europe/Berlin", "Europe/London", "Europe/Dublin", "Europe/Lisbon", "Europe/Moscow", "Europe/Istanbul",
		"Europe/Kyiv", "Europe/Chisinau", "Europe/Volgograd", "Atlantic/Azores", "Atlantic/Reykjavik", "America/New_York", "America/Chicago", "America/Denver",
		"America/Los_Angeles", "America/Anchorage", "America/Phoenix", "America/St_Johns", "America/Halifax", "America/Havana", "America/Mexico_City",
		"America/Caracas", "America/Sao_Paulo", "America/Santiago", "America/Asuncion", "America/Argentina/San_Luis", "America/Nuuk", "America/Scoresbysund",
		"America/Port-au-Prince", "Asia/Tokyo", "Asia/Kolkata", "Asia/Kathmandu", "Asia/Tehran", "Asia/Dubai", "Asia/Kabul", "Asia/Beirut", "Asia/Gaza",
		"Asia/Amman", "Asia/Jerusalem", "Asia/Pyongyang", "Asia/Shanghai", "Asia/Manila", "Asia/Vladivostok", "Asia/Kamchatka", "Asia/Dhaka",
		"Africa/Casablanca", "Africa/El_Aaiun", "Africa/Cairo", "Africa/Lagos", "Africa/Monrovia", "Africa/Windhoek", "Africa/Juba",
		"Australia/Sydney", "Australia/Adelaide", "Australia/Lord_Howe", "Australia/Eucla", "Antarctica/Troll", "Antarctica/Macquarie",
		"Pacific/Auckland", "Pacific/Chatham", "Pacific/Apia", "Pacific/Fakaofo", "Pacific/Kwajalein", "Pacific/Kiritimati", "Pacific/Kanton",
		"Pacific/Tongatapu", "Pacific/Norfolk", "Pacific/Easter", "Pacific/Marquesas", "EST5EDT",
	}
}

func oracleRules() []string { return []string{Daily, Weekdays, Weekly, Biweekly, Monthly} }

// wall returns the local time in the zone at a moment, written as if it were UTC.
func wall(t time.Time, zone *time.Location) time.Time {
	l := t.In(zone)
	return time.Date(l.Year(), l.Month(), l.Day(), l.Hour(), l.Minute(), l.Second(), l.Nanosecond(), time.UTC)
}

// oracleWhen finds the moment at which a clock shows a local time by looking at
// it every quarter of an hour over two and a half days.
func oracleWhen(local time.Time, zone *time.Location) time.Time {
	offsets := map[time.Duration]bool{}
	var gap time.Duration
	before := true
	for t := local.Add(-30 * time.Hour); t.Before(local.Add(30 * time.Hour)); t = t.Add(15 * time.Minute) {
		shown := wall(t, zone)
		offset := shown.Sub(t)
		offsets[offset] = true
		if before = before && shown.Before(local); before {
			gap = offset
		}
	}
	var first time.Time
	for offset := range offsets {
		t := local.Add(-offset)
		if wall(t, zone).Equal(local) && (first.IsZero() || t.Before(first)) {
			first = t
		}
	}
	if first.IsZero() {
		return local.Add(-gap)
	}
	return first
}

// oracleMember reports whether a rule has an occurrence on a local date, which is
// the given number of days after the first.
func oracleMember(every string, first, date time.Time, days int) bool {
	switch every {
	case Daily:
		return true
	case Weekdays:
		return date.Weekday() >= time.Monday && date.Weekday() <= time.Friday
	case Weekly:
		return date.Weekday() == first.Weekday()
	case Biweekly:
		return date.Weekday() == first.Weekday() && days/7%2 == 0
	default:
		return date.Day() == first.Day()
	}
}

// oracleNext finds the first occurrence at or after a moment by walking from
// the first one day by day.
func oracleNext(every string, starts time.Time, zone *time.Location, after time.Time) time.Time {
	if !starts.Before(after) {
		return starts
	}
	begin := wall(starts, zone)
	best := time.Time{}
	for date, days := begin, 0; ; date, days = date.AddDate(0, 0, 1), days+1 {
		if date.After(after.Add(4*24*time.Hour)) && !best.IsZero() {
			return best
		}
		if days == 0 || date.Before(after.Add(-4*24*time.Hour)) || !oracleMember(every, begin, date, days) {
			continue
		}
		if t := oracleWhen(date, zone); !t.Before(after) && (best.IsZero() || t.Before(best)) {
			best = t
		}
	}
}

// agree compares the occurrences of a rule with those of the oracle.
func agree(t *testing.T, every, name string, starts, after time.Time) {
	t.Helper()
	zone, err := new(zones).load(name)
	if err != nil {
		t.Fatal(err)
	}
	r := newRule(every, starts.UnixMilli(), starts.Add(time.Hour).UnixMilli(), math.MaxInt64, zone)
	got, ok := r.next(&clock{zone: zone, spans: nil}, after.UnixMilli())
	want := oracleNext(every, starts, zone, after)
	if !ok || got != want.UnixMilli() {
		t.Fatalf("%s from %s in %s: the first occurrence at or after %s is %s (%v), want %s",
			every, starts.In(zone), name, after.In(zone), time.UnixMilli(got).In(zone), ok, want.In(zone))
	}
	r.until = want.UnixMilli() - 1
	if got, ok := r.next(&clock{zone: zone, spans: nil}, after.UnixMilli()); ok && want.After(starts) {
		t.Fatalf("%s from %s in %s has an occurrence at %s after its end", every, starts.In(zone), name, time.UnixMilli(got).In(zone))
	}
}

// transitions finds when the clock of a zone is put forward or back, to the second,
// by comparing the offsets of consecutive days.
func transitions(zone *time.Location, from, to time.Time) []time.Time {
	var found []time.Time
	offset := func(t time.Time) time.Duration { return wall(t, zone).Sub(t) }
	for t := from; t.Before(to); t = t.Add(24 * time.Hour) {
		low, high := t, t.Add(24*time.Hour)
		if offset(low) == offset(high) {
			continue
		}
		for high.Sub(low) > time.Second {
			if middle := low.Add(high.Sub(low) / 2).Truncate(time.Second); offset(middle) == offset(low) {
				low = middle
			} else {
				high = middle
			}
		}
		found = append(found, high)
	}
	return found
}

// Every rule has the same occurrences as the oracle, in every zone, at local times
// that the clock skips or repeats and at others.
func TestOccurrencesAgreeWithTheOracle(t *testing.T) {
	t.Parallel()
	if len(oracleZones()) < 50 {
		t.Fatalf("%d zones are too few", len(oracleZones()))
	}
	for i, name := range oracleZones() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			zone, err := new(zones).load(name)
			if err != nil {
				t.Fatal(err)
			}
			random := rand.New(rand.NewPCG(uint64(i), 5545))
			within := func(d time.Duration) time.Duration {
				return time.Duration(random.Int64N(int64(d))).Truncate(time.Millisecond)
			}
			switches := transitions(zone, time.Date(1970, 1, 3, 0, 0, 0, 0, time.UTC), time.Date(2045, 1, 1, 0, 0, 0, 0, time.UTC))
			for n := range 60 {
				every := oracleRules()[n%5]
				starts := time.Date(1971, 1, 1, 0, 0, 0, 0, time.UTC).Add(within(70 * 365 * 24 * time.Hour))
				after := starts.Add(within(6 * 365 * 24 * time.Hour))
				if len(switches) > 0 && n%3 > 0 {
					// A start some days before a change of the clock, at the skipped or repeated
					// local time.
					at := switches[random.IntN(len(switches))]
					days := []int{1, 1, 7, 14, 31}[n%5] * (1 + random.IntN(12))
					local := wall(at, zone).Add(within(3*time.Hour)-2*time.Hour).AddDate(0, 0, -days)
					starts = oracleWhen(local, zone)
					after = at.Add(within(3*24*time.Hour) - 36*time.Hour)
				}
				if starts.Year() >= 1970 {
					agree(t, every, name, starts.Truncate(time.Millisecond), after.Truncate(time.Millisecond))
				}
			}
		})
	}
}

func FuzzOccurrences(f *testing.F) {
	for i := range oracleZones() {
		f.Add(uint8(i), uint8(i), int64(i)*1e9, int64(i)*1e10)
	}
	f.Add(uint8(3), uint8(0), int64(1_711_848_600_000), int64(1_711_848_600_000)) // 02:30 in Berlin on a day without
	f.Fuzz(func(t *testing.T, zone, rule uint8, starts, later int64) {
		const century = 100 * 365 * day
		begin := time.UnixMilli(floorMod(starts, century)).UTC()
		after := begin.Add(time.Duration(floorMod(later, 20*365*day)) * time.Millisecond)
		agree(t, oracleRules()[int(rule)%5], oracleZones()[int(zone)%len(oracleZones())], begin, after)
	})
}
