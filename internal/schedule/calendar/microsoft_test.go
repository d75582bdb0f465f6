package calendar

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"
)

// monthEnd returns a series on the 31st, which Microsoft gets as single events.
func monthEnd(t *testing.T) Entry {
	t.Helper()
	e := weekly(t)
	e.Recurrence, e.Until = Monthly, nil
	e.Starts, e.Ends = in(t, "Europe/Berlin", "2026-01-31 09:00"), in(t, "Europe/Berlin", "2026-01-31 10:00")
	return e
}

// at sets the clock of a Microsoft calendar.
func (w *world) at(now time.Time) {
	w.calendar.(*Microsoft).Access.OAuth.Now = func() time.Time { return now }
	w.calendar.(*Microsoft).Access.token.Expires = time.Time{}
}

// dates returns the days and hours at which events start.
func (w *world) dates(t *testing.T, zone string) []string {
	t.Helper()
	location, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, event := range w.Events(t) {
		if event.Rule != "" || event.Ends.Sub(event.Starts) != time.Hour {
			t.Errorf("the event is %s", event)
		}
		list = append(list, event.Starts.In(location).Format("2006-01-02 15"))
	}
	slices.Sort(list)
	return list
}

func TestMicrosoftGetsMonthEndsAsSingleEvents(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newFakeMicrosoft(t))
	check := func(doing string, want ...string) {
		t.Helper()
		if got := w.dates(t, "Europe/Berlin"); !slices.Equal(got, want) {
			t.Errorf("%s, the calendar holds %q, want %q", doing, got, want)
		}
	}
	year := []string{"2026-03-31 09", "2026-05-31 09", "2026-07-31 09", "2026-08-31 09", "2026-10-31 09", "2026-12-31 09", "2027-01-31 09"}
	w.write(t, monthEnd(t))
	w.write(t, monthEnd(t))
	check("written twice on the 2nd of March", year...)

	due, ok := TopUp(monthEnd(t), testNow())
	if want := in(t, "Europe/Berlin", "2026-03-31 09:00"); !ok || !due.Equal(want) {
		t.Fatalf("the next top-up is at %s, want %s", due, want)
	}
	w.at(due)
	w.write(t, monthEnd(t))
	check("topped up at the end of March", append(slices.Clone(year), "2027-03-31 09")...)

	later := monthEnd(t)
	until := in(t, "Europe/Berlin", "2026-10-31 11:00")
	later.Starts, later.Ends, later.Until, later.Sequence = later.Starts.Add(2*time.Hour), later.Ends.Add(2*time.Hour), &until, 1
	w.at(in(t, "Europe/Berlin", "2026-06-15 12:00"))
	w.write(t, later)
	check("moved by two hours in June, to end in October", "2026-03-31 09", "2026-05-31 09", "2026-07-31 11", "2026-08-31 11", "2026-10-31 11")
	if due, ok := TopUp(later, testNow()); ok {
		t.Errorf("a series that ends within the year is topped up at %s", due)
	}

	if err := w.calendar.Delete(t.Context(), testMeeting); err != nil {
		t.Error(err)
	}
	check("deleted")
}

// A series that becomes single events, and a series again, leaves no old events
// behind.
func TestMicrosoftChangesBetweenSeriesAndSingleEvents(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newFakeMicrosoft(t))
	w.write(t, weekly(t))
	ends := monthEnd(t)
	ends.Sequence = 1
	w.write(t, ends)
	if got := w.dates(t, "Europe/Berlin"); len(got) != 7 {
		t.Errorf("the calendar holds %q", got)
	}
	back := weekly(t)
	back.Sequence = 2
	w.write(t, back)
	w.holds(t, back, w.Rule())
}

func TestAMonthlySeriesNearTheEndOfAMonthGetsMissingDays(t *testing.T) {
	t.Parallel()
	now := testNow()
	for name, s := range map[string]struct {
		starts     string
		recurrence Recurrence
		want       string
	}{
		"a weekly series":            {"2026-01-31 09:00", Weekly, ""},
		"on the 28th":                {"2026-01-28 09:00", Monthly, ""},
		"on the 29th":                {"2026-01-29 09:00", Monthly, "2026-03-29 09:00"},
		"on the 30th":                {"2026-01-30 09:00", Monthly, "2026-03-30 09:00"},
		"begins in two years":        {"2028-01-31 09:00", Monthly, "2027-01-31 09:00"},
		"on the 29th, for leap days": {"2027-12-29 09:00", Monthly, "2026-12-29 09:00"},
	} {
		e := monthEnd(t)
		e.Starts, e.Ends, e.Recurrence = in(t, "Europe/Berlin", s.starts), in(t, "Europe/Berlin", s.starts).Add(time.Hour), s.recurrence
		due, ok := TopUp(e, now)
		if ok != (s.want != "") || ok && due.In(e.Starts.Location()).Format("2006-01-02 15:04") != s.want {
			t.Errorf("%s: %s, %v; want %s", name, due, ok, s.want)
		}
	}
}

// In Berlin, a year from the 29th of October 2027 is an hour shorter than one from the
// moment in UTC. The next top-up is later than this one nevertheless.
func TestATopUpLeadsToALaterOne(t *testing.T) {
	t.Parallel()
	e := monthEnd(t)
	e.Starts, e.Ends = in(t, "Europe/Berlin", "2027-01-29 09:00"), in(t, "Europe/Berlin", "2027-01-29 10:00")
	now := in(t, "Europe/Berlin", "2027-02-01 09:00").UTC()
	for range 200 {
		due, ok := TopUp(e, now)
		if !ok || !due.After(now) {
			t.Fatalf("at %s the next top-up is at %s", now, due)
		}
		now = due.UTC()
	}
}

// An event of today that is over stays as it was, and one that is not there any more is
// removed.
func TestMicrosoftKeepsTheEventOfTodayThatIsOver(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newFakeMicrosoft(t))
	w.write(t, monthEnd(t))
	w.at(in(t, "Europe/Berlin", "2026-03-31 12:00"))
	renamed := monthEnd(t)
	renamed.Title, renamed.Sequence = "Renamed", 1
	w.write(t, renamed)
	if got := w.dates(t, "Europe/Berlin"); got[0] != "2026-03-31 09" || got[1] != "2026-05-31 09" {
		t.Errorf("the calendar holds %q", got)
	}
	earlier := monthEnd(t)
	earlier.Starts, earlier.Ends, earlier.Sequence = earlier.Starts.AddDate(0, 0, -1), earlier.Ends.AddDate(0, 0, -1), 2
	w.write(t, earlier)
	if got := w.dates(t, "Europe/Berlin"); got[0] != "2026-04-30 09" {
		t.Errorf("moved to the 30th, the calendar holds %q", got)
	}
}

func TestMicrosoftWithoutTheCalendar(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newFakeMicrosoft(t))
	w.calendar.(*Microsoft).Calendar = "deleted"
	if _, err := w.calendar.Write(t.Context(), weekly(t)); kindOf(err) != "no calendar" {
		t.Errorf("write: %v", err)
	}
	if err := w.calendar.Delete(t.Context(), testMeeting); kindOf(err) != "no calendar" {
		t.Errorf("delete: %v", err)
	}
}

func TestGraphRecurrence(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]struct {
		recurrence Recurrence
		until      string
		want       string
	}{
		"daily":    {Daily, "", `{"pattern":{"type":"daily","interval":1},"range":{"type":"noEnd","startDate":"2026-03-24","recurrenceTimeZone":"W. Europe Standard Time"}}`},
		"weekdays": {Weekdays, "2026-03-31 08:59", `{"pattern":{"type":"weekly","interval":1,"daysOfWeek":["monday","tuesday","wednesday","thursday","friday"],"firstDayOfWeek":"monday"},"range":{"type":"endDate","startDate":"2026-03-24","endDate":"2026-03-30","recurrenceTimeZone":"W. Europe Standard Time"}}`},
		"biweekly": {Biweekly, "2026-04-07 09:00", `{"pattern":{"type":"weekly","interval":2,"daysOfWeek":["tuesday"],"firstDayOfWeek":"monday"},"range":{"type":"endDate","startDate":"2026-03-24","endDate":"2026-04-07","recurrenceTimeZone":"W. Europe Standard Time"}}`},
		"monthly":  {Monthly, "", `{"pattern":{"type":"absoluteMonthly","interval":1,"dayOfMonth":24},"range":{"type":"noEnd","startDate":"2026-03-24","recurrenceTimeZone":"W. Europe Standard Time"}}`},
	} {
		e := weekly(t)
		e.Recurrence, e.Until = s.recurrence, nil
		if s.until != "" {
			until := in(t, "Europe/Berlin", s.until)
			e.Until = &until
		}
		p, err := newPlan(e)
		if err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(p.graphEvent(testHost, "").Recurrence)
		if err != nil || string(got) != s.want {
			t.Errorf("%s is %s, %v; want %s", name, got, err, s.want)
		}
	}
}

// A skipped local time moves forward, and for one that occurs twice it is the first.
func TestLocalTimes(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]struct{ zone, starts, on, want string }{
		"skipped in Berlin":     {"Europe/Berlin", "2026-01-29 02:30", "2026-03-29", "2026-03-29T03:30:00+02:00"},
		"skipped in New York":   {"America/New_York", "2026-01-08 02:30", "2026-03-08", "2026-03-08T03:30:00-04:00"},
		"skipped in Lord Howe":  {"Australia/Lord_Howe", "2026-07-04 02:15", "2026-10-04", "2026-10-04T02:45:00+11:00"},
		"twice in Berlin":       {"Europe/Berlin", "2026-01-25 02:30", "2026-10-25", "2026-10-25T02:30:00+02:00"},
		"twice in New York":     {"America/New_York", "2026-01-01 01:30", "2026-11-01", "2026-11-01T01:30:00-04:00"},
		"before it in New York": {"America/New_York", "2026-01-01 01:59", "2026-03-08", "2026-03-08T01:59:00-05:00"},
		"after it in New York":  {"America/New_York", "2026-01-01 03:00", "2026-03-08", "2026-03-08T03:00:00-04:00"},
		"an ordinary day":       {"Asia/Kolkata", "2026-01-01 12:00", "2026-03-08", "2026-03-08T12:00:00+05:30"},
	} {
		e := weekly(t)
		e.Zone, e.Starts, e.Until = s.zone, in(t, s.zone, s.starts), nil
		e.Ends = e.Starts
		p, err := newPlan(e)
		if err != nil {
			t.Fatal(err)
		}
		day, _ := time.Parse(time.DateOnly, s.on)
		if got := p.on(day.Date()).Format(time.RFC3339); got != s.want {
			t.Errorf("%s it is %s, want %s", name, got, s.want)
		}
	}
}

// Every zone in common use has a name that Microsoft knows.
func TestCommonZonesHaveNamesOfMicrosoft(t *testing.T) {
	t.Parallel()
	for zone, want := range map[string]string{
		"Europe/Berlin": "W. Europe Standard Time", "America/New_York": "Eastern Standard Time", "US/Eastern": "Eastern Standard Time",
		"Asia/Kolkata": "India Standard Time", "Asia/Calcutta": "India Standard Time", "Mars/Olympus": "Mars/Olympus",
	} {
		if got := windowsZone(zone); got != want {
			t.Errorf("%s is %q, want %q", zone, got, want)
		}
	}
	var without []string
	for _, zone := range testZones() {
		if windowsZone(zone) == zone {
			without = append(without, zone)
		}
	}
	if want := []string{"Antarctica/Troll"}; fmt.Sprint(without) != fmt.Sprint(want) {
		t.Errorf("no name of Windows have %q, want %q", without, want)
	}
}
