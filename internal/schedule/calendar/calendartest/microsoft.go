package calendartest

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// Mark is the name of the property by which the service recognises its events.
const Mark = "String {5c1f4a5e-3d0b-4a0e-9d1e-7b1b6a1f2c77} Name ConclaveMeeting"

// eventsInPage is how many events one page of a list has.
const eventsInPage = 5

// Microsoft is Microsoft Graph with one calendar, as
// https://learn.microsoft.com/en-us/graph/api/resources/event describes it.
type Microsoft struct {
	Tokens Tokens

	t       testing.TB
	mu      sync.Mutex
	events  map[string]map[string]any
	version int
}

// NewMicrosoft makes the empty calendar of an account; holder is its e-mail address.
func NewMicrosoft(t testing.TB, holder string) *Microsoft {
	t.Helper()
	return &Microsoft{Tokens: newTokens(t, holder), t: t, events: map[string]map[string]any{}}
}

// graphShape returns the shape of an event with the fields that may be written.
func graphShape(required ...string) shape {
	when := fields([]string{"dateTime", "timeZone"}, map[string]shape{"dateTime": timed("2006-01-02T15:04:05"), "timeZone": text})
	day := oneOf("sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday")
	pattern := func(v any) string {
		all := map[string]shape{"type": oneOf("daily", "weekly", "absoluteMonthly"), "interval": number}
		needs := []string{"type", "interval"}
		switch object, _ := v.(map[string]any); object["type"] {
		case "weekly":
			all["daysOfWeek"], all["firstDayOfWeek"] = listOf(day), day
			needs = append(needs, "daysOfWeek", "firstDayOfWeek")
		case "absoluteMonthly":
			all["dayOfMonth"] = number
			needs = append(needs, "dayOfMonth")
		}
		return fields(needs, all)(v)
	}
	span := func(v any) string {
		all := map[string]shape{"type": oneOf("noEnd", "endDate"), "startDate": timed(time.DateOnly), "recurrenceTimeZone": text}
		needs := []string{"type", "startDate"}
		if object, _ := v.(map[string]any); object["type"] == "endDate" {
			all["endDate"] = timed(time.DateOnly)
			needs = append(needs, "endDate")
		}
		return fields(needs, all)(v)
	}
	return fields(append(required, "subject", "start", "end"), map[string]shape{
		"subject": text, "start": when, "end": when, "transactionId": text,
		"body":     fields([]string{"contentType", "content"}, map[string]shape{"contentType": oneOf("text", "html"), "content": text}),
		"location": fields(nil, map[string]shape{"displayName": text}),
		"recurrence": func(v any) string {
			if v == nil {
				return ""
			}
			return fields([]string{"pattern", "range"}, map[string]shape{"pattern": pattern, "range": span})(v)
		},
		"singleValueExtendedProperties": listOf(fields([]string{"id", "value"}, map[string]shape{"id": text, "value": text})),
	})
}

func graphRefusal(w http.ResponseWriter, status int, code string) {
	Reply(w, status, map[string]any{"error": map[string]any{"code": code, "message": "It did not work."}})
}

// ServeHTTP answers as Graph does.
func (m *Microsoft) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	path, ok := strings.CutPrefix(r.URL.Path, "/me/calendar")
	switch {
	case r.URL.Path == tokenPath:
		m.Tokens.serve(w, r)
	case !m.Tokens.allowed(r):
		graphRefusal(w, http.StatusUnauthorized, "InvalidAuthenticationToken")
	case !ok:
		graphRefusal(w, http.StatusNotFound, "ErrorItemNotFound")
	case path == "" && r.Method == http.MethodGet:
		Reply(w, http.StatusOK, map[string]any{"canEdit": true})
	case path == "/events" && r.Method == http.MethodGet:
		m.list(w, r)
	case path == "/events" && r.Method == http.MethodPost:
		m.create(w, r)
	default:
		m.one(w, r, strings.TrimPrefix(path, "/events/"))
	}
}

// list answers a request with the only filter that the client uses.
func (m *Microsoft) list(w http.ResponseWriter, r *http.Request) {
	if strings.Contains(r.URL.RawQuery, "+") {
		m.t.Errorf("a space in the query is a plus: %s", r.URL.RawQuery)
	}
	asked := regexp.MustCompile(`^singleValueExtendedProperties/any\(ep: ep/id eq '(String \{[-0-9a-f]{36}\} Name \w+)' and ep/value eq '([^']*)'\)$`).
		FindStringSubmatch(r.URL.Query().Get("$filter"))
	if asked == nil || !strings.HasPrefix(r.URL.Query().Get("$expand"), "singleValueExtendedProperties($filter=id eq '") {
		m.t.Errorf("the query is %v", r.URL.Query())
		return
	}
	skip := 0
	_, _ = fmt.Sscan(r.URL.Query().Get("$skip"), &skip)
	found := []any{}
	for _, id := range sortedKeys(m.events) {
		if property(m.events[id], asked[1]) == asked[2] {
			found = append(found, m.events[id])
		}
	}
	answer := map[string]any{"value": found[min(skip, len(found)):min(skip+eventsInPage, len(found))]}
	if len(found) > skip+eventsInPage {
		query := r.URL.Query()
		query.Set("$skip", fmt.Sprint(skip+eventsInPage))
		answer["@odata.nextLink"] = "http://" + r.Host + r.URL.Path + "?" + strings.ReplaceAll(query.Encode(), "+", "%20")
	}
	Reply(w, http.StatusOK, answer)
}

func property(event map[string]any, name string) string {
	list, _ := event["singleValueExtendedProperties"].([]any)
	for _, one := range list {
		if object, _ := one.(map[string]any); object["id"] == name {
			return object["value"].(string)
		}
	}
	return ""
}

// create makes an event, unless the same request made one before.
func (m *Microsoft) create(w http.ResponseWriter, r *http.Request) {
	body := readBody(m.t, r, graphShape("transactionId", "singleValueExtendedProperties"))
	for _, event := range m.events {
		if event["transactionId"] == body["transactionId"] {
			graphRefusal(w, http.StatusConflict, "ErrorDuplicateTransactionId")
			return
		}
	}
	m.put(fmt.Sprintf("AAMk%04d=", m.version), body)
	Reply(w, http.StatusCreated, body)
}

func (m *Microsoft) one(w http.ResponseWriter, r *http.Request, id string) {
	event := m.events[id]
	switch {
	case event == nil:
		graphRefusal(w, http.StatusNotFound, "ErrorItemNotFound")
	case r.Header.Get("If-Match") == "":
		m.t.Errorf("%s without If-Match", r.Method)
	case r.Header.Get("If-Match") != event["@odata.etag"]:
		graphRefusal(w, http.StatusPreconditionFailed, "ErrorIrresolvableConflict")
	case r.Method == http.MethodDelete:
		delete(m.events, id)
		w.WriteHeader(http.StatusNoContent)
	case r.Method == http.MethodPatch:
		body := readBody(m.t, r, graphShape())
		if _, has := body["transactionId"]; has {
			m.t.Error("transactionId cannot be changed")
		}
		for name, value := range body {
			event[name] = value
		}
		m.put(id, event)
		Reply(w, http.StatusOK, event)
	default:
		m.t.Errorf("%s %s", r.Method, r.URL)
	}
}

func (m *Microsoft) put(id string, event map[string]any) {
	m.version++
	event["id"], event["@odata.etag"] = id, fmt.Sprintf(`W/"%d"`, m.version)
	m.events[id] = event
}

// Events returns the events of the calendar.
func (m *Microsoft) Events(t testing.TB) []Event {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []Event
	for _, id := range sortedKeys(m.events) {
		event := m.events[id]
		s := Event{
			Title: stringAt(event, "subject"), Text: stringAt(event, "body", "content"), Place: stringAt(event, "location", "displayName"),
			Starts: graphWhen(t, event, "start"), Ends: graphWhen(t, event, "end"), Ours: property(event, Mark) != "",
		}
		if rule, _ := event["recurrence"].(map[string]any); rule != nil {
			p, r := rule["pattern"].(map[string]any), rule["range"].(map[string]any)
			day, _ := p["dayOfMonth"].(float64)
			s.Rule = fmt.Sprint(p["type"], " ", p["interval"], " ", p["daysOfWeek"], " ", p["firstDayOfWeek"], " ", day, " ", r["type"], " ", r["startDate"], " ", r["endDate"], " ", r["recurrenceTimeZone"])
		}
		list = append(list, s)
	}
	return list
}

// graphWhen reads a time in one of the zones of these tests.
func graphWhen(t testing.TB, event map[string]any, name string) time.Time {
	t.Helper()
	zones := map[string]string{"W. Europe Standard Time": "Europe/Berlin", "Eastern Standard Time": "America/New_York", "UTC": "UTC"}
	zone, err := time.LoadLocation(zones[stringAt(event, name, "timeZone")])
	if err != nil || zones[stringAt(event, name, "timeZone")] == "" {
		t.Fatalf("%v: %v", event[name], err)
	}
	at, err := time.ParseInLocation("2006-01-02T15:04:05", stringAt(event, name, "dateTime"), zone)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// first returns an event with a value of the mark.
func (m *Microsoft) first(uid string) (string, map[string]any) {
	for _, id := range sortedKeys(m.events) {
		if property(m.events[id], Mark) == uid {
			return id, m.events[id]
		}
	}
	return "", nil
}

// Rename changes the title of an event with a value of the mark, as the person
// does.
func (m *Microsoft) Rename(uid, title string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if id, event := m.first(uid); event != nil {
		event["subject"] = title
		m.put(id, event)
	}
}

// Remove deletes an event with a value of the mark, as the person does.
func (m *Microsoft) Remove(uid string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	id, _ := m.first(uid)
	delete(m.events, id)
}

// PutForeign adds an event that is not ours although it has a mark.
func (m *Microsoft) PutForeign(uid string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	when := map[string]any{"dateTime": "2026-03-01T10:00:00", "timeZone": "UTC"}
	m.put("AAMk-dentist", map[string]any{
		"subject": "Dentist", "start": when, "end": when,
		"singleValueExtendedProperties": []any{map[string]any{"id": Mark, "value": uid}},
	})
}
