package api

// Meeting is a scheduled meeting: an entry of the workspace's calendar, which
// may repeat.
type Meeting struct {
	Object          string  `json:"object" enum:"meeting" doc:"Always meeting." example:"meeting"`
	ID              string  `json:"id" format:"uuid" doc:"Id." example:"0192f3a1-7c3e-7d3a-9a41-3b6f0e5d2c11"`
	Title           string  `json:"title" doc:"1 to 120 characters." example:"Weekly review"`
	Description     *string `json:"description" nullable:"true" doc:"Up to 1000 characters, or null."`
	StartsAt        Time    `json:"starts_at" doc:"When it starts; of a series, when the first occurrence starts."`
	EndsAt          Time    `json:"ends_at" doc:"When it ends, at most 24 hours later; of a series, when the first occurrence ends."`
	RoomID          *string `json:"room_id" format:"uuid" nullable:"true" doc:"The room it takes place in, or null."`
	JoinURL         *string `json:"join_url" format:"uri" nullable:"true" doc:"Link of the room; null without a room."`
	Recurrence      string  `json:"recurrence" enum:"none,daily,weekdays,weekly,biweekly,monthly" doc:"How it repeats. weekdays: Monday to Friday."`
	RecurrenceUntil *Time   `json:"recurrence_until" nullable:"true" doc:"The last moment at which an occurrence may start; null: the series does not end."`
	Timezone        *string `json:"timezone" nullable:"true" doc:"IANA zone in which the series repeats, so that the local time stays the same through daylight saving; null: UTC." example:"Europe/Berlin"`
	CreatedAt       Time    `json:"created_at" doc:"When it was scheduled."`
	Deleted         bool    `json:"deleted,omitempty" doc:"True in the answer to a cancellation, absent elsewhere."`
	Managed         *bool   `json:"managed,omitempty" doc:"In answers to a signed-in member: whether they may change and cancel the meeting. Absent elsewhere."`
}

// MeetingCreate is the body of POST /meetings.
type MeetingCreate struct {
	Title           string      `json:"title" minLength:"1" maxLength:"120" doc:"1 to 120 characters." example:"Weekly review"`
	Description     Opt[string] `json:"description,omitzero" maxLength:"1000" nullable:"true" multiline:"true" doc:"Up to 1000 characters."`
	StartsAt        Time        `json:"starts_at" doc:"When it starts, with an offset. A series repeats from here." example:"2026-11-23T10:00:00+01:00"`
	EndsAt          Time        `json:"ends_at" doc:"When it ends: after starts_at, at most 24 hours later." example:"2026-11-23T11:00:00+01:00"`
	RoomID          Opt[string] `json:"room_id,omitzero" format:"uuid" nullable:"true" doc:"A room of the workspace."`
	Recurrence      Opt[string] `json:"recurrence,omitzero" enum:"none,daily,weekdays,weekly,biweekly,monthly" default:"none" doc:"How it repeats. weekdays: Monday to Friday."`
	RecurrenceUntil Opt[Time]   `json:"recurrence_until,omitzero" nullable:"true" doc:"The last moment at which an occurrence may start; null: the series does not end."`
	Timezone        Opt[string] `json:"timezone,omitzero" nullable:"true" doc:"IANA zone in which the series repeats; null: UTC." example:"Europe/Berlin"`
}

// MeetingUpdate is the body of PATCH /meetings/{meeting_id}, a JSON merge
// patch.
type MeetingUpdate struct {
	Title           Opt[string] `json:"title,omitzero" minLength:"1" maxLength:"120" doc:"1 to 120 characters."`
	Description     Opt[string] `json:"description,omitzero" maxLength:"1000" nullable:"true" multiline:"true" doc:"Up to 1000 characters; null clears it."`
	StartsAt        Opt[Time]   `json:"starts_at,omitzero" doc:"When it starts, with an offset. A series repeats from here."`
	EndsAt          Opt[Time]   `json:"ends_at,omitzero" doc:"When it ends: after starts_at, at most 24 hours later."`
	RoomID          Opt[string] `json:"room_id,omitzero" format:"uuid" nullable:"true" doc:"A room of the workspace; null: none."`
	Recurrence      Opt[string] `json:"recurrence,omitzero" enum:"none,daily,weekdays,weekly,biweekly,monthly" doc:"How it repeats. weekdays: Monday to Friday."`
	RecurrenceUntil Opt[Time]   `json:"recurrence_until,omitzero" nullable:"true" doc:"The last moment at which an occurrence may start; null: the series does not end."`
	Timezone        Opt[string] `json:"timezone,omitzero" nullable:"true" doc:"IANA zone in which the series repeats; null: UTC."`
}

// MeetingEvent is the data of meeting.scheduled and meeting.cancelled.
type MeetingEvent struct {
	Meeting    Meeting `json:"meeting" doc:"The scheduled meeting, with deleted set once it is cancelled."`
	OccurredAt Time    `json:"occurred_at" doc:"When it happened; orders events."`
}

// MeetingUpdatedEvent is the data of meeting.updated.
type MeetingUpdatedEvent struct {
	Meeting            Meeting        `json:"meeting" doc:"The scheduled meeting as it is now."`
	PreviousAttributes map[string]any `json:"previous_attributes" doc:"What changed, with its earlier values."`
	OccurredAt         Time           `json:"occurred_at" doc:"When it happened; orders events."`
}
