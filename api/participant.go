package api

// Role is a person's role in a meeting.
type Role string

// The roles.
const (
	RoleHost        Role = "host"
	RoleParticipant Role = "participant"
)

// Participant is a person in a running meeting.
type Participant struct {
	Object        string `json:"object" enum:"participant" doc:"Always participant." example:"participant"`
	Identity      string `json:"identity" doc:"Connection identity: the person before the dot, the connection after it." example:"api_ada.k3v9x7q2"`
	Name          string `json:"name" doc:"Display name." example:"Ada"`
	Role          Role   `json:"role" enum:"host,participant" doc:"Role in the meeting."`
	JoinedAt      Time   `json:"joined_at" doc:"When they joined."`
	AudioMuted    bool   `json:"audio_muted" doc:"Whether no microphone of theirs is on."`
	VideoMuted    bool   `json:"video_muted" doc:"Whether no camera of theirs is on."`
	ScreenSharing bool   `json:"screen_sharing" doc:"Whether they share their screen."`
	HandRaised    bool   `json:"hand_raised" doc:"Whether their hand is raised."`
}

// ParticipantMuted is the result of muting somebody.
type ParticipantMuted struct {
	Object     string `json:"object" enum:"participant" doc:"Always participant."`
	Identity   string `json:"identity" doc:"Connection identity."`
	AudioMuted bool   `json:"audio_muted" doc:"Always true: only the person can unmute."`
}

// ParticipantCohost is the result of making somebody a co-host, or of ending that.
type ParticipantCohost struct {
	Object   string `json:"object" enum:"participant" doc:"Always participant."`
	Identity string `json:"identity" doc:"Connection identity."`
	Cohost   bool   `json:"cohost" doc:"Whether they are co-host now."`
}

// ParticipantOnStage is the result of a stage operation.
type ParticipantOnStage struct {
	Object   string `json:"object" enum:"participant" doc:"Always participant."`
	Identity string `json:"identity" doc:"Connection identity."`
	OnStage  bool   `json:"on_stage" doc:"Whether they are on stage now."`
}

// ParticipantRemoved is the result of removing somebody.
type ParticipantRemoved struct {
	Object   string `json:"object" enum:"participant" doc:"Always participant."`
	Identity string `json:"identity" doc:"Connection identity."`
	Removed  bool   `json:"removed" doc:"Always true."`
}

// RoomEnded is the result of ending a meeting.
type RoomEnded struct {
	Object string `json:"object" enum:"room" doc:"Always room."`
	ID     string `json:"id" format:"uuid" doc:"The room, which remains."`
	Ended  bool   `json:"ended" doc:"Always true."`
}
