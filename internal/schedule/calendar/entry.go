package calendar

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Entry is a scheduled meeting in the form that calendars need.
type Entry struct {
	Meeting     string // the meeting's id, a UUID
	Title       string
	Description string
	Starts      time.Time
	Ends        time.Time
	Zone        string // IANA name of the zone in which the meeting repeats; "" means UTC
	Recurrence  Recurrence
	Until       *time.Time // the last moment at which an occurrence may start; nil means endless
	JoinURL     string     // "" when the meeting has no room
	Sequence    int        // grows with each change
	Created     time.Time
	Updated     time.Time
}

// Recurrence is the rule by which a meeting repeats. The values are the API's.
type Recurrence string

// The rules. Days and times are those of the entry's zone.
const (
	None     Recurrence = "none"
	Daily    Recurrence = "daily"
	Weekdays Recurrence = "weekdays" // Monday to Friday
	Weekly   Recurrence = "weekly"
	Biweekly Recurrence = "biweekly"
	Monthly  Recurrence = "monthly" // on the same day of the month; months without that day are skipped
)

// UID is the name of a meeting's event in every calendar (RFC 5545, section
// 3.8.4.7), and our mark on it. host is the host of the service's public address.
func UID(meeting, host string) string { return meeting + "@" + host }

// plan is a checked entry, with its zone loaded and its times in that zone.
type plan struct {
	Entry

	zone *time.Location
}

// newPlan checks an entry. Times lose their fractions of a second, which
// calendars do not have.
func newPlan(e Entry) (plan, error) { return newPlanIn(e, time.LoadLocation) }

// newPlanIn is newPlan with a function that loads zones.
func newPlanIn(e Entry, load func(zone string) (*time.Location, error)) (plan, error) {
	p := plan{Entry: e, zone: time.UTC}
	if id, err := uuid.Parse(e.Meeting); err != nil || id.String() != e.Meeting {
		return p, errors.New("calendar entry: the meeting's id is not a UUID in lower case")
	}
	if !utc(e.Zone) {
		zone, err := load(e.Zone)
		if err != nil || e.Zone == "Local" {
			return p, fmt.Errorf("calendar entry: unknown time zone %q", e.Zone)
		}
		p.zone = zone
	}
	if e.Ends.In(p.zone).Year() > 9999 { // in UTC it may still be the year before
		p.zone, p.Zone = time.UTC, ""
	}
	switch e.Recurrence {
	case None, Daily, Weekdays, Weekly, Biweekly, Monthly:
	default:
		return p, fmt.Errorf("calendar entry: unknown recurrence %q", e.Recurrence)
	}
	if err := checkJoinURL(e.JoinURL); err != nil {
		return p, err
	}
	if e.Ends.Before(e.Starts) || e.Until != nil && e.Until.Before(e.Starts) {
		return p, errors.New("calendar entry: it ends before it starts")
	}
	if year := e.Starts.In(p.zone).Year(); year < 1 || e.Ends.In(p.zone).Year() > 9999 {
		return p, errors.New("calendar entry: the year does not have four digits")
	}
	if e.Until != nil {
		// Every occurrence has the first one's fraction of a second. Subtract it from
		// both, so that an occurrence exactly at the end still counts.
		until := e.Until.Add(-time.Duration(e.Starts.Nanosecond())).Truncate(time.Second)
		p.Until = &until
		if until.UTC().Year() > 9999 { // calendars write years with four digits; a later end is as good as none
			p.Until = nil
		}
	}
	p.Starts, p.Ends = e.Starts.Truncate(time.Second).In(p.zone), e.Ends.Truncate(time.Second).In(p.zone)
	if p.Ends.Equal(p.Starts) { // an event ends after it starts (RFC 5545, section 3.8.2.2)
		p.Ends = p.Starts.Add(time.Second)
	}
	if p.Ends.Year() > 9999 {
		p.Starts, p.Ends = p.Starts.Add(-time.Second), p.Starts
	}
	return p, nil
}

func checkJoinURL(address string) error {
	if address == "" {
		return nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || strings.ContainsAny(address, " \"<>\\^`{|}") {
		return errors.New("calendar entry: the address to join is not a web address")
	}
	return nil
}

// utc reports whether a zone's name means UTC, which needs no definition.
func utc(zone string) bool {
	switch zone {
	case "", "UTC", "Etc/UTC", "Etc/UCT", "UCT", "Zulu", "Etc/Zulu", "Universal", "Etc/Universal":
		return true
	}
	return false
}

// repeats reports whether there is more than one occurrence.
func (p plan) repeats() bool { return p.Recurrence != None }

// inUTC reports whether the times are written in UTC.
func (p plan) inUTC() bool { return p.zone == time.UTC }

// text returns the description with the link to join.
func (p plan) text() string {
	described := strings.TrimSpace(cleanText(p.Description))
	switch {
	case p.JoinURL == "":
		return described
	case described == "":
		return "Join: " + p.JoinURL
	}
	return described + "\n\nJoin: " + p.JoinURL
}

// title returns the title on one line.
func (p plan) title() string {
	return oneLine(p.Title)
}
