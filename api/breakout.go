package api

// Breakouts is what there is to know about a room's breakout rooms: the
// session that runs, and those that are over.
type Breakouts struct {
	Object  string                   `json:"object" enum:"breakouts" doc:"Always breakouts."`
	RoomID  string                   `json:"room_id" format:"uuid" doc:"The room."`
	Active  *BreakoutSession         `json:"active" nullable:"true" doc:"The session that runs now; null when none does."`
	History []BreakoutSessionSummary `json:"history" doc:"The ten most recent sessions that are over, newest first."`
}

// BreakoutSession splits a meeting into rooms of their own.
type BreakoutSession struct {
	Object          string             `json:"object" enum:"breakout_session" doc:"Always breakout_session."`
	ID              string             `json:"id" format:"uuid" doc:"Id."`
	RoomID          string             `json:"room_id" format:"uuid" doc:"The room whose meeting it splits."`
	Status          string             `json:"status" enum:"open,closing,ended" doc:"closing while the countdown to its end runs."`
	AutoJoin        bool               `json:"auto_join" doc:"People are moved into their room without being asked."`
	AllowReturn     bool               `json:"allow_return" doc:"People may return to the main room by themselves."`
	SelfSelect      bool               `json:"self_select" doc:"People pick their own room."`
	DurationSeconds *int               `json:"duration_seconds" nullable:"true" doc:"After how long it ends by itself; null: when it is ended."`
	StartedAt       Time               `json:"started_at" doc:"When it was opened."`
	EndsAt          *Time              `json:"ends_at" nullable:"true" doc:"When it ends by itself; null: when it is ended."`
	Rooms           []BreakoutRoom     `json:"rooms" doc:"Its rooms."`
	Unassigned      []UnassignedPerson `json:"unassigned" doc:"The people in the meeting who have no room."`
}

// BreakoutRoom is one room of a session.
type BreakoutRoom struct {
	ID      string           `json:"id" format:"uuid" doc:"Id."`
	Name    string           `json:"name" doc:"Name." example:"Room 1"`
	Members []BreakoutMember `json:"members" doc:"Who was placed there."`
}

// BreakoutMember is somebody who was placed in a breakout room.
type BreakoutMember struct {
	ID        string `json:"id" doc:"Participant id." example:"api_ada"`
	Name      string `json:"name" doc:"Display name." example:"Ada"`
	Present   bool   `json:"present" doc:"Whether they are connected there now."`
	CanReturn bool   `json:"can_return" doc:"Whether they may return to the main room by themselves."`
}

// UnassignedPerson is somebody who has no breakout room.
type UnassignedPerson struct {
	ID      string `json:"id" doc:"Participant id." example:"api_ada"`
	Name    string `json:"name" doc:"Display name." example:"Ada"`
	Present bool   `json:"present" doc:"Whether they are in the meeting now."`
}

// BreakoutSessionSummary is a session in a few numbers.
type BreakoutSessionSummary struct {
	Object    string `json:"object" enum:"breakout_session_summary" doc:"Always breakout_session_summary."`
	ID        string `json:"id" format:"uuid" doc:"Id."`
	Status    string `json:"status" enum:"open,closing,ended" doc:"ended in the history."`
	StartedBy string `json:"started_by" doc:"api, or the participant id of the host who started it." example:"api"`
	StartedAt Time   `json:"started_at" doc:"When it was opened."`
	EndsAt    *Time  `json:"ends_at" nullable:"true" doc:"When it would end, or have ended, by itself."`
	ClosedAt  *Time  `json:"closed_at" nullable:"true" doc:"When it ended."`
	Rooms     int    `json:"rooms" doc:"How many rooms it has."`
	People    int    `json:"people" doc:"How many people have a room."`
}

// BreakoutCreate is the body of POST /rooms/{room_id}/breakouts.
type BreakoutCreate struct {
	Rooms           CountOrList[string] `json:"rooms" minimum:"1" maximum:"50" minItems:"1" maxItems:"50" maxLength:"60" doc:"How many rooms, 1 to 50, or their names of up to 60 characters. A room without a name is called Room 1, Room 2, and so on." example:"3"`
	Assign          Opt[string]         `json:"assign,omitzero" enum:"auto,manual,none" default:"auto" doc:"auto deals everybody out evenly at random; manual follows placements; none opens empty rooms that people choose from."`
	Placements      []BreakoutPlacement `json:"placements,omitempty" maxItems:"1000" doc:"Who goes where, with assign manual. People who are not in the meeting are ignored."`
	AutoJoin        Opt[bool]           `json:"auto_join,omitzero" default:"true" doc:"Move people into their room without asking them."`
	AllowReturn     Opt[bool]           `json:"allow_return,omitzero" default:"true" doc:"Let people return to the main room by themselves."`
	SelfSelect      Opt[bool]           `json:"self_select,omitzero" doc:"Let people pick their own room. Implied by assign none."`
	DurationSeconds Opt[int]            `json:"duration_seconds,omitzero" nullable:"true" minimum:"60" maximum:"14400" doc:"End by itself after so many seconds, 60 to 14400; null or absent: when it is ended."`
	IncludeHosts    Opt[bool]           `json:"include_hosts,omitzero" default:"false" doc:"With assign auto: deal hosts and co-hosts out too. Otherwise they stay in the main room and can visit any breakout."`
}

// BreakoutPlacement puts somebody into a room.
type BreakoutPlacement struct {
	Participant string `json:"participant" minLength:"1" maxLength:"200" doc:"Participant id or connection identity." example:"api_ada"`
	Room        int    `json:"room" minimum:"0" maximum:"49" doc:"Which of the rooms, counted from 0."`
}

// BreakoutAssign is the body of POST /rooms/{room_id}/breakouts/assignments.
type BreakoutAssign struct {
	Participant string      `json:"participant" minLength:"1" maxLength:"200" doc:"Participant id or connection identity." example:"api_ada"`
	BreakoutID  Opt[string] `json:"breakout_id" required:"true" nullable:"true" doc:"The room to place them in; null sends them to the main room." example:"0199d5b0-7c1e-7a3c-9d5e-2f4b6a8c0e1f"`
	CanReturn   Opt[bool]   `json:"can_return,omitzero" doc:"Whether they may return to the main room by themselves; as allow_return of the session when absent."`
}

// BreakoutRoomCreate is the body of POST /rooms/{room_id}/breakouts/rooms.
type BreakoutRoomCreate struct {
	Name Opt[string] `json:"name,omitzero" maxLength:"60" doc:"Name, up to 60 characters; Room N when absent or empty."`
}

// BreakoutRoomUpdate is the body of PATCH .../breakouts/rooms/{breakout_id}.
type BreakoutRoomUpdate struct {
	Name Opt[string] `json:"name" required:"true" minLength:"1" maxLength:"60" doc:"Name, 1 to 60 characters." example:"Design"`
}

// BreakoutAnnounce is the body of POST /rooms/{room_id}/breakouts/announce.
type BreakoutAnnounce struct {
	Message string `json:"message" minLength:"1" maxLength:"300" doc:"What everybody in the meeting and in every breakout is shown, 1 to 300 characters. It is not end-to-end encrypted." example:"Five more minutes"`
}

// BreakoutAnnouncement is the answer to an announcement.
type BreakoutAnnouncement struct {
	Object string `json:"object" enum:"breakout_announcement" doc:"Always breakout_announcement."`
	RoomID string `json:"room_id" format:"uuid" doc:"The room."`
	Sent   bool   `json:"sent" doc:"Always true."`
}

// BreakoutEnd is the body of POST /rooms/{room_id}/breakouts/end.
type BreakoutEnd struct {
	Warn Opt[bool] `json:"warn,omitzero" default:"false" doc:"Close the rooms after a countdown of 60 seconds instead of at once."`
}

// BreakoutsEnded is the answer to ending a session.
type BreakoutsEnded struct {
	Object  string `json:"object" enum:"breakouts" doc:"Always breakouts."`
	RoomID  string `json:"room_id" format:"uuid" doc:"The room."`
	Ended   bool   `json:"ended" doc:"The session is over."`
	Closing bool   `json:"closing" doc:"The countdown runs."`
	EndsAt  *Time  `json:"ends_at" nullable:"true" doc:"When the countdown is over; null when the session is."`
}

// BreakoutEvent is the data of breakout.started and breakout.ended.
type BreakoutEvent struct {
	Room       RoomRef                `json:"room" doc:"The room."`
	Breakout   BreakoutSessionSummary `json:"breakout" doc:"The session."`
	OccurredAt Time                   `json:"occurred_at" doc:"When it happened; orders events."`
}
