package calendar

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"
)

// testZones returns zones with something special, and some of every continent.
func testZones() []string {
	return []string{
		"Europe/Berlin", "Europe/London", "Europe/Dublin", "Europe/Lisbon", "Europe/Paris", "Europe/Athens", "Europe/Moscow", "Europe/Istanbul",
		"Europe/Chisinau", "Europe/Kyiv", "Europe/Minsk", "Europe/Samara", "Europe/Volgograd", "Atlantic/Reykjavik", "Atlantic/Azores",
		"America/New_York", "America/Chicago", "America/Denver", "America/Phoenix", "America/Los_Angeles", "America/Anchorage", "America/Halifax",
		"America/St_Johns", "America/Havana", "America/Mexico_City", "America/Tijuana", "America/Bogota", "America/Caracas", "America/Sao_Paulo",
		"America/Santiago", "America/Asuncion", "America/Argentina/Buenos_Aires", "America/Nuuk", "America/Scoresbysund", "America/Port-au-Prince",
		"Pacific/Easter", "Pacific/Honolulu", "Pacific/Apia", "Pacific/Auckland", "Pacific/Chatham", "Pacific/Fiji", "Pacific/Kiritimati", "Pacific/Norfolk",
		"Australia/Sydney", "Australia/Adelaide", "Australia/Lord_Howe", "Australia/Perth", "Australia/Eucla", "Antarctica/Troll", "Antarctica/Casey",
		"Asia/Tokyo", "Asia/Kolkata", "Asia/Kathmandu", "Asia/Tehran", "Asia/Jerusalem", "Asia/Gaza", "Asia/Beirut", "Asia/Damascus", "Asia/Amman",
		"Asia/Almaty", "Asia/Pyongyang", "Asia/Novosibirsk", "Asia/Shanghai", "Africa/Cairo", "Africa/Casablanca", "Africa/El_Aaiun", "Africa/Lagos",
		"Africa/Windhoek", "Africa/Sao_Tome", "Africa/Juba", "EST5EDT", "US/Eastern", "Asia/Calcutta", "Etc/GMT+5",
	}
}

// The definition of a zone agrees with Go's database on every day and in the seconds
// around every change of the clocks, whenever it begins.
func TestZonesAreWhatTheDatabaseSays(t *testing.T) {
	t.Parallel()
	for _, name := range testZones() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			zone, err := time.LoadLocation(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, year := range []int{1990, 2007, 2026} {
				from := time.Date(year, time.July, 1, 12, 0, 0, 0, zone)
				var l lines
				timezone(&l, name, zone, from)
				defined := readZone(t, l.String())
				to := time.Date(2040, time.December, 31, 0, 0, 0, 0, time.UTC)
				was := from
				for at := from; at.Before(to); at = at.Add(25 * time.Hour) {
					compareOffset(t, defined, at)
					if offsetAt(at) != offsetAt(was) {
						begin := change(was, at)
						compareOffset(t, defined, begin.Add(-time.Second))
						compareOffset(t, defined, begin)
					}
					was = at
				}
				if t.Failed() {
					t.Fatalf("from %d:\n%s", year, l.String())
				}
			}
		})
	}
}

// A zone with a yearly rule is defined for ever, in a few lines.
func TestZonesHaveYearlyRules(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{
		"Europe/Berlin":    {"FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU", "FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU"},
		"America/New_York": {"FREQ=YEARLY;BYMONTH=11;BYDAY=1SU", "FREQ=YEARLY;BYMONTH=3;BYDAY=2SU"},
		"Asia/Jerusalem":   {"FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU", "FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=23,24,25,26,27,28,29;BYDAY=FR"},
		"Asia/Tokyo":       nil,
	} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		var l lines
		timezone(&l, name, zone, time.Date(2026, time.January, 15, 0, 0, 0, 0, zone))
		var rules []string
		for _, line := range unfold(l.String()) {
			if rule, ok := strings.CutPrefix(line, "RRULE:"); ok {
				rules = append(rules, rule)
			}
		}
		if !slices.Equal(rules, want) || strings.Contains(l.String(), "RDATE") {
			t.Errorf("%s is\n%s\nwant the rules %q", name, l.String(), want)
		}
	}
}

// A yearly rule that began decades after a series is found, too: Greenland's began in
// 2024.
func TestZonesHaveLateYearlyRules(t *testing.T) {
	t.Parallel()
	from := in(t, "America/Nuuk", "1970-02-07 07:00")
	var l lines
	timezone(&l, "America/Nuuk", from.Location(), from)
	defined := readZone(t, l.String())
	for _, local := range []string{"2029-12-01 12:00", "2040-07-01 12:00", "2040-12-01 12:00"} {
		compareOffset(t, defined, in(t, "America/Nuuk", local))
	}
}

// The definition of a zone covers the first time that is written in it, even that of a
// series from the second pass of a repeated hour on, which is written in the first. An
// event in UTC needs no definition.
func TestZonesAreDefinedAtTheFirstTimeInThem(t *testing.T) {
	t.Parallel()
	second := time.Date(2026, time.October, 25, 1, 30, 0, 0, time.UTC)
	e := weekly(t)
	zone := e.Starts.Location()
	e.Starts, e.Ends, e.Until = second, second.Add(15*time.Minute), nil
	defined := readZone(t, string(object(t, e)))
	compareOffset(t, defined, second.Add(-time.Hour).In(zone))
	e.Recurrence = None
	if text := string(object(t, e)); strings.Contains(text, "VTIMEZONE") {
		t.Errorf("a zone is defined for an event in UTC:\n%s", text)
	}
}

func TestOffsets(t *testing.T) {
	t.Parallel()
	for seconds, want := range map[int]string{0: "+0000", 3600: "+0100", -3600: "-0100", 20700: "+0545", -12600: "-0330", -2670: "-004430"} {
		if got := offset(seconds); got != want {
			t.Errorf("%d seconds are %s, want %s", seconds, got, want)
		}
	}
}

// change finds the second at which the offset changes between two times.
func change(before, after time.Time) time.Time {
	seconds := sort.Search(int(after.Sub(before)/time.Second), func(n int) bool {
		return offsetAt(before.Add(time.Duration(n)*time.Second)) != offsetAt(before)
	})
	return before.Add(time.Duration(seconds) * time.Second)
}

func compareOffset(t *testing.T, defined []onset, at time.Time) {
	t.Helper()
	_, want := at.Zone()
	i, found := slices.BinarySearchFunc(defined, at, func(o onset, at time.Time) int { return o.at.Compare(at) })
	if !found {
		i--
	}
	if i < 0 || defined[i].offset != want {
		t.Errorf("at %s the definition says %v, and Go says %d", at.Format(time.RFC3339), defined[max(i, 0):min(i+2, len(defined))], want)
	}
}

// onset is the moment at which an offset begins.
type onset struct {
	at     time.Time
	offset int
}

// readZone evaluates a VTIMEZONE in the simplest way, by visiting every day of every
// year. It shares no code with timezone.
func readZone(t *testing.T, text string) []onset {
	t.Helper()
	var (
		onsets     []onset
		properties map[string][]string
	)
	for _, line := range strings.Split(strings.TrimSuffix(strings.ReplaceAll(text, "\r\n ", ""), "\r\n"), "\r\n") {
		name, value, _ := strings.Cut(line, ":")
		switch {
		case line == "BEGIN:STANDARD" || line == "BEGIN:DAYLIGHT":
			properties = map[string][]string{}
		case line == "END:STANDARD" || line == "END:DAYLIGHT":
			onsets = append(onsets, readObservance(t, properties)...)
		case properties != nil:
			properties[name] = append(properties[name], value)
		}
	}
	slices.SortFunc(onsets, func(a, b onset) int { return a.at.Compare(b.at) })
	return onsets
}

func readObservance(t *testing.T, properties map[string][]string) []onset {
	t.Helper()
	from, to := readOffset(t, properties["TZOFFSETFROM"][0]), readOffset(t, properties["TZOFFSETTO"][0])
	var onsets []onset
	add := func(local time.Time) {
		onsets = append(onsets, onset{local.Add(-time.Duration(from) * time.Second), to})
	}
	start := readLocal(t, properties["DTSTART"][0])
	for _, text := range properties["RDATE"] {
		add(readLocal(t, text))
	}
	if len(properties["RRULE"]) == 0 {
		add(start)
		return onsets
	}
	rule := map[string]string{}
	for part := range strings.SplitSeq(properties["RRULE"][0], ";") {
		key, value, _ := strings.Cut(part, "=")
		rule[key] = value
	}
	first := true
	for day := start; day.Year() < 2042; day = day.AddDate(0, 0, 1) {
		if matches(rule, day) {
			add(day)
		} else if first {
			t.Fatalf("the rule %v does not hold on its first day, %s", rule, day)
		}
		first = false
	}
	return onsets
}

func matches(rule map[string]string, day time.Time) bool {
	if rule["FREQ"] != "YEARLY" || rule["BYMONTH"] != strconv.Itoa(int(day.Month())) {
		return false
	}
	by := rule["BYDAY"]
	if !strings.EqualFold(day.Weekday().String()[:2], by[len(by)-2:]) {
		return false
	}
	if days, ok := rule["BYMONTHDAY"]; ok {
		return by == by[len(by)-2:] && slices.Contains(strings.Split(days, ","), strconv.Itoa(day.Day()))
	}
	if by[0] == '-' {
		return by[:2] == "-1" && day.AddDate(0, 0, 7).Month() != day.Month()
	}
	return by[:1] == strconv.Itoa((day.Day()+6)/7)
}

func readOffset(t *testing.T, text string) int {
	t.Helper()
	var hours, minutes, seconds int
	if _, err := fmt.Sscanf(text[1:5], "%02d%02d", &hours, &minutes); err != nil {
		t.Fatal(err)
	}
	if len(text) == 7 {
		if _, err := fmt.Sscanf(text[5:], "%02d", &seconds); err != nil {
			t.Fatal(err)
		}
	}
	sum := hours*3600 + minutes*60 + seconds
	if text[0] == '-' {
		return -sum
	}
	return sum
}

func readLocal(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse("20060102T150405", text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}
