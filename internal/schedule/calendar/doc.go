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
// Writing goes one way. Each write looks at what the calendar holds, and then
// changes it on the condition that it is still the same (If-None-Match,
// If-Match). When it is not, the write looks again, once. What the person
// changed in the event's title, text, place, time or rule is replaced; what a
// provider keeps beside these, such as a reminder, stays.
//
// Where an event is kept follows from the meeting's id alone, or the event is
// found by its mark. So the same entry can be written twice and is there once,
// also when the service stops between the request and recording its answer.
package calendar
