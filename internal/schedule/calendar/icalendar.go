package calendar

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Forms of a time (RFC 5545, section 3.3.5).
const (
	localForm = "20060102T150405"
	utcForm   = localForm + "Z"
)

// markName is the property that names the meeting of an event.
const markName = "X-CONCLAVE-MEETING"

// refreshEvery is how often programs should fetch a feed they subscribed to.
const refreshEvery = "PT1H"

// Object writes one entry as an iCalendar object (RFC 5545), the form that CalDAV
// stores. host is the host of the service's public address. The same entry always
// gives the same bytes.
func Object(e Entry, host string) ([]byte, error) {
	p, err := newPlan(e)
	if err != nil {
		return nil, err
	}
	var l lines
	open(&l)
	zones(&l, []plan{p})
	event(&l, p, host)
	l.add("END", "VCALENDAR")
	return []byte(l.String()), nil
}

// Feed writes a calendar of many entries, for programs that subscribe to an address.
// It has a name and says how often to fetch it (RFC 7986, and the older properties
// that programs know).
func Feed(name string, entries []Entry, host string) ([]byte, error) {
	known := map[string]*time.Location{} // loading a zone takes longer than writing an entry
	load := func(name string) (zone *time.Location, err error) {
		if known[name] == nil {
			known[name], err = time.LoadLocation(name)
		}
		return known[name], err
	}
	plans := make([]plan, 0, len(entries))
	for _, e := range entries {
		p, err := newPlanIn(e, load)
		if err != nil {
			return nil, fmt.Errorf("meeting %s: %w", e.Meeting, err)
		}
		plans = append(plans, p)
	}
	var l lines
	open(&l)
	l.addText("NAME", name)
	l.addText("X-WR-CALNAME", name)
	l.add("REFRESH-INTERVAL;VALUE=DURATION", refreshEvery)
	l.add("X-PUBLISHED-TTL", refreshEvery)
	zones(&l, plans)
	for _, p := range plans {
		event(&l, p, host)
	}
	l.add("END", "VCALENDAR")
	return []byte(l.String()), nil
}

func open(l *lines) {
	l.add("BEGIN", "VCALENDAR")
	l.add("VERSION", "2.0")
	l.add("PRODID", "-//Conclave//Conclave//EN")
	l.add("CALSCALE", "GREGORIAN")
}

// zones writes the definition of each time zone in which times are written, beginning
// with the first such time.
func zones(l *lines, plans []plan) {
	first := map[string]time.Time{}
	for _, p := range plans {
		start, _ := p.span()
		if known, ok := first[start.zone]; start.zone != "" && (!ok || start.at.Before(known)) {
			first[start.zone] = start.at
		}
	}
	for _, name := range slices.Sorted(maps.Keys(first)) {
		timezone(l, name, first[name].Location(), first[name])
	}
}

func event(l *lines, p plan, host string) {
	l.add("BEGIN", "VEVENT")
	l.addText("UID", UID(p.Meeting, host))
	l.add("DTSTAMP", p.Updated.UTC().Format(utcForm))
	l.add("CREATED", p.Created.UTC().Format(utcForm))
	l.add("LAST-MODIFIED", p.Updated.UTC().Format(utcForm))
	l.add("SEQUENCE", strconv.Itoa(p.Sequence))
	start, end := p.span()
	l.add("DTSTART"+start.params(), start.value())
	l.add("DTEND"+end.params(), end.value())
	if p.repeats() {
		l.add("RRULE", p.rule())
	}
	l.addText("SUMMARY", p.title())
	l.addText("DESCRIPTION", p.text())
	if p.JoinURL != "" {
		l.addText("LOCATION", p.JoinURL)
		l.add("URL", p.JoinURL)
		l.add("CONFERENCE;VALUE=URI;FEATURE=AUDIO,VIDEO;LABEL=Join", p.JoinURL)
	}
	l.add("STATUS", "CONFIRMED")
	l.add("TRANSP", "OPAQUE")
	l.add(markName, p.Meeting)
	l.add("END", "VEVENT")
}

// moment is a time in the form in which it is written: local to a zone, or UTC.
type moment struct {
	at   time.Time
	zone string // "" for UTC
}

func (m moment) params() string {
	if m.zone == "" {
		return ""
	}
	return ";TZID=" + m.zone
}

func (m moment) value() string {
	if m.zone == "" {
		return m.at.UTC().Format(utcForm)
	}
	return m.at.Format(localForm)
}

// span returns the start and the end of the first occurrence.
//
// When clocks are set back, an hour occurs twice, and a local time means its first
// pass (RFC 5545, section 3.3.5). So a time in the second pass is written in UTC. The
// start of a series has to be local, because the series repeats in its zone. So
// calendars show its first occurrence in the first pass, like the occurrences of
// later years.
func (p plan) span() (start, end moment) {
	start, end = moment{at: p.Starts, zone: p.Zone}, moment{at: p.Ends, zone: p.Zone}
	if p.inUTC() {
		start.zone, end.zone = "", ""
		return start, end
	}
	if secondPass(p.Starts) {
		if p.repeats() {
			first := firstPass(p.Starts)
			start.at, end.at = first, p.Ends.Add(first.Sub(p.Starts))
		} else {
			start.zone = ""
		}
	}
	if secondPass(end.at) || start.zone == "" {
		end.zone = ""
	}
	return start, end
}

// firstPass returns the first moment with the same local time.
func firstPass(t time.Time) time.Time {
	begin := changeBefore(t, t.AddDate(0, 0, -2)) // no clock is ever set back by more than a day
	if begin.IsZero() {
		return t
	}
	earlier := t.Add(time.Duration(offsetAt(t)-offsetAt(begin.Add(-time.Second))) * time.Second)
	if earlier.Before(begin) {
		return earlier
	}
	return t
}

// secondPass reports whether the local time of a moment has occurred before, because
// clocks were set back in between.
func secondPass(t time.Time) bool { return !firstPass(t).Equal(t) }

// rule returns the recurrence as an RRULE (RFC 5545, section 3.3.10).
func (p plan) rule() string {
	var rule string
	switch p.Recurrence {
	case None:
		return ""
	case Daily:
		rule = "FREQ=DAILY"
	case Weekdays:
		rule = "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"
	case Weekly:
		rule = "FREQ=WEEKLY;BYDAY=" + dayName(p.Starts.Weekday())
	case Biweekly:
		rule = "FREQ=WEEKLY;INTERVAL=2;WKST=MO;BYDAY=" + dayName(p.Starts.Weekday())
	case Monthly:
		rule = "FREQ=MONTHLY;BYMONTHDAY=" + strconv.Itoa(p.Starts.Day())
	}
	if p.Until != nil {
		rule += ";UNTIL=" + p.Until.UTC().Format(utcForm)
	}
	return rule
}

// dayName returns a day as RRULEs write it: MO.
func dayName(day time.Weekday) string { return strings.ToUpper(day.String()[:2]) }

// marked reports whether an iCalendar object is our event of a meeting.
func marked(object []byte, meeting, host string) bool {
	var uid, mark bool
	for _, line := range unfold(string(object)) {
		uid = uid || line == "UID:"+escapeText(UID(meeting, host))
		mark = mark || line == markName+":"+meeting
	}
	return uid && mark
}
