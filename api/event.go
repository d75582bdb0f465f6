package api

// EventType is the type of an event.
type EventType string

// The types of events. docs/reference/events.md says when each is sent.
const (
	EventRoomCreated       EventType = "room.created"
	EventRoomUpdated       EventType = "room.updated"
	EventRoomDeleted       EventType = "room.deleted"
	EventRoomStarted       EventType = "room.started"
	EventRoomFinished      EventType = "room.finished"
	EventParticipantJoined EventType = "participant.joined"
	EventParticipantLeft   EventType = "participant.left"

	EventParticipantStageChanged EventType = "participant.stage_changed"

	EventMeetingScheduled EventType = "meeting.scheduled"
	EventMeetingUpdated   EventType = "meeting.updated"
	EventMeetingCancelled EventType = "meeting.cancelled"

	EventPollCreated EventType = "poll.created"
	EventPollClosed  EventType = "poll.closed"

	EventBreakoutStarted EventType = "breakout.started"
	EventBreakoutEnded   EventType = "breakout.ended"

	EventRecordingReady EventType = "recording.ready"

	EventWebhookTest EventType = "webhook.test"
)

// EventTypes lists every type that is sent (docs/reference/events.md).
func EventTypes() []EventType {
	return []EventType{
		EventRoomCreated, EventRoomUpdated, EventRoomDeleted, EventRoomStarted, EventRoomFinished,
		EventParticipantJoined, EventParticipantLeft, EventParticipantStageChanged,
		EventMeetingScheduled, EventMeetingUpdated, EventMeetingCancelled,
		EventPollCreated, EventPollClosed,
		EventBreakoutStarted, EventBreakoutEnded, EventRecordingReady, EventWebhookTest,
	}
}

// EventData returns a pointer to an empty struct for the data of a type of event, such
// as *ParticipantEvent for participant.joined; nil for a type that is not sent yet. Code
// that reads or describes events uses it.
func EventData(kind EventType) any {
	switch kind {
	case EventRoomCreated, EventRoomDeleted:
		return new(RoomEvent)
	case EventRoomUpdated:
		return new(RoomUpdatedEvent)
	case EventRoomStarted, EventRoomFinished:
		return new(SessionEvent)
	case EventParticipantJoined, EventParticipantLeft:
		return new(ParticipantEvent)
	case EventParticipantStageChanged:
		return new(StageEvent)
	case EventMeetingScheduled, EventMeetingCancelled:
		return new(MeetingEvent)
	case EventMeetingUpdated:
		return new(MeetingUpdatedEvent)
	case EventPollCreated, EventPollClosed:
		return new(PollEvent)
	case EventBreakoutStarted, EventBreakoutEnded:
		return new(BreakoutEvent)
	case EventRecordingReady:
		return new(RecordingEvent)
	case EventWebhookTest:
		return new(WebhookTestEvent)
	default:
		return nil
	}
}

// RoomRef names a room in an event.
type RoomRef struct {
	ID   string `json:"id" doc:"The room."`
	Code string `json:"code" doc:"Its code."`
	Name string `json:"name" doc:"Its name when the event happened."`
}

// ParticipantRef names a participant in an event.
type ParticipantRef struct {
	Identity string `json:"identity" doc:"Connection identity."`
	Name     string `json:"name" doc:"Display name."`
	Role     Role   `json:"role" doc:"Role in the meeting." enum:"host,participant"`
}

// SessionRef describes the meeting in an event.
type SessionRef struct {
	ID              string `json:"id" doc:"The meeting's id."`
	StartedAt       Time   `json:"started_at" doc:"When the first person joined."`
	EndedAt         Time   `json:"ended_at,omitzero" doc:"When it closed (room.finished)."`
	DurationSeconds *int   `json:"duration_seconds,omitempty" doc:"Whole seconds from start to end (room.finished)."`
	Reason          string `json:"reason,omitempty" doc:"Why it closed (room.finished)." enum:"empty,ended,deleted"`
}

// RoomEvent is the data of room.created and room.deleted.
type RoomEvent struct {
	Room       Room `json:"room" doc:"The room, with deleted set after its deletion."`
	OccurredAt Time `json:"occurred_at" doc:"When it happened; orders events."`
}

// RoomUpdatedEvent is the data of room.updated.
type RoomUpdatedEvent struct {
	Room               Room           `json:"room" doc:"The room as it is now."`
	PreviousAttributes map[string]any `json:"previous_attributes" doc:"What changed, with its earlier values, nested as in the object."`
	OccurredAt         Time           `json:"occurred_at" doc:"When it happened; orders events."`
}

// SessionEvent is the data of room.started and room.finished.
type SessionEvent struct {
	Room       RoomRef    `json:"room" doc:"The room."`
	Session    SessionRef `json:"session" doc:"The meeting."`
	OccurredAt Time       `json:"occurred_at" doc:"When it happened; orders events."`
}

// StageEvent is the data of participant.stage_changed.
type StageEvent struct {
	Room        RoomRef        `json:"room" doc:"The room."`
	Participant ParticipantRef `json:"participant" doc:"The participant."`
	OnStage     bool           `json:"on_stage" doc:"Whether they may speak now."`
	OccurredAt  Time           `json:"occurred_at" doc:"When it happened; orders events."`
}

// ParticipantEvent is the data of participant.joined and participant.left.
type ParticipantEvent struct {
	Room        RoomRef        `json:"room" doc:"The room."`
	Participant ParticipantRef `json:"participant" doc:"The participant."`
	Reason      string         `json:"reason,omitempty" doc:"Why they left (participant.left)." enum:"left,removed,disconnected,ended"`
	OccurredAt  Time           `json:"occurred_at" doc:"When it happened; orders events."`
}

// PollEvent is the data of poll.created and poll.closed.
type PollEvent struct {
	Room       RoomRef `json:"room" doc:"The room."`
	Poll       Poll    `json:"poll" doc:"The poll with its counts; never who picked what."`
	OccurredAt Time    `json:"occurred_at" doc:"When it happened; orders events."`
}

// WebhookTestEvent is the data of webhook.test.
type WebhookTestEvent struct {
	Webhook    WebhookRef `json:"webhook" doc:"The tested endpoint."`
	OccurredAt Time       `json:"occurred_at" doc:"When it happened; orders events."`
}

// WebhookRef names a webhook endpoint in an event.
type WebhookRef struct {
	ID  string `json:"id" doc:"The endpoint."`
	URL string `json:"url" doc:"Its address when the event happened."`
}
