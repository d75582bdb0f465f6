package api

// Breakouts describes a room's breakout sessions: the running one, and those that are
// over.
type Breakouts struct {
	Object  string                   `json:"object" enum:"breakouts" doc:"Always breakouts."`
	RoomID  string                   `json:"room_id" format:"uuid" doc:"The room."`
	Active  *BreakoutSession         `json:"active" nullable:"true" doc:"The running session; null when there is none."`
	History []BreakoutSessionSummary `json:"history" doc:"The ten most recent sessions that are over, newest first."`
}

// BreakoutSession is the splitting of a meeting into breakout rooms.
type BreakoutSession struct {
	Object          string             `json:"object" enum:"breakout_session" doc:"Always breakout_session."`
	ID              string             `json:"id" format:"uuid" doc:"Id."`
	RoomID          string             `json:"room_id" format:"uuid" doc:"The room whose meeting it splits."`
	Status          string             `json:"status" enum:"open,closing,ended" doc:"closing while the countdown to its end runs."`
	AutoJoin        bool               `json:"auto_join" doc:"People are moved into their room without being asked."`
	AllowReturn     bool               `json:"allow_return" doc:"People may return to the main room by themselves."`
	SelfSelect      bool               `json:"self_select" doc:"People pick their own room."`
	DurationSeconds *int               `json:"duration_seconds" nullable:"true" doc:"After how many seconds it ends by itself; null: it runs until somebody ends it."`
	StartedAt       Time               `json:"started_at" doc:"When it was opened."`
	EndsAt          *Time              `json:"ends_at" nullable:"true" doc:"When it ends by itself; null: it runs until somebody ends it."`
	Rooms           []BreakoutRoom     `json:"rooms" doc:"Its rooms."`
	Unassigned      []UnassignedPerson `json:"unassigned" doc:"The people in the meeting who have no room."`
}

// BreakoutRoom is one room of a session.
type BreakoutRoom struct {
	ID      string           `json:"id" format:"uuid" doc:"Id."`
	Name    string           `json:"name" doc:"Name." example:"Room 1"`
	Members []BreakoutMember `json:"members" doc:"The people who were placed there."`
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

// BreakoutSessionSummary is a session without its rooms and people.
type BreakoutSessionSummary struct {
	Object    string `json:"object" enum:"breakout_session_summary" doc:"Always breakout_session_summary."`
	ID        string `json:"id" format:"uuid" doc:"Id."`
	Status    string `json:"status" enum:"open,closing,ended" doc:"ended in the history."`
	StartedBy string `json:"started_by" doc:"api, or the participant id of the host who started it." example:"api"`
	StartedAt Time   `json:"started_at" doc:"When it was opened."`
	EndsAt    *Time  `json:"ends_at" nullable:"true" doc:"When it ends by itself, or would have; null: it runs until somebody ends it."`
	ClosedAt  *Time  `json:"closed_at" nullable:"true" doc:"When it ended."`
	Rooms     int    `json:"rooms" doc:"How many rooms it has."`
	People    int    `json:"people" doc:"How many people were placed in a room."`
}

// BreakoutCreate is the body of POST /rooms/{room_id}/breakouts.
type BreakoutCreate struct {
	Rooms           CountOrList[string] `json:"rooms" minimum:"1" maximum:"50" minItems:"1" maxItems:"50" maxLength:"60" doc:"How many rooms, 1 to 50, or their names of up to 60 characters. A room without a name is called Room 1, Room 2, and so on." example:"3"`
	Assign          Opt[string]         `json:"assign,omitzero" enum:"auto,manual,none" default:"auto" doc:"auto distributes people evenly at random; manual follows placements; none opens empty rooms for people to choose from."`
	Placements      []BreakoutPlacement `json:"placements,omitempty" maxItems:"1000" doc:"Who goes where, with assign manual. People who are not in the meeting are ignored."`
	AutoJoin        Opt[bool]           `json:"auto_join,omitzero" default:"true" doc:"Move people into their room without asking them."`
	AllowReturn     Opt[bool]           `json:"allow_return,omitzero" default:"true" doc:"Let people return to the main room by themselves."`
	SelfSelect      Opt[bool]           `json:"self_select,omitzero" doc:"Let people pick their own room. Implied by assign none."`
	DurationSeconds Opt[int]            `json:"duration_seconds,omitzero" nullable:"true" minimum:"60" maximum:"14400" doc:"Seconds after which it ends by itself, 60 to 14400; null or absent: it runs until somebody ends it."`
	IncludeHosts    Opt[bool]           `json:"include_hosts,omitzero" default:"false" doc:"With assign auto: distribute hosts and co-hosts too. Otherwise they stay in the main room and can visit any breakout."`
}

// BreakoutPlacement puts somebody into a room.
type BreakoutPlacement struct {
	Participant string `json:"participant" minLength:"1" maxLength:"200" doc:"Participant id or connection identity." example:"api_ada"`
	Room        int    `json:"room" minimum:"0" maximum:"49" doc:"Which of the rooms, counted from 0."`
}

// BreakoutAssign is the body of POST /rooms/{room_id}/breakouts/assignments.
type BreakoutAssign struct {
	Participant string      `json:"participant" minLength:"1" maxLength:"200" doc:"Participant id or connection identity." example:"api_ada"`
	BreakoutID  Opt[string] `json:"breakout_id" required:"true" nullable:"true" format:"uuid" doc:"The room to place them in; null sends them to the main room." example:"0199d5b0-7c1e-7a3c-9d5e-2f4b6a8c0e1f"`
	CanReturn   Opt[bool]   `json:"can_return,omitzero" doc:"Whether they may return to the main room by themselves; when absent, the session's allow_return applies."`
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
	Message string `json:"message" minLength:"1" maxLength:"300" doc:"Shown to everybody in the meeting and in every breakout, 1 to 300 characters. It is not end-to-end encrypted." example:"Five more minutes"`
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
	Ended   bool   `json:"ended" doc:"Whether the session is over."`
	Closing bool   `json:"closing" doc:"Whether the countdown is running."`
	EndsAt  *Time  `json:"ends_at" nullable:"true" doc:"When the countdown is over; null when the session is."`
}

// BreakoutEvent is the data of breakout.started and breakout.ended.
type BreakoutEvent struct {
	Room       RoomRef                `json:"room" doc:"The room."`
	Breakout   BreakoutSessionSummary `json:"breakout" doc:"The session."`
	OccurredAt Time                   `json:"occurred_at" doc:"When it happened; orders events."`
}
