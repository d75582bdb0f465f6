package calendar

import (
	"encoding/base32"
	"strings"
	"time"

	"github.com/google/uuid"
)

// googleID is the id that a meeting's event has in Google Calendar: the bits of
// the UUID in base32hex, in lower case.
func googleID(meeting string) string {
	id, err := uuid.Parse(meeting)
	if err != nil {
		return "" // entries are checked before, so this is an invalid id of a meeting to delete
	}
	return strings.ToLower(base32.HexEncoding.WithPadding(base32.NoPadding).EncodeToString(id[:]))
}

// googleMark is the private property that holds the UID.
const googleMark = "conclaveMeeting"

// googleEvent is an event as Google writes it. It is a map, so that fields we do not
// write are sent back unchanged.
type googleEvent map[string]any

// googleKept lists the fields that a person may have set on our event, and that an
// update would remove if it left them out.
func googleKept() []string {
	return []string{
		"attendees", "colorId", "guestsCanInviteOthers", "guestsCanModify", "guestsCanSeeOtherGuests", "reminders", "transparency", "visibility",
	}
}

// googleEvent returns the entry as Google writes it, with the fields of the existing
// event that stay.
func (p plan) googleEvent(host string, have googleEvent) googleEvent {
	event := googleEvent{
		"id": googleID(p.Meeting), "status": "confirmed",
		"summary": p.title(), "description": p.text(), "location": p.JoinURL,
		"start": p.googleTime(p.Starts), "end": p.googleTime(p.Ends),
		"sequence":           max(p.Sequence, have.sequence()), // a smaller number than before is refused
		"extendedProperties": map[string]any{"private": map[string]any{googleMark: UID(p.Meeting, host)}},
	}
	if p.repeats() {
		event["recurrence"] = []string{"RRULE:" + p.rule()}
	}
	if p.JoinURL != "" {
		event["source"] = map[string]any{"title": "Conclave", "url": p.JoinURL}
	}
	for _, name := range googleKept() {
		if value, ok := have[name]; ok {
			event[name] = value
		}
	}
	return event
}

// googleTime returns a time with its offset, which tells apart the two passes of an
// hour that occurs twice, and with the zone in which it repeats.
func (p plan) googleTime(at time.Time) map[string]any {
	zone := p.Zone
	if p.inUTC() {
		zone = "UTC"
	}
	return map[string]any{"dateTime": at.Format(time.RFC3339), "timeZone": zone}
}

func (e googleEvent) sequence() int {
	number, _ := e["sequence"].(float64)
	return int(number)
}

// marked reports whether the event is ours.
func (e googleEvent) marked(uid string) bool {
	extended, _ := e["extendedProperties"].(map[string]any)
	private, _ := extended["private"].(map[string]any)
	return private[googleMark] == uid
}
