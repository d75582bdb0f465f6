package schedule

import (
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
)

// longest is the maximum duration of a meeting.
const longest = 24 * time.Hour

// Times lie in these years: time zones are known from 1970 on (the IANA
// database promises no more), and RFC 3339 writes years with four digits.
const (
	firstYear = 1970
	lastYear  = 9999
)

// check returns everything that is wrong with the times of a request, in the order
// of its fields. A rule about several fields applies only if the request has all
// of them. So a change that contradicts itself is refused before its meeting is
// read; Meeting.everything makes a request with every field, to check the result.
func (z *zones) check(u api.MeetingUpdate) error {
	var wrong []fault.Field
	refuse := func(param, message string) {
		wrong = append(wrong, fault.Field{Param: param, Code: api.CodeParameterInvalid, Message: param + message})
	}
	zone, zoneErr := z.load(u.Timezone.Or(""))
	switch {
	case outside(u.StartsAt):
		refuse("starts_at", yearsMessage)
	case startsOnWeekend(u, zone):
		refuse("starts_at", " must be on a day from Monday to Friday, in timezone, when recurrence is weekdays.")
	}
	switch length := u.EndsAt.Value.Sub(u.StartsAt.Value.Time); {
	case outside(u.EndsAt):
		refuse("ends_at", yearsMessage)
	case !u.StartsAt.Set || !u.EndsAt.Set:
	case length <= 0:
		refuse("ends_at", " must be after starts_at.")
	case length > longest:
		refuse("ends_at", " must be at most 24 hours after starts_at.")
	}
	if until := u.RecurrenceUntil; until.Set && !until.Null {
		switch {
		case outside(until):
			refuse("recurrence_until", yearsMessage)
		case u.Recurrence.Or("") == Once:
			refuse("recurrence_until", " must be null when recurrence is none.")
		case u.StartsAt.Set && until.Value.Before(u.StartsAt.Value.Time):
			refuse("recurrence_until", " must not be before starts_at.")
		}
	}
	if zoneErr != nil {
		refuse("timezone", " must be the name of a time zone of the IANA database, such as Europe/Berlin.")
	}
	if len(wrong) == 0 {
		return nil
	}
	return fault.Parameters(wrong)
}

// timesOf returns an update with the times of a new meeting.
func timesOf(c api.MeetingCreate) api.MeetingUpdate {
	return api.MeetingUpdate{
		StartsAt: api.Set(c.StartsAt), EndsAt: api.Set(c.EndsAt),
		Recurrence: c.Recurrence, RecurrenceUntil: c.RecurrenceUntil, Timezone: c.Timezone,
	}
}

// without leaves out the times of a request that are wrong by themselves, so that check
// judges the others.
func without(u api.MeetingUpdate, wrong func(param string) bool) api.MeetingUpdate {
	if wrong("starts_at") {
		u.StartsAt = api.Opt[api.Time]{}
	}
	if wrong("ends_at") {
		u.EndsAt = api.Opt[api.Time]{}
	}
	if wrong("recurrence") {
		u.Recurrence = api.Opt[string]{}
	}
	if wrong("recurrence_until") {
		u.RecurrenceUntil = api.Opt[api.Time]{}
	}
	if wrong("timezone") {
		u.Timezone = api.Opt[string]{}
	}
	return u
}

const yearsMessage = " must be in the years 1970 to 9999 of UTC."

// outside reports whether a time is set and outside the years the service accepts.
func outside(t api.Opt[api.Time]) bool {
	return t.Set && !t.Null && (t.Value.Year() < firstYear || t.Value.Year() > lastYear)
}

// startsOnWeekend reports whether a series of weekdays starts on a Saturday or a
// Sunday. It returns false when the zone is missing or unknown.
func startsOnWeekend(u api.MeetingUpdate, zone *time.Location) bool {
	if !u.StartsAt.Set || u.Recurrence.Or("") != Weekdays || !u.Timezone.Set || zone == nil {
		return false
	}
	switch u.StartsAt.Value.In(zone).Weekday() {
	case time.Saturday, time.Sunday:
		return true
	default:
		return false
	}
}
