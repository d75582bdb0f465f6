package calendartest

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// Google is Google Calendar with one calendar, "primary", as
// https://developers.google.com/workspace/calendar/api/v3/reference/events
// describes it.
type Google struct {
	Tokens Tokens

	t       testing.TB
	mu      sync.Mutex
	events  map[string]map[string]any
	version int
}

// NewGoogle makes the empty calendar of an account; holder is its e-mail address.
func NewGoogle(t testing.TB, holder string) *Google {
	t.Helper()
	return &Google{Tokens: newTokens(t, holder), t: t, events: map[string]map[string]any{}}
}

// googleShape returns the shape of an event with the fields that may be written.
func googleShape(required ...string) shape {
	when := fields([]string{"dateTime", "timeZone"}, map[string]shape{"dateTime": timed(time.RFC3339), "timeZone": text})
	return fields(append(required, "start", "end"), map[string]shape{
		"id": text, "status": oneOf("confirmed", "tentative", "cancelled"), "summary": text, "description": text, "location": text,
		"start": when, "end": when, "sequence": number,
		"recurrence": listOf(func(v any) string {
			if s, _ := v.(string); !strings.HasPrefix(s, "RRULE:") {
				return fmt.Sprintf("is %v, not a rule", v)
			}
			return ""
		}),
		"extendedProperties": fields(nil, map[string]shape{"private": anything, "shared": anything}),
		"source":             fields([]string{"url"}, map[string]shape{"url": text, "title": text}),
		"attendees":          listOf(anything), "colorId": text, "reminders": anything, "transparency": oneOf("opaque", "transparent"),
		"visibility": oneOf("default", "public", "private", "confidential"), "guestsCanInviteOthers": anything, "guestsCanModify": anything,
		"guestsCanSeeOtherGuests": anything,
	})
}

// GoogleRefusal answers with a status and Google's reason for the error.
func GoogleRefusal(w http.ResponseWriter, status int, reason string) {
	Reply(w, status, map[string]any{"error": map[string]any{"code": status, "errors": []any{map[string]any{"reason": reason, "domain": "calendar"}}}})
}

// ServeHTTP answers as Google does.
func (g *Google) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	path, ok := strings.CutPrefix(r.URL.Path, "/calendars/primary/events")
	switch {
	case r.URL.Path == tokenPath:
		g.Tokens.serve(w, r)
	case !g.Tokens.allowed(r):
		GoogleRefusal(w, http.StatusUnauthorized, "authError")
	case !ok:
		GoogleRefusal(w, http.StatusNotFound, "notFound")
	case path == "" && r.Method == http.MethodGet:
		Reply(w, http.StatusOK, map[string]any{"kind": "calendar#events"})
	case path == "" && r.Method == http.MethodPost:
		g.insert(w, r)
	default:
		g.one(w, r, strings.TrimPrefix(path, "/"))
	}
}

func (g *Google) insert(w http.ResponseWriter, r *http.Request) {
	body := readBody(g.t, r, googleShape("id"))
	id := stringAt(body, "id")
	if len(id) < 5 || len(id) > 1024 || strings.Trim(id, "0123456789abcdefghijklmnopqrstuv") != "" {
		g.t.Errorf("the id is %q", id)
	}
	if g.events[id] != nil {
		GoogleRefusal(w, http.StatusConflict, "duplicate")
		return
	}
	Reply(w, http.StatusOK, g.put(id, body))
}

func (g *Google) one(w http.ResponseWriter, r *http.Request, id string) {
	event := g.events[id]
	match := r.Header.Get("If-Match")
	switch {
	case event == nil:
		GoogleRefusal(w, http.StatusNotFound, "notFound")
	case r.Method == http.MethodGet:
		Reply(w, http.StatusOK, event)
	case match == "":
		g.t.Errorf("%s without If-Match", r.Method)
	case match != event["etag"]:
		GoogleRefusal(w, http.StatusPreconditionFailed, "conditionNotMet")
	case r.Method == http.MethodPut:
		body := readBody(g.t, r, googleShape())
		was, _ := event["sequence"].(float64)
		if is, _ := body["sequence"].(float64); is < was {
			GoogleRefusal(w, http.StatusBadRequest, "invalid")
			return
		}
		Reply(w, http.StatusOK, g.put(id, body))
	case r.Method == http.MethodDelete && event["status"] == "cancelled":
		GoogleRefusal(w, http.StatusGone, "deleted")
	case r.Method == http.MethodDelete:
		g.put(id, map[string]any{"status": "cancelled", "sequence": event["sequence"]})
		w.WriteHeader(http.StatusNoContent)
	default:
		g.t.Errorf("%s %s", r.Method, r.URL)
	}
}

// put stores an event. Google raises the sequence by itself with some changes.
func (g *Google) put(id string, event map[string]any) map[string]any {
	g.version++
	sequence, _ := event["sequence"].(float64)
	event["id"], event["etag"], event["sequence"] = id, fmt.Sprintf(`"%d"`, g.version), sequence+1
	event["kind"], event["htmlLink"] = "calendar#event", "https://www.google.com/calendar/event?eid="+id
	g.events[id] = event
	return event
}

// Events returns the events of the calendar.
func (g *Google) Events(t testing.TB) []Event {
	t.Helper()
	g.mu.Lock()
	defer g.mu.Unlock()
	var list []Event
	for _, id := range sortedKeys(g.events) {
		event := g.events[id]
		if event["status"] == "cancelled" {
			continue
		}
		s := Event{Title: stringAt(event, "summary"), Text: stringAt(event, "description"), Place: stringAt(event, "location")}
		s.Starts, s.Ends = g.when(t, event, "start"), g.when(t, event, "end")
		s.Ours = stringAt(event, "extendedProperties", "private", "conclaveMeeting") != ""
		if rules, _ := event["recurrence"].([]any); len(rules) == 1 {
			s.Rule, _ = rules[0].(string)
		}
		list = append(list, s)
	}
	return list
}

// when returns a time of an event and checks that its offset fits its zone.
func (g *Google) when(t testing.TB, event map[string]any, name string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, stringAt(event, name, "dateTime"))
	if err != nil {
		t.Fatal(err)
	}
	zone, err := time.LoadLocation(stringAt(event, name, "timeZone"))
	if err != nil {
		t.Fatal(err)
	}
	if at.In(zone).Format(time.RFC3339) != stringAt(event, name, "dateTime") {
		t.Errorf("%s is %v", name, event[name])
	}
	return at
}

// Set changes a field of an event, as the person does.
func (g *Google) Set(id, field string, value any) {
	g.mu.Lock()
	defer g.mu.Unlock()
	event := g.events[id]
	event[field] = value
	g.put(id, event)
}

// Field returns a field of an event.
func (g *Google) Field(id, field string) any {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.events[id][field]
}

// Remove deletes an event, as the person does.
func (g *Google) Remove(id string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.put(id, map[string]any{"status": "cancelled", "sequence": g.events[id]["sequence"]})
}

// PutForeign adds an event of the person.
func (g *Google) PutForeign(id string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	when := map[string]any{"dateTime": "2026-03-01T10:00:00Z", "timeZone": "UTC"}
	g.put(id, map[string]any{"summary": "Dentist", "start": when, "end": when, "status": "confirmed"})
}
