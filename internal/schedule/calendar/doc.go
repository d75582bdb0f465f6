// Package calendar writes scheduled meetings into people's own calendars: on
// any CalDAV server, in Google Calendar, and in Microsoft 365.
//
// It knows no database. An Entry goes in, requests go out:
//
//	Entry ──► iCalendar text ──► CalDAV server      (http_caldav.go)
//	     │                  └──► feed               (Feed)
//	     ├──► Google's event ───► Google Calendar    (http_google.go)
//	     └──► Graph's event ────► Microsoft 365      (http_microsoft.go)
//
// The three providers implement Calendar, and one suite of tests holds them to
// the same behaviour.
//
// Every event that is written carries a mark: the UID of the meeting, which is
// made of its id and the host of the service's public address. An event without
// the mark belongs to the person and is never changed; Write and Delete report
// it as ErrForeign.
//
// Changes go only from the service to the calendar. Each write reads the event in the
// calendar and then changes it on the condition that it is still the same
// (If-None-Match, If-Match). If it is not, the write reads it again, once. It
// replaces the event's title, text, place, time and rule, even if the person has
// changed them; other fields, such as a reminder, stay.
//
// The place of an event follows from the meeting's id, or the event is found by its
// mark. So writing the same entry twice makes one event, even when the service stops
// between the request and recording its answer.
package calendar
