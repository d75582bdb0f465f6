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
	"github.com/conclave-rooms/conclave/internal/rest"
	"github.com/conclave-rooms/conclave/internal/server"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// operation is one operation as the OpenAPI document tells it.
type operation struct {
	id       string
	method   string
	path     string // below /api/v1, such as /rooms/{room_id}
	scope    api.Scope
	body     map[string]any // the smallest body it takes; nil when it takes none
	required bool           // whether it needs that body
	success  int
	codes    map[int][]string // by status
	raw      map[string]any
}

func (o operation) name() string { return o.method + " " + o.path }

// objects are the ids of one object of each kind, by the name they have in
// paths.
type objects map[string]string

// same are objects that all have one id.
func same(id string) objects {
	return objects{"room_id": id, "webhook_id": id, "delivery_id": id, "event_id": id, "poll_id": id, "meeting_id": id, "recording_id": id}
}

// at is the address of the operation for these objects.
func (o operation) at(ids objects) string {
	path := strings.NewReplacer("{identity}", "api_nobody.x", "{index}", "0", "{breakout_id}", "0199d5b0-7c1e-7a3c-9d5e-2f4b6a8c0e1f").Replace(o.path)
	for name, id := range ids {
		path = strings.ReplaceAll(path, "{"+name+"}", id)
	}
	return "/api/v1" + path
}

// smallest is the smallest body as it is sent, "" when there is none.
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

// contract reads the OpenAPI document of the service that is not running.
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
			if o.success == 0 || n < o.success { // parts of recordings answer 206 and 304 too
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
	for _, engine := range []db.Engine{db.SQLite, db.PostgreSQL} {
		t.Run(string(engine), func(t *testing.T) {
			t.Parallel()
			test(t, servertest.Start(t, dbtest.Config(t, engine), o))
		})
	}
}

// newPoll asks a poll in a room and gives its id.
func newPoll(t *testing.T, s *servertest.Service, key, room string) string {
	t.Helper()
	a := s.Send(servertest.Request{Method: http.MethodPost, Path: "/api/v1/rooms/" + room + "/polls", Bearer: key, Body: `{"question": "Tea?", "options": ["yes", "no"]}`})
	var p api.Poll
	if err := json.Unmarshal(a.Body, &p); err != nil || a.Status != http.StatusCreated {
		t.Fatalf("ask a poll: %d %s", a.Status, a.Body)
	}
	return p.ID
}

// newMeeting schedules a meeting and gives its id.
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

// newRoom makes a room and gives its id.
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

// withoutWebhook deletes the webhook endpoint, of which there can be ten only.
func (ids objects) withoutWebhook(s *servertest.Service, key string) {
	s.Send(servertest.Request{Method: http.MethodDelete, Path: "/api/v1/webhooks/" + ids["webhook_id"], Bearer: key})
}

// The operations of the API, with what a key needs for each, as
// docs/reference lists them. An operation that is missing here or there fails.
func TestTheDocumentHasTheOperationsOfTheAPI(t *testing.T) {
	t.Parallel()
	document, operations := contract(t)
	var got []string
	for _, o := range operations {
		got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s %d %s", o.method, o.path, o.success, o.scope)))
		if o.raw["summary"] == nil || o.id == "" || o.raw["tags"] == nil {
			t.Errorf("%s has no summary, id or tag", o.name())
		}
	}
	want := []string{
		"GET /events 200 webhooks:manage",
		"GET /events/{event_id} 200 webhooks:manage",
		"GET /me 200",
		"GET /meetings 200 meetings:read",
		"POST /meetings 201 meetings:write",
		"DELETE /meetings/{meeting_id} 200 meetings:write",
		"GET /meetings/{meeting_id} 200 meetings:read",
		"PATCH /meetings/{meeting_id} 200 meetings:write",
		"DELETE /polls/{poll_id} 200 polls:write",
		"PATCH /polls/{poll_id} 200 polls:write",
		"GET /recordings 200 recordings:read",
		"DELETE /recordings/{recording_id} 200 recordings:write",
		"GET /recordings/{recording_id} 200 recordings:read",
		"PATCH /recordings/{recording_id} 200 recordings:write",
		"POST /recordings/{recording_id}/download 200 recordings:read",
		"GET /recordings/{recording_id}/parts/{index} 200 recordings:read",
		"GET /rooms 200 rooms:read",
		"POST /rooms 201 rooms:write",
		"DELETE /rooms/{room_id} 200 rooms:write",
		"GET /rooms/{room_id} 200 rooms:read",
		"PATCH /rooms/{room_id} 200 rooms:write",
		"GET /rooms/{room_id}/breakouts 200 breakouts:read",
		"POST /rooms/{room_id}/breakouts 201 breakouts:write",
		"POST /rooms/{room_id}/breakouts/announce 200 breakouts:write",
		"POST /rooms/{room_id}/breakouts/assignments 200 breakouts:write",
		"POST /rooms/{room_id}/breakouts/end 200 breakouts:write",
		"POST /rooms/{room_id}/breakouts/rooms 200 breakouts:write",
		"DELETE /rooms/{room_id}/breakouts/rooms/{breakout_id} 200 breakouts:write",
		"PATCH /rooms/{room_id}/breakouts/rooms/{breakout_id} 200 breakouts:write",
		"POST /rooms/{room_id}/end 200 participants:write",
		"POST /rooms/{room_id}/join-links 201 tokens:create",
		"GET /rooms/{room_id}/participants 200 participants:read",
		"DELETE /rooms/{room_id}/participants/{identity} 200 participants:write",
		"DELETE /rooms/{room_id}/participants/{identity}/cohost 200 participants:write",
		"POST /rooms/{room_id}/participants/{identity}/cohost 200 participants:write",
		"POST /rooms/{room_id}/participants/{identity}/mute 200 participants:write",
		"DELETE /rooms/{room_id}/participants/{identity}/stage 200 participants:write",
		"POST /rooms/{room_id}/participants/{identity}/stage 200 participants:write",
		"GET /rooms/{room_id}/polls 200 polls:read",
		"POST /rooms/{room_id}/polls 201 polls:write",
		"POST /rooms/{room_id}/tokens 201 tokens:create",
		"GET /rooms/{room_id}/waiting 200 participants:read",
		"POST /rooms/{room_id}/waiting/{identity} 200 participants:write",
		"GET /webhooks 200 webhooks:manage",
		"POST /webhooks 201 webhooks:manage",
		"DELETE /webhooks/{webhook_id} 200 webhooks:manage",
		"GET /webhooks/{webhook_id} 200 webhooks:manage",
		"PATCH /webhooks/{webhook_id} 200 webhooks:manage",
		"GET /webhooks/{webhook_id}/deliveries 200 webhooks:manage",
		"POST /webhooks/{webhook_id}/deliveries/{delivery_id}/resend 200 webhooks:manage",
		"POST /webhooks/{webhook_id}/recover 200 webhooks:manage",
		"POST /webhooks/{webhook_id}/rotate-secret 200 webhooks:manage",
		"POST /webhooks/{webhook_id}/test 200 webhooks:manage",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the operations are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if document["openapi"] != "3.1.0" {
		t.Errorf("the document is OpenAPI %v", document["openapi"])
	}
	servers, _ := json.Marshal(document["servers"])
	if string(servers) != `[{"url":"https://meet.example.com/api/v1"}]` {
		t.Errorf("the servers are %s", servers)
	}
}

// The fields of each object, as docs/reference lists them: all of them always
// there, but for those with a question mark.
func TestTheObjectsHaveTheirFields(t *testing.T) {
	t.Parallel()
	document, _ := contract(t)
	for name, want := range map[string]string{
		"Room":                   "object id name code description url locked workspace_id team_id settings created_at updated_at deleted? managed?",
		"RoomSettings":           "access admission mute_on_entry camera_off_on_entry screen_share reactions chat encryption recordings before_host type",
		"Participant":            "object identity name role joined_at audio_muted video_muted screen_sharing hand_raised",
		"RoomToken":              "object server_url token identity e2ee_passphrase expires_in",
		"JoinLink":               "object id url room_id name role user_id avatar redirect_url expires_at created_at",
		"Meeting":                "object id title description starts_at ends_at room_id join_url recurrence recurrence_until timezone created_at deleted? managed?",
		"Poll":                   "object id room_id question kind anonymous results status created_by created_at closed_at total_voters options",
		"PollOption":             "id label votes",
		"Recording":              "object id room_id title status visibility mime_type parts bytes duration_ms started_at ended_at managed?",
		"RecordingDownload":      "object id mime_type bytes encryption parts",
		"RecordingEncryption":    "algorithm key key_encoding iv_bytes",
		"RecordingPart":          "index url",
		"RecordingDeleted":       "object id deleted",
		"APIKey":                 "object id workspace_id scopes environment name prefix created_by created_at expires_at last_used_at",
		"Breakouts":              "object room_id active history",
		"BreakoutSession":        "object id room_id status auto_join allow_return self_select duration_seconds started_at ends_at rooms unassigned",
		"BreakoutRoom":           "id name members",
		"BreakoutMember":         "id name present can_return",
		"UnassignedPerson":       "id name present",
		"BreakoutSessionSummary": "object id status started_by started_at ends_at closed_at rooms people",
		"BreakoutAnnouncement":   "object room_id sent",
		"BreakoutsEnded":         "object room_id ended closing ends_at",
		"WebhookEndpoint":        "object id url description events enabled disabled_reason created_at deleted?",
		"WebhookEndpointCreated": "object id url description events enabled disabled_reason created_at deleted? secret",
		"WebhookEndpointRotated": "object id url description events enabled disabled_reason created_at deleted? secret previous_secret_expires_at",
		"WebhookDelivery":        "object id event_id event_type status attempts response_code error created_at",
		"WebhookTest":            "object ok status",
		"WebhookRecovery":        "object webhook_id since events",
		"Event":                  "object id type created_at data",
		"RoomEvent":              "room occurred_at",
		"RoomUpdatedEvent":       "room previous_attributes occurred_at",
		"SessionEvent":           "room session occurred_at",
		"ParticipantEvent":       "room participant reason? occurred_at",
		"StageEvent":             "room participant on_stage occurred_at",
		"MeetingEvent":           "meeting occurred_at",
		"MeetingUpdatedEvent":    "meeting previous_attributes occurred_at",
		"PollEvent":              "room poll occurred_at",
		"BreakoutEvent":          "room breakout occurred_at",
		"RecordingEvent":         "room recording occurred_at",
		"WebhookTestEvent":       "webhook occurred_at",
		"RoomRef":                "id code name",
		"ParticipantRef":         "identity name role",
		"SessionRef":             "id started_at ended_at? duration_seconds? reason?",
		"WebhookRef":             "id url",
		"Error":                  "type code message param? errors? required_scope? retry_after? doc_url request_id",
	} {
		schema := schemaOf(document, name)
		properties, _ := schema["properties"].(map[string]any)
		required, _ := schema["required"].([]any)
		var got []string
		for field, described := range properties {
			if described.(map[string]any)["description"] == nil && described.(map[string]any)["$ref"] == nil {
				t.Errorf("%s.%s has no description", name, field)
			}
			if !slices.Contains(required, any(field)) {
				field += "?"
			}
			got = append(got, field)
		}
		fields := strings.Fields(want)
		slices.Sort(fields)
		slices.Sort(got)
		if !slices.Equal(got, fields) {
			t.Errorf("%s has the fields\n%v\nwant\n%v", name, got, fields)
		}
	}
}

// The document's webhooks are the types of events, each with its data.
func TestTheDocumentHasEveryEvent(t *testing.T) {
	t.Parallel()
	document, _ := contract(t)
	webhooks, _ := document["webhooks"].(map[string]any)
	for kind, data := range map[string]string{
		"room.created": "RoomEvent", "room.updated": "RoomUpdatedEvent", "room.deleted": "RoomEvent",
		"room.started": "SessionEvent", "room.finished": "SessionEvent",
		"participant.joined": "ParticipantEvent", "participant.left": "ParticipantEvent", "participant.stage_changed": "StageEvent",
		"meeting.scheduled": "MeetingEvent", "meeting.updated": "MeetingUpdatedEvent", "meeting.cancelled": "MeetingEvent",
		"poll.created": "PollEvent", "poll.closed": "PollEvent",
		"breakout.started": "BreakoutEvent", "breakout.ended": "BreakoutEvent",
		"recording.ready": "RecordingEvent", "webhook.test": "WebhookTestEvent",
	} {
		described, _ := json.Marshal(webhooks[kind])
		if !strings.Contains(string(described), `"#/components/schemas/`+data+`"`) || !strings.Contains(string(described), "Service-Signature") {
			t.Errorf("%s is described as %s", kind, described)
		}
	}
	if len(webhooks) != 17 {
		t.Errorf("the document has %d webhooks", len(webhooks))
	}
}

// Every operation tells every code it can answer, under the status that the
// code has everywhere.
func TestEveryOperationTellsItsErrors(t *testing.T) {
	t.Parallel()
	_, operations := contract(t)
	status := map[string]int{}
	for _, doc := range rest.Codes() {
		status[doc.Code] = doc.Status
	}
	stage := []string{api.CodeAlreadyHost, api.CodeNotAWebinar}
	unreadable := []string{api.CodeRecordingEndToEnd, api.CodeRecordingNotReady}
	own := map[string][]string{
		"downloadRecording": unreadable, "getRecordingPart": append([]string{api.CodeRangeNotSatisfiable}, unreadable...),
		"updateRecording": {api.CodeRecordingNotManaged}, "deleteRecording": {api.CodeRecordingNotManaged},
		"createToken": {api.CodeEncryptionStrict}, "updateRoom": {api.CodeMeetingRunning}, "listParticipants": {api.CodeMediaUnavailable},
		"muteParticipant": {api.CodeMediaUnavailable},
		"removeCohost":    {api.CodeNotACohost}, "inviteToStage": stage, "moveToAudience": stage,
		"startBreakouts": {api.CodeBreakoutAlreadyOpen}, "assignBreakout": {api.CodeBreakoutNotOpen},
		"announceBreakouts": {api.CodeBreakoutNotOpen}, "endBreakouts": {api.CodeBreakoutNotOpen},
		"addBreakoutRoom": {api.CodeBreakoutNotOpen, api.CodeLimitReached}, "renameBreakoutRoom": {api.CodeBreakoutNotOpen},
		"removeBreakoutRoom": {api.CodeBreakoutNotOpen, api.CodeLastBreakoutRoom},
		"createPoll":         {api.CodeLimitReached},
		"createWebhook":      {api.CodeURLNotAllowed, api.CodeLimitReached, api.CodeNotFound}, "updateWebhook": {api.CodeURLNotAllowed},
		"resendWebhookDelivery": {api.CodeWebhookDisabled}, "recoverWebhook": {api.CodeWebhookDisabled},
		"decideWaiting": {api.CodeRoomLocked}, "createMeeting": {api.CodeRoomNotManaged, api.CodeLimitReached},
		"updateMeeting": {api.CodeRoomNotManaged, api.CodeMeetingNotManaged}, "cancelMeeting": {api.CodeMeetingNotManaged},
	}
	for _, o := range operations {
		want := append([]string{
			api.CodeAPIKeyMissing, api.CodeAPIKeyInvalid, api.CodeAPIKeyExpired, api.CodeAPIKeyRevoked, api.CodeAPIKeyInactive,
			api.CodeParameterUnknown, api.CodeRateLimited, api.CodeInternalError, api.CodeServiceUnavailable,
		}, own[o.id]...)
		if o.scope != "" { // a member's session will do, too
			want = append(want, api.CodeInsufficientScope, api.CodeSignInRequired, api.CodeCrossOrigin, api.CodeNotAMember)
		}
		if (strings.Contains(o.path, "{room_id}") || strings.Contains(o.path, "{poll_id}")) && o.id != "getRoom" {
			want = append(want, api.CodeRoomNotManaged) // which members have to manage
		}
		if strings.Contains(o.path, "{") {
			want = append(want, api.CodeNotFound)
		}
		if o.method != http.MethodGet {
			want = append(want, api.CodeInvalidJSON, api.CodePayloadTooLarge, api.CodeUnsupportedMediaType, api.CodeParameterInvalid,
				api.CodeIdempotencyKeyInUse, api.CodeIdempotencyKeyReused)
		}
		if o.body != nil && !slices.Contains([]string{"rotateWebhookSecret", "recoverWebhook"}, o.id) {
			want = append(want, api.CodeParameterReadOnly) // those two take the fields of no object
		}
		if o.required {
			want = append(want, api.CodeParameterMissing)
		}
		if slices.Contains([]string{"listRooms", "listEvents", "listMeetings", "listRecordings"}, o.id) {
			want = append(want, api.CodeParameterInvalid)
		}
		var got []string
		for s, codes := range o.codes {
			for _, code := range codes {
				got = append(got, code)
				if status[code] != s {
					t.Errorf("%s lists %s under %d; it is %d", o.name(), code, s, status[code])
				}
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s can answer\n%v\nwant\n%v", o.name(), got, want)
		}
	}
}

// The running service gives the same document to everybody.
func TestTheDocumentIsPublic(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, dbtest.Config(t, db.SQLite), servertest.Options{})
	a := s.Send(servertest.Request{Method: http.MethodGet, Path: "/api/v1/openapi.json"})
	want, err := server.Document(servertest.PublicURL, "test")
	if err != nil || a.Status != http.StatusOK || string(a.Body) != string(want) {
		t.Errorf("the service answers %d and %d bytes, want the %d of the document (%v)", a.Status, len(a.Body), len(want), err)
	}
}

// Odd paths are refused in the envelope, and never redirected.
func TestOddPaths(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, dbtest.Config(t, db.SQLite), servertest.Options{})
	key := s.Key(s.Workspace("acme", "owner@acme.example"), api.Scopes()...)
	for _, path := range []string{
		"/api/v1", "/api/v1/", "/api/v1//rooms", "/api/v1/rooms/", "/api/v1/Rooms", "/api/v1/rooms/x/", "/api/v1/rooms//tokens",
		"/api/v1/rooms/../me", "/api/v1/./me", "/api/v1/rooms/x/nothing", "/api/v1/meetings/", "/api/v1/rooms%2Fx",
	} {
		a := s.Send(servertest.Request{Method: http.MethodGet, Path: path, Bearer: key})
		if a.Status != http.StatusNotFound || a.Code() != api.CodeRouteNotFound {
			t.Errorf("%s answers %d %s", path, a.Status, a.Body)
		}
	}
	// Every path answers its own methods and names them.
	_, operations := contract(t)
	methods := map[string][]string{}
	for _, o := range operations {
		methods[o.path] = append(methods[o.path], o.method)
		if o.method == http.MethodGet {
			methods[o.path] = append(methods[o.path], http.MethodHead)
		}
	}
	for path, allowed := range methods {
		slices.Sort(allowed)
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "BREW"} {
			if slices.Contains(allowed, method) {
				continue
			}
			a := s.Send(servertest.Request{Method: method, Path: operation{path: path}.at(same("x"))})
			if a.Status != http.StatusMethodNotAllowed || a.Header.Get("Allow") != strings.Join(allowed, ", ") {
				t.Errorf("%s %s answers %d, Allow %q; want 405, %q", method, path, a.Status, a.Header.Get("Allow"), strings.Join(allowed, ", "))
			}
		}
	}
}
