package calendar

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// python runs a script of testdata with Debian's Python, which has the
// libraries that scripts/install-test-deps installs.
func python(t *testing.T, stdin []byte, script string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command("/usr/bin/python3", append([]string{filepath.Join("testdata", script)}, args...)...)
	cmd.Stdin = bytes.NewReader(stdin)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v; scripts/install-test-deps installs what it needs\n%s\n%s", script, err, said.String(), stdin)
	}
	return out
}

// occurrence is what another program sees of an event.
type occurrence struct {
	UID        string   `json:"uid"`
	Title      string   `json:"title"`
	Text       string   `json:"text"`
	Starts     string   `json:"starts"`
	Ends       string   `json:"ends"`
	Properties []string `json:"properties"`
}

func occurrences(t *testing.T, object []byte, from, to string) []occurrence {
	t.Helper()
	var list []occurrence
	for line := range bytes.Lines(python(t, object, "occurrences.py", from, to)) {
		var o occurrence
		if err := json.Unmarshal(line, &o); err != nil {
			t.Fatal(err)
		}
		list = append(list, o)
	}
	return list
}

func object(t *testing.T, e Entry) []byte {
	t.Helper()
	o, err := Object(e, testHost)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestObject(t *testing.T) {
	t.Parallel()
	e := weekly(t)
	e.Sequence = 3
	got := strings.Join(unfold(string(object(t, e))), "\n")
	_, got, _ = strings.Cut(got, "END:VTIMEZONE\n")
	want := `BEGIN:VEVENT
UID:0193a1f0-5c3e-7bb4-8a50-3f1d2c4b5a69@meet.example.com
DTSTAMP:20260302T080000Z
CREATED:20260302T080000Z
LAST-MODIFIED:20260302T080000Z
SEQUENCE:3
DTSTART;TZID=Europe/Berlin:20260324T090000
DTEND;TZID=Europe/Berlin:20260324T103000
RRULE:FREQ=WEEKLY;BYDAY=TU;UNTIL=20260630T070000Z
SUMMARY:Weekly review
DESCRIPTION:Numbers\; then\, plans.\nBring coffee.\n\nJoin: https://meet.example.com/abc-defg-hjk
LOCATION:https://meet.example.com/abc-defg-hjk
URL:https://meet.example.com/abc-defg-hjk
CONFERENCE;VALUE=URI;FEATURE=AUDIO,VIDEO;LABEL=Join:https://meet.example.com/abc-defg-hjk
STATUS:CONFIRMED
TRANSP:OPAQUE
X-CONCLAVE-MEETING:0193a1f0-5c3e-7bb4-8a50-3f1d2c4b5a69
END:VEVENT
END:VCALENDAR
`
	if got != want {
		t.Errorf("the event is\n%s\nwant\n%s", got, want)
	}
	if !bytes.Equal(object(t, e), object(t, e)) {
		t.Error("the same entry gives other bytes")
	}
}

func TestRules(t *testing.T) {
	t.Parallel()
	for recurrence, want := range map[Recurrence]string{
		None: "", Daily: "FREQ=DAILY", Weekdays: "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", Weekly: "FREQ=WEEKLY;BYDAY=TU",
		Biweekly: "FREQ=WEEKLY;INTERVAL=2;WKST=MO;BYDAY=TU", Monthly: "FREQ=MONTHLY;BYMONTHDAY=24",
	} {
		e := weekly(t)
		e.Recurrence, e.Until = recurrence, nil
		p, err := newPlan(e)
		if err != nil || p.rule() != want {
			t.Errorf("%s is %q, %v; want %q", recurrence, p.rule(), err, want)
		}
	}
}

// An occurrence that starts exactly at the end counts, also with fractions of a
// second.
func TestUntil(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]struct {
		starts, until time.Duration
		want          string
	}{
		"at it":                   {0, 0, "UNTIL=20260331T070000Z"},
		"a second before":         {0, -time.Second, "UNTIL=20260331T065959Z"},
		"with the same fraction":  {500 * time.Millisecond, 500 * time.Millisecond, "UNTIL=20260331T070000Z"},
		"with a smaller fraction": {500 * time.Millisecond, 499 * time.Millisecond, "UNTIL=20260331T065959Z"},
	} {
		e := weekly(t)
		until := in(t, "Europe/Berlin", "2026-03-31 09:00").Add(s.until)
		e.Starts, e.Until = e.Starts.Add(s.starts), &until
		p, err := newPlan(e)
		if err != nil || !strings.HasSuffix(p.rule(), s.want) {
			t.Errorf("%s: %q, %v; want %s", name, p.rule(), err, s.want)
		}
	}
}

// In the last years the year still has four digits everywhere.
func TestYearsHaveFourDigits(t *testing.T) {
	t.Parallel()
	for _, zone := range []string{"Europe/Berlin", "Africa/Casablanca", "America/Los_Angeles"} {
		e := weekly(t)
		e.Zone, e.Starts, e.Ends = zone, in(t, zone, "9999-12-30 20:00"), in(t, zone, "9999-12-30 21:00")
		until := in(t, zone, "9999-12-31 23:59")
		e.Until = &until
		for _, line := range unfold(string(object(t, e))) {
			if regexp.MustCompile(`\d{9}T`).MatchString(line) {
				t.Errorf("in %s there is %s", zone, line)
			}
		}
	}
}

// Calendars have no fractions of a second. A meeting without a whole second still ends
// after it starts, as RFC 5545 (section 3.8.2.2) asks of every event.
func TestTheShortestMeetingEndsAfterItStarts(t *testing.T) {
	t.Parallel()
	e := weekly(t)
	e.Starts = e.Starts.Add(250 * time.Millisecond)
	e.Ends = e.Starts.Add(time.Millisecond)
	hasLines(t, e, "DTSTART;TZID=Europe/Berlin:20260324T090000", "DTEND;TZID=Europe/Berlin:20260324T090001")
}

// The last hours of the year 9999 belong to the next year in the east. They are written
// in UTC.
func TestTheLastHoursAreWrittenInUTC(t *testing.T) {
	t.Parallel()
	e := weekly(t)
	e.Zone, e.Starts, e.Until = "Asia/Tokyo", time.Date(9999, time.December, 31, 20, 0, 0, 0, time.UTC), nil
	e.Ends = e.Starts.Add(time.Hour)
	hasLines(t, e, "DTSTART:99991231T200000Z", "DTEND:99991231T210000Z", "RRULE:FREQ=WEEKLY;BYDAY=FR")
}

// A meeting in the very last second has no second after it.
func TestTheLastSecondIsWrittenWithFourDigits(t *testing.T) {
	t.Parallel()
	e := weekly(t)
	e.Zone, e.Starts, e.Until = "", time.Date(9999, time.December, 31, 23, 59, 59, 250e6, time.UTC), nil
	e.Ends = e.Starts.Add(700 * time.Millisecond)
	hasLines(t, e, "DTSTART:99991231T235958Z", "DTEND:99991231T235959Z")
}

// hasLines checks that an entry is written with these lines.
func hasLines(t *testing.T, e Entry, wanted ...string) {
	t.Helper()
	lines := unfold(string(object(t, e)))
	for _, want := range wanted {
		if !slices.Contains(lines, want) {
			t.Errorf("there is no %s in %q", want, lines)
		}
	}
}

func TestMalformedEntriesAreRefused(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*Entry){
		"no UUID":                     func(e *Entry) { e.Meeting = "1\r\nATTACH:x" },
		"a UUID in capitals":          func(e *Entry) { e.Meeting = strings.ToUpper(e.Meeting) },
		"an unknown zone":             func(e *Entry) { e.Zone = "Mars/Olympus" },
		"the zone of the machine":     func(e *Entry) { e.Zone = "Local" },
		"an unknown rule":             func(e *Entry) { e.Recurrence = "yearly" },
		"an end before the start":     func(e *Entry) { e.Ends = e.Starts.Add(-time.Second) },
		"a last day before the first": func(e *Entry) { u := e.Starts.Add(-time.Second); e.Until = &u },
		"an address that is a script": func(e *Entry) { e.JoinURL = "javascript:alert(1)" },
		"an address of two lines":     func(e *Entry) { e.JoinURL = "https://meet.example.com/\r\nATTACH:x" },
		"a year of five digits":       func(e *Entry) { e.Ends = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC); e.Until = nil },
	} {
		e := weekly(t)
		spoil(&e)
		if o, err := Object(e, testHost); err == nil {
			t.Errorf("%s was written:\n%s", name, o)
		}
	}
}

// Other programs see the right local times on both sides of a change of the
// clocks, and the last occurrence.
func TestOtherProgramsSeeTheRightLocalTimes(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]struct {
		zone, starts, ends string
		recurrence         Recurrence
		until              string
		from, to           string
		want               []string
	}{
		"weekly in Berlin, into summer": {
			"Europe/Berlin", "2026-03-24 09:00", "2026-03-24 10:00", Weekly, "2026-04-07 09:00", "2026-03-01", "2026-05-01",
			[]string{"2026-03-24T09:00:00+01:00", "2026-03-31T09:00:00+02:00", "2026-04-07T09:00:00+02:00"},
		},
		"every two weeks in New York, into winter": {
			"America/New_York", "2026-10-22 16:30", "2026-10-22 17:00", Biweekly, "2026-11-19 16:29", "2026-10-01", "2026-12-01",
			[]string{"2026-10-22T16:30:00-04:00", "2026-11-05T16:30:00-05:00"},
		},
		"weekdays in Sydney, into winter": {
			"Australia/Sydney", "2026-04-02 08:00", "2026-04-02 08:15", Weekdays, "", "2026-04-01", "2026-04-07",
			[]string{"2026-04-02T08:00:00+11:00", "2026-04-03T08:00:00+11:00", "2026-04-06T08:00:00+10:00", "2026-04-07T08:00:00+10:00"},
		},
		"daily in Jerusalem, into summer on a Friday": {
			"Asia/Jerusalem", "2026-03-26 09:00", "2026-03-26 09:30", Daily, "", "2026-03-26", "2026-03-29",
			[]string{"2026-03-26T09:00:00+02:00", "2026-03-27T09:00:00+03:00", "2026-03-28T09:00:00+03:00"},
		},
		"daily in Casablanca, around Ramadan": {
			"Africa/Casablanca", "2027-02-06 09:00", "2027-02-06 09:30", Daily, "", "2027-02-06", "2027-02-09",
			[]string{"2027-02-06T09:00:00+01:00", "2027-02-07T09:00:00+00:00", "2027-02-08T09:00:00+00:00"},
		},
		"monthly on the 31st": {
			"Europe/London", "2026-01-31 12:00", "2026-01-31 13:00", Monthly, "", "2026-01-01", "2026-06-01",
			[]string{"2026-01-31T12:00:00+00:00", "2026-03-31T12:00:00+01:00", "2026-05-31T12:00:00+01:00"},
		},
		"weekly without a zone": {
			"", "2026-03-24 09:00", "2026-03-24 10:00", Weekly, "", "2026-03-23", "2026-04-01",
			[]string{"2026-03-24T09:00:00+00:00", "2026-03-31T09:00:00+00:00"},
		},
		"years later, by the yearly rule": {
			"America/New_York", "2026-10-22 16:30", "2026-10-22 17:00", Daily, "", "2039-11-05", "2039-11-08",
			[]string{"2039-11-05T16:30:00-04:00", "2039-11-06T16:30:00-05:00", "2039-11-07T16:30:00-05:00"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			zone := s.zone
			if zone == "" {
				zone = "UTC"
			}
			e := weekly(t)
			e.Zone, e.Recurrence, e.Until = s.zone, s.recurrence, nil
			e.Starts, e.Ends = in(t, zone, s.starts), in(t, zone, s.ends)
			if s.until != "" {
				until := in(t, zone, s.until)
				e.Until = &until
			}
			var got []string
			for _, o := range occurrences(t, object(t, e), s.from, s.to) {
				got = append(got, o.Starts)
			}
			if !slices.Equal(got, s.want) {
				t.Errorf("the other program sees %q, want %q", got, s.want)
			}
		})
	}
}

// When clocks are set back, an hour occurs twice. A time in its second pass is written
// in UTC, except in a series.
func TestTheSecondPassOfARepeatedHourIsWrittenInUTC(t *testing.T) {
	t.Parallel()
	first := in(t, "Europe/Berlin", "2026-10-25 02:30")
	if first.UTC().Hour() != 0 {
		first = first.Add(-time.Hour)
	}
	for name, s := range map[string]struct {
		starts     time.Time
		length     time.Duration
		recurrence Recurrence
		want       []string
	}{
		"the first pass":                   {first, 15 * time.Minute, None, []string{"DTSTART;TZID=Europe/Berlin:20261025T023000", "DTEND;TZID=Europe/Berlin:20261025T024500"}},
		"from the first pass to the next":  {first, time.Hour, None, []string{"DTSTART;TZID=Europe/Berlin:20261025T023000", "DTEND:20261025T013000Z"}},
		"the second pass":                  {first.Add(time.Hour), time.Hour, None, []string{"DTSTART:20261025T013000Z", "DTEND:20261025T023000Z"}},
		"a series from the second pass on": {first.Add(time.Hour), 15 * time.Minute, Weekly, []string{"DTSTART;TZID=Europe/Berlin:20261025T023000", "DTEND;TZID=Europe/Berlin:20261025T024500"}},
	} {
		e := weekly(t)
		e.Starts, e.Ends, e.Recurrence, e.Until = s.starts, s.starts.Add(s.length), s.recurrence, nil
		var got []string
		for _, line := range unfold(string(object(t, e))) {
			if strings.HasPrefix(line, "DTEND") || strings.HasPrefix(line, "DTSTART") {
				got = append(got, line)
			}
		}
		got = got[len(got)-2:] // without those of the zone
		if !slices.Equal(got, s.want) {
			t.Errorf("%s is %q, want %q", name, got, s.want)
		}
	}
}

func TestFeed(t *testing.T) {
	t.Parallel()
	berlin, york := weekly(t), moved(t)
	york.Meeting = "0193a1f0-5c3e-7bb4-8a50-000000000001"
	again := weekly(t)
	again.Meeting = "0193a1f0-5c3e-7bb4-8a50-000000000002"
	again.Starts, again.Ends = again.Starts.AddDate(0, 0, -14), again.Ends.AddDate(0, 0, -14)
	feed, err := Feed("Acme; meetings", []Entry{berlin, york, again}, testHost)
	if err != nil {
		t.Fatal(err)
	}
	text := string(feed)
	for _, line := range []string{"X-WR-CALNAME:Acme\\; meetings\r\n", "NAME:Acme\\; meetings\r\n", "REFRESH-INTERVAL;VALUE=DURATION:PT1H\r\n"} {
		if !strings.Contains(text, line) {
			t.Errorf("the feed has no %q", line)
		}
	}
	if strings.Contains(text, "METHOD") || strings.Count(text, "BEGIN:VTIMEZONE") != 2 || strings.Count(text, "BEGIN:VEVENT") != 3 {
		t.Errorf("the feed is\n%s", text)
	}
	var got []string
	for _, o := range occurrences(t, feed, "2026-03-23", "2026-04-01") {
		got = append(got, o.Title+" "+o.Starts)
	}
	want := []string{
		"Weekly review 2026-03-24T09:00:00+01:00", "Weekly review 2026-03-24T09:00:00+01:00", "Yearly review 2026-03-25T16:00:00-04:00",
		"Weekly review 2026-03-31T09:00:00+02:00", "Weekly review 2026-03-31T09:00:00+02:00",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the feed shows %q, want %q", got, want)
	}
	if empty, err := Feed("Nothing", nil, testHost); err != nil || strings.Contains(string(empty), "VEVENT") {
		t.Errorf("a feed of nothing: %v\n%s", err, empty)
	}
}

// The calendar program khal shows the series at the right local times, in the
// meeting's zone and in that of a person elsewhere.
func TestCalendarProgramShowsTheSeries(t *testing.T) {
	t.Parallel()
	for zone, want := range map[string]string{
		"Europe/Berlin":    "2026-03-24 09:00 Weekly review\n2026-03-31 09:00 Weekly review\n2026-04-07 09:00 Weekly review\n",
		"America/New_York": "2026-03-24 04:00 Weekly review\n2026-03-31 03:00 Weekly review\n2026-04-07 03:00 Weekly review\n",
	} {
		dir := t.TempDir()
		files := map[string][]byte{
			"config": []byte("[calendars]\n[[work]]\npath = " + dir + "/work\n[sqlite]\npath = " + dir + "/khal.db\n[locale]\nlocal_timezone = " + zone +
				"\ndefault_timezone = " + zone + "\ntimeformat = %H:%M\ndateformat = %Y-%m-%d\nlongdateformat = %Y-%m-%d\ndatetimeformat = %Y-%m-%d %H:%M\nlongdatetimeformat = %Y-%m-%d %H:%M\n"),
			"work/" + testMeeting + ".ics": object(t, weekly(t)),
		}
		if err := os.Mkdir(filepath.Join(dir, "work"), 0o700); err != nil {
			t.Fatal(err)
		}
		for name, raw := range files {
			if err := os.WriteFile(filepath.Join(dir, name), raw, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command("khal", "--config", filepath.Join(dir, "config"), "list", "--format", "{start-date} {start-time} {title}", "--day-format", "", "2026-03-20", "21d")
		cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "HOME="+dir)
		got, err := cmd.CombinedOutput()
		if err != nil || strings.TrimLeft(string(got), "\n") != want {
			t.Errorf("in %s khal shows %v\n%s\nwant\n%s", zone, err, got, want)
		}
	}
}

// Another maker's client can read what our client wrote to a CalDAV server.
func TestAnotherClientReadsTheCalendar(t *testing.T) {
	t.Parallel()
	r := startRadicale(t).with(t, "work")
	w := newWorld(t, r)
	w.write(t, weekly(t))
	got := occurrences(t, python(t, nil, "read_server.py", r.address, "ada", testPassword, "work"), "2026-03-30", "2026-04-05")
	if len(got) != 1 || got[0].Starts != "2026-03-31T09:00:00+02:00" || got[0].Ends != "2026-03-31T10:30:00+02:00" || got[0].Title != "Weekly review" ||
		got[0].Text != "Numbers; then, plans.\nBring coffee.\n\nJoin: https://meet.example.com/abc-defg-hjk" || got[0].UID != UID(testMeeting, testHost) {
		t.Errorf("the other client reads %+v", got)
	}
}
