package server_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/server"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// operation is one operation of the OpenAPI document.
type operation struct {
	id       string
	method   string
	path     string // below /api/v1, such as /rooms/{room_id}
	scope    api.Scope
	body     map[string]any // the smallest body that it takes; nil without one
	required bool           // whether it requires the body
	success  int
	codes    map[int][]string // by status
	raw      map[string]any
}

func (o operation) name() string { return o.method + " " + o.path }

// objects are the ids of one object of each kind, by their names in paths.
type objects map[string]string

// same makes objects that all have one id.
func same(id string) objects {
	return objects{"room_id": id, "webhook_id": id, "delivery_id": id, "event_id": id, "poll_id": id, "meeting_id": id, "recording_id": id}
}

// at is the path of the operation for these objects.
func (o operation) at(ids objects) string {
	path := strings.NewReplacer("{identity}", "api_nobody.x", "{index}", "0", "{breakout_id}", "0199d5b0-7c1e-7a3c-9d5e-2f4b6a8c0e1f").Replace(o.path)
	for name, id := range ids {
		path = strings.ReplaceAll(path, "{"+name+"}", id)
	}
	return "/api/v1" + path
}

// smallest is the smallest body, encoded, or "".
func (o operation) smallest(t *testing.T) string {
	t.Helper()
	if o.body == nil {
		return ""
	}
	raw, err := json.Marshal(o.body)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// contract reads the OpenAPI document without running the service.
func contract(t *testing.T) (document map[string]any, operations []operation) {
	t.Helper()
	raw, err := server.Document(servertest.PublicURL, "test")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &document); err != nil {
		t.Fatal(err)
	}
	paths := document["paths"].(map[string]any)
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		item := paths[path].(map[string]any)
		for _, method := range slices.Sorted(maps.Keys(item)) {
			operations = append(operations, readOperation(document, strings.ToUpper(method), path, item[method].(map[string]any)))
		}
	}
	return document, operations
}

func readOperation(document map[string]any, method, path string, raw map[string]any) operation {
	o := operation{method: method, path: path, codes: map[int][]string{}, raw: raw}
	o.id, _ = raw["operationId"].(string)
	scope, _ := raw["x-required-scope"].(string)
	o.scope = api.Scope(scope)
	if body, ok := raw["requestBody"].(map[string]any); ok {
		o.required, _ = body["required"].(bool)
		o.body = smallestBody(document, body)
	}
	for status, response := range raw["responses"].(map[string]any) {
		n, _ := strconv.Atoi(status)
		if n < http.StatusBadRequest {
			if o.success == 0 || n < o.success { // parts of recordings also answer 206 and 304
				o.success = n
			}
			continue
		}
		codes, _ := response.(map[string]any)["x-error-codes"].([]any)
		for _, code := range codes {
			o.codes[n] = append(o.codes[n], fmt.Sprint(code))
		}
	}
	return o
}

// smallestBody takes the example of every required field.
func smallestBody(document, body map[string]any) map[string]any {
	out := map[string]any{}
	schema := body["content"].(map[string]any)["application/json"].(map[string]any)["schema"].(map[string]any)
	if ref, ok := schema["$ref"].(string); ok {
		schema = schemaOf(document, ref[strings.LastIndex(ref, "/")+1:])
	}
	required, _ := schema["required"].([]any)
	for _, name := range required {
		property := schema["properties"].(map[string]any)[name.(string)].(map[string]any)
		out[name.(string)] = property["examples"].([]any)[0]
	}
	return out
}

func schemaOf(document map[string]any, name string) map[string]any {
	schemas := document["components"].(map[string]any)["schemas"].(map[string]any)
	schema, _ := schemas[name].(map[string]any)
	return schema
}

// each runs a test on both databases.
func each(t *testing.T, o servertest.Options, test func(t *testing.T, s *servertest.Service)) {
	t.Helper()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		test(t, servertest.Start(t, where, o))
	})
}

// newPoll asks a poll in a room and returns its id.
func newPoll(t *testing.T, s *servertest.Service, key, room string) string {
	t.Helper()
	a := s.Send(servertest.Request{Method: http.MethodPost, Path: "/api/v1/rooms/" + room + "/polls", Bearer: key, Body: `{"question": "Tea?", "options": ["yes", "no"]}`})
	var p api.Poll
	if err := json.Unmarshal(a.Body, &p); err != nil || a.Status != http.StatusCreated {
		t.Fatalf("ask a poll: %d %s", a.Status, a.Body)
	}
	return p.ID
}

// newMeeting schedules a meeting and returns its id.
func newMeeting(t *testing.T, s *servertest.Service, key, room string) string {
	t.Helper()
	body := `{"title": "Review", "starts_at": "2026-11-23T10:00:00Z", "ends_at": "2026-11-23T11:00:00Z", "recurrence": "weekly", "room_id": "` + room + `"}`
	a := s.Send(servertest.Request{Method: http.MethodPost, Path: "/api/v1/meetings", Bearer: key, Body: body})
	var m api.Meeting
	if err := json.Unmarshal(a.Body, &m); err != nil || a.Status != http.StatusCreated {
		t.Fatalf("schedule a meeting: %d %s", a.Status, a.Body)
	}
	return m.ID
}

// newRoom makes a room and returns its id.
func newRoom(t *testing.T, s *servertest.Service, key, body string) string {
	t.Helper()
	a := s.Send(servertest.Request{Method: http.MethodPost, Path: "/api/v1/rooms", Bearer: key, Body: body})
	var r api.Room
	if err := json.Unmarshal(a.Body, &r); err != nil || a.Status != http.StatusCreated {
		t.Fatalf("make a room: %d %s", a.Status, a.Body)
	}
	return r.ID
}

// newObjects makes one object of each kind.
func newObjects(t *testing.T, s *servertest.Service, key string) objects {
	t.Helper()
	ids := objects{}
	a := s.Send(servertest.Request{
		Method: http.MethodPost, Path: "/api/v1/webhooks", Bearer: key, Body: `{"url": "https://hooks.example.com", "events": ["room.created"]}`,
	})
	var endpoint api.WebhookEndpointCreated
	if err := json.Unmarshal(a.Body, &endpoint); err != nil || a.Status != http.StatusCreated {
		t.Fatalf("make a webhook endpoint: %d %s", a.Status, a.Body)
	}
	ids["webhook_id"], ids["room_id"] = endpoint.ID, newRoom(t, s, key, `{"name": "Weekly"}`)
	a = s.Send(servertest.Request{Method: http.MethodGet, Path: "/api/v1/webhooks/" + endpoint.ID + "/deliveries", Bearer: key})
	var deliveries api.List[api.WebhookDelivery]
	if err := json.Unmarshal(a.Body, &deliveries); err != nil || len(deliveries.Data) != 1 {
		t.Fatalf("the new room makes the deliveries %d %s", a.Status, a.Body)
	}
	ids["delivery_id"], ids["event_id"] = deliveries.Data[0].ID, deliveries.Data[0].EventID
	ids["poll_id"] = newPoll(t, s, key, ids["room_id"])
	ids["meeting_id"] = newMeeting(t, s, key, ids["room_id"])
	ids["recording_id"] = s.RecordedBy(key, ids["room_id"])
	return ids
}

// withoutWebhook deletes the webhook endpoint, because a workspace can only
// have ten.
func (ids objects) withoutWebhook(s *servertest.Service, key string) {
	s.Send(servertest.Request{Method: http.MethodDelete, Path: "/api/v1/webhooks/" + ids["webhook_id"], Bearer: key})
}
