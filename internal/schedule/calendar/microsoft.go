package calendar

import (
	"strconv"
	"strings"
	"time"
)

// Names of the properties that mark our events in Microsoft's calendars, in a
// namespace of our own.
const (
	graphNamespace  = "String {5c1f4a5e-3d0b-4a0e-9d1e-7b1b6a1f2c77} Name "
	graphMark       = graphNamespace + "ConclaveMeeting"    // the UID
	graphOccurrence = graphNamespace + "ConclaveOccurrence" // of a single event of a series: its date
)

// mirrorFor is how many years ahead a series is written if it is written as single
// events.
const mirrorFor = 1

// mirrored reports whether Microsoft gets the series as single events. Its rule for a
// day of the month moves the 29th to the 31st to the end of shorter months; ours skips
// these months.
func (p plan) mirrored() bool { return p.Recurrence == Monthly && p.Starts.Day() > 28 }

// TopUp returns when a meeting has to be written to Microsoft again although it did
// not change: when the next single event is less than a year away. False means never.
func TopUp(e Entry, now time.Time) (time.Time, bool) {
	p, err := newPlan(e)
	if err != nil || !p.mirrored() {
		return time.Time{}, false
	}
	last := p.lastWritten(now)
	for month := 0; ; month++ {
		at, there := p.monthly(month)
		switch {
		case p.Until != nil && at.After(*p.Until):
			return time.Time{}, false
		case there && at.After(last):
			due := at.AddDate(-mirrorFor, 0, 0)
			// Where clocks change, the year before can be an hour longer.
			if soonest := now.Add(time.Hour); due.Before(soonest) {
				due = soonest
			}
			return due, true
		}
	}
}

// lastWritten is the moment up to which single events are written. A year is counted by
// the calendar of the meeting's zone, because a year from a day before the clocks change
// may end on a day after.
func (p plan) lastWritten(now time.Time) time.Time { return now.In(p.zone).AddDate(mirrorFor, 0, 0) }

// singles returns the occurrences of a mirrored series that the calendar should have:
// those of the next year that are not over.
func (p plan) singles(now time.Time) []plan {
	var list []plan
	last := p.lastWritten(now)
	length := p.Ends.Sub(p.Starts)
	for month := 0; ; month++ {
		at, there := p.monthly(month)
		if at.After(last) || p.Until != nil && at.After(*p.Until) {
			return list
		}
		if there && at.Add(length).After(now) {
			single := p
			single.Recurrence, single.Until = None, nil
			single.Starts, single.Ends = at, at.Add(length)
			list = append(list, single)
		}
	}
}

// over says whether the single event of a date was not moved or cancelled, but is over.
func (p plan) over(occurrence string, now time.Time) bool {
	now = now.In(p.zone)
	today := now.Format(time.DateOnly)
	if occurrence != today {
		return occurrence < today
	}
	at := p.on(now.Date())
	return now.Day() == p.Starts.Day() && !at.Before(p.Starts) && (p.Until == nil || !at.After(*p.Until))
}

// monthly returns the occurrence the given number of months after the first one; false
// when that month does not have the day.
func (p plan) monthly(months int) (time.Time, bool) {
	year, month, day := p.Starts.Date()
	first := time.Date(year, month+time.Month(months), 1, 0, 0, 0, 0, time.UTC)
	date := first.AddDate(0, 0, day-1)
	return p.on(date.Date()), date.Month() == first.Month()
}

// on returns the moment on a date that has the same local time as the start. A local
// time that is skipped is converted with the offset before the change; for one that
// occurs twice it is the first (RFC 5545, section 3.3.5).
func (p plan) on(year int, month time.Month, day int) time.Time {
	hour, minute, second := p.Starts.Clock()
	wall := time.Date(year, month, day, hour, minute, second, 0, time.UTC)
	const around = 24 * time.Hour // zones do not set clocks twice within two days
	before, after := offsetAt(wall.Add(-around).In(p.zone)), offsetAt(wall.Add(around).In(p.zone))
	at := wall.Add(-time.Duration(before) * time.Second).In(p.zone)
	later := wall.Add(-time.Duration(after) * time.Second).In(p.zone)
	if offsetAt(at) != before && offsetAt(later) == after {
		return later
	}
	return at
}

// graphEvent is an event as Microsoft Graph writes it.
type graphEvent struct {
	Subject     string           `json:"subject"`
	Body        graphBody        `json:"body"`
	Start       graphTime        `json:"start"`
	End         graphTime        `json:"end"`
	Location    graphLocation    `json:"location"`
	Recurrence  *graphRecurrence `json:"recurrence"` // null removes a rule
	Transaction string           `json:"transactionId,omitempty"`
	Marks       []graphProperty  `json:"singleValueExtendedProperties"`
}

type graphBody struct {
	Type    string `json:"contentType"`
	Content string `json:"content"`
}

type graphTime struct {
	Local string `json:"dateTime"`
	Zone  string `json:"timeZone"`
}

type graphLocation struct {
	Name string `json:"displayName"`
}

type graphProperty struct {
	ID    string `json:"id"`
	Value string `json:"value"`
}

type graphRecurrence struct {
	Pattern graphPattern `json:"pattern"`
	Range   graphRange   `json:"range"`
}

type graphPattern struct {
	Type     string   `json:"type"`
	Interval int      `json:"interval"`
	Days     []string `json:"daysOfWeek,omitempty"`
	First    string   `json:"firstDayOfWeek,omitempty"`
	Day      int      `json:"dayOfMonth,omitempty"`
}

type graphRange struct {
	Type  string `json:"type"`
	Start string `json:"startDate"`
	End   string `json:"endDate,omitempty"`
	Zone  string `json:"recurrenceTimeZone"`
}

// graphEvent returns the entry as Microsoft writes it. occurrence is the date of a
// single event of a mirrored series, "" otherwise.
func (p plan) graphEvent(host, occurrence string) graphEvent {
	start, end := p.span()
	event := graphEvent{
		Subject: p.title(), Body: graphBody{Type: "text", Content: p.text()},
		Start: start.graphTime(), End: end.graphTime(), Location: graphLocation{Name: p.JoinURL},
		Marks: []graphProperty{{ID: graphMark, Value: UID(p.Meeting, host)}},
	}
	if occurrence != "" {
		event.Marks = append(event.Marks, graphProperty{ID: graphOccurrence, Value: occurrence})
	}
	if p.repeats() {
		event.Recurrence = &graphRecurrence{Pattern: p.graphPattern(), Range: p.graphRange()}
	}
	return event
}

func (m moment) graphTime() graphTime {
	const form = "2006-01-02T15:04:05"
	if m.zone == "" {
		return graphTime{Local: m.at.UTC().Format(form), Zone: "UTC"}
	}
	return graphTime{Local: m.at.Format(form), Zone: windowsZone(m.zone)}
}

func (p plan) graphPattern() graphPattern {
	weekly := graphPattern{Type: "weekly", Interval: 1, First: "monday", Days: []string{strings.ToLower(p.Starts.Weekday().String())}}
	switch p.Recurrence {
	case Weekdays:
		weekly.Days = []string{"monday", "tuesday", "wednesday", "thursday", "friday"}
	case Biweekly:
		weekly.Interval = 2
	case Monthly:
		return graphPattern{Type: "absoluteMonthly", Interval: 1, Day: p.Starts.Day()}
	case Daily:
		return graphPattern{Type: "daily", Interval: 1}
	case None, Weekly:
	}
	return weekly
}

// graphRange returns the dates between which the rule applies. The last day is left
// out when its occurrence would start after the end.
func (p plan) graphRange() graphRange {
	start, _ := p.span()
	r := graphRange{Type: "noEnd", Start: p.Starts.Format(time.DateOnly), Zone: start.graphTime().Zone}
	if p.Until != nil {
		last := p.Until.In(p.zone)
		if p.on(last.Date()).After(*p.Until) {
			last = last.AddDate(0, 0, -1)
		}
		r.Type, r.End = "endDate", last.Format(time.DateOnly)
	}
	return r
}

// graphTransaction returns the id by which Microsoft recognises a repetition of the
// same request. A later change of the meeting has another id, so that an event that
// the person deleted can be created again.
func (p plan) graphTransaction(occurrence string, attempt int) string {
	id := p.Meeting
	if p.Sequence > 0 {
		id += "-" + strconv.Itoa(p.Sequence)
	}
	if occurrence != "" {
		id += "-" + occurrence
	}
	if attempt > 1 {
		id += "-again"
	}
	return id
}
