package api

// Room is a place to meet: a permanent link and settings.
type Room struct {
	Object      string       `json:"object" enum:"room" doc:"Always room." example:"room"`
	ID          string       `json:"id" format:"uuid" doc:"Id." example:"0192f3a1-7c3e-7d3a-9a41-3b6f0e5d2c11"`
	Name        string       `json:"name" doc:"1 to 80 characters." example:"Weekly review"`
	Code        string       `json:"code" doc:"Code that identifies the room's link." example:"abc-defg-hjk"`
	Description *string      `json:"description" nullable:"true" doc:"Up to 500 characters, or null."`
	URL         string       `json:"url" format:"uri" doc:"Public link of the room." example:"https://meet.example.com/abc-defg-hjk"`
	Locked      bool         `json:"locked" doc:"Whether the room is locked. A locked room admits no new people."`
	WorkspaceID string       `json:"workspace_id" doc:"The workspace that owns the room."`
	TeamID      *string      `json:"team_id" nullable:"true" doc:"Always null."`
	Settings    RoomSettings `json:"settings" doc:"How people get in and what they may do."`
	CreatedAt   Time         `json:"created_at" doc:"When the room was made."`
	UpdatedAt   Time         `json:"updated_at" doc:"When it was last changed."`
	Deleted     bool         `json:"deleted,omitempty" doc:"True in the answer to a delete, absent elsewhere."`
	Managed     *bool        `json:"managed,omitempty" doc:"In answers to a signed-in member: whether they manage the room. Absent elsewhere."`
}

// RoomSettings are a room's settings.
type RoomSettings struct {
	Access           string `json:"access" enum:"members,link" doc:"link: anyone with the link can join. members: only people who can already see the room."`
	Admission        string `json:"admission" enum:"direct,knock" doc:"direct: everyone the room lets in walks straight in. knock: everyone except hosts waits until a host admits them."`
	MuteOnEntry      bool   `json:"mute_on_entry" doc:"Join with the microphone off."`
	CameraOffOnEntry bool   `json:"camera_off_on_entry" doc:"Join with the camera off."`
	ScreenShare      string `json:"screen_share" enum:"everyone,hosts" doc:"Who may share their screen."`
	Reactions        bool   `json:"reactions" doc:"Allow emoji reactions."`
	Chat             bool   `json:"chat" doc:"Allow meeting chat."`
	Encryption       string `json:"encryption" enum:"standard,strict" doc:"strict: the meeting key exists only on participants' devices. Cannot be changed while a meeting runs."`
	Recordings       string `json:"recordings" enum:"workspace,end_to_end" doc:"Who can open recordings. Rooms with strict encryption are always end_to_end."`
	BeforeHost       string `json:"before_host" enum:"join,wait" doc:"wait: people on the room's own link wait until a host joins."`
	Type             string `json:"type" enum:"meeting,webinar" doc:"Read-only: meeting, or webinar for rooms that were made as webinars."`
}

// RoomCreate is the body of POST /rooms.
type RoomCreate struct {
	Name        string             `json:"name" minLength:"1" maxLength:"80" doc:"1 to 80 characters." example:"Weekly review"`
	Description Opt[string]        `json:"description,omitzero" maxLength:"500" nullable:"true" multiline:"true" doc:"Up to 500 characters."`
	Settings    RoomSettingsUpdate `json:"settings,omitzero" doc:"Settings that differ from the defaults."`
}

// RoomUpdate is the body of PATCH /rooms/{room_id}, a JSON merge patch.
type RoomUpdate struct {
	Name        Opt[string]        `json:"name,omitzero" minLength:"1" maxLength:"80" doc:"1 to 80 characters."`
	Description Opt[string]        `json:"description,omitzero" maxLength:"500" nullable:"true" multiline:"true" doc:"Up to 500 characters; null clears it."`
	Locked      Opt[bool]          `json:"locked,omitzero" doc:"Lock or unlock the room."`
	Settings    RoomSettingsUpdate `json:"settings,omitzero" doc:"Settings to change; the others stay."`
}

// RoomSettingsUpdate are settings to change; absent ones stay.
type RoomSettingsUpdate struct {
	Access           Opt[string] `json:"access,omitzero" enum:"members,link" doc:"Who may come in." default:"link"`
	Admission        Opt[string] `json:"admission,omitzero" enum:"direct,knock" doc:"Whether a host admits people." default:"direct"`
	MuteOnEntry      Opt[bool]   `json:"mute_on_entry,omitzero" doc:"Join with the microphone off." default:"false"`
	CameraOffOnEntry Opt[bool]   `json:"camera_off_on_entry,omitzero" doc:"Join with the camera off." default:"false"`
	ScreenShare      Opt[string] `json:"screen_share,omitzero" enum:"everyone,hosts" doc:"Who may share their screen." default:"everyone"`
	Reactions        Opt[bool]   `json:"reactions,omitzero" doc:"Allow emoji reactions." default:"true"`
	Chat             Opt[bool]   `json:"chat,omitzero" doc:"Allow meeting chat." default:"true"`
	Encryption       Opt[string] `json:"encryption,omitzero" enum:"standard,strict" doc:"How the meeting is encrypted." default:"standard"`
	Recordings       Opt[string] `json:"recordings,omitzero" enum:"workspace,end_to_end" doc:"Who can open recordings. The default is end_to_end for strict rooms." defaultDoc:"workspace"`
	BeforeHost       Opt[string] `json:"before_host,omitzero" enum:"join,wait" doc:"Whether people wait for a host." default:"join"`
}
