package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/rest"
	"github.com/conclave-rooms/conclave/internal/server"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// The operations of the API and their scopes, as docs/reference lists them. The
// test fails if an operation is missing here or there.
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

// The fields of each object, as docs/reference lists them. All are always
// present, except those with a question mark.
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

// The document's webhooks are the event types, each with its data.
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

// Every operation lists all error codes that it can answer, under their
// statuses.
func TestEveryOperationListsItsErrors(t *testing.T) {
	t.Parallel()
	_, operations := contract(t)
	status := map[string]int{}
	for _, doc := range rest.Codes() {
		status[doc.Code] = doc.Status
	}
	unreadable := []string{api.CodeRecordingEndToEnd, api.CodeRecordingNotReady}
	own := map[string][]string{
		"downloadRecording": unreadable, "getRecordingPart": append([]string{api.CodeRangeNotSatisfiable}, unreadable...),
		"updateRecording": {api.CodeRecordingNotManaged}, "deleteRecording": {api.CodeRecordingNotManaged},
		"createToken": {api.CodeEncryptionStrict}, "updateRoom": {api.CodeMeetingRunning}, "listParticipants": {api.CodeMediaUnavailable},
		"muteParticipant": {api.CodeMediaUnavailable},
		"removeCohost":    {api.CodeNotACohost}, "inviteToStage": {api.CodeAlreadyHost, api.CodeNotAWebinar}, "moveToAudience": {api.CodeNotAWebinar},
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
		if o.scope != "" { // a member's session works too
			want = append(want, api.CodeInsufficientScope, api.CodeSignInRequired, api.CodeCrossOrigin, api.CodeNotAMember)
		}
		if (strings.Contains(o.path, "{room_id}") || strings.Contains(o.path, "{poll_id}")) && o.id != "getRoom" {
			want = append(want, api.CodeRoomNotManaged) // and members may not manage everything
		}
		if strings.Contains(o.path, "{") {
			want = append(want, api.CodeNotFound)
		}
		if o.method != http.MethodGet {
			want = append(want, api.CodeInvalidJSON, api.CodePayloadTooLarge, api.CodeUnsupportedMediaType, api.CodeParameterInvalid,
				api.CodeIdempotencyKeyInUse, api.CodeIdempotencyKeyReused)
		}
		if o.body != nil && !slices.Contains([]string{"rotateWebhookSecret", "recoverWebhook"}, o.id) {
			want = append(want, api.CodeParameterReadOnly) // the body of these two has no fields of the object
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

// The running service serves the same document to everybody.
func TestTheDocumentIsPublic(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, dbtest.Config(t, db.SQLite), servertest.Options{})
	a := s.Send(servertest.Request{Method: http.MethodGet, Path: "/api/v1/openapi.json"})
	want, err := server.Document(servertest.PublicURL, "test")
	if err != nil || a.Status != http.StatusOK || string(a.Body) != string(want) {
		t.Errorf("the service answers %d and %d bytes, want the %d of the document (%v)", a.Status, len(a.Body), len(want), err)
	}
}

// Unclean paths are refused in the envelope, and never redirected.
func TestUncleanPathsAreRefused(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, dbtest.Config(t, db.SQLite), servertest.Options{})
	key := s.Key(s.Workspace("acme", "owner@acme.example"), api.Scopes()...)
	for _, path := range []string{
		"/api/v1", "/api/v1/", "/api/v1//rooms", "/api/v1/rooms/", "/api/v1/Rooms", "/api/v1/rooms/x/", "/api/v1/rooms//tokens",
		"/api/v1/rooms/../me", "/api/v1/./me", "/api/v1/rooms/x/nothing", "/api/v1/meetings/", "/api/v1/rooms%2Fx",
		"//api/v1/me", "/api//v1/me", "/./api/v1/me", "/x/../api/v1/me", "/%2e/api/v1/me",
	} {
		a := s.Send(servertest.Request{Method: http.MethodGet, Path: path, Bearer: key})
		if a.Status != http.StatusNotFound || a.Code() != api.CodeRouteNotFound {
			t.Errorf("%s answers %d %s", path, a.Status, a.Body)
		}
	}
	// Every path names its methods when another one is used.
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
