package api

// Role is what a person is in a meeting.
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
	JoinedAt      Time   `json:"joined_at" doc:"When they came in."`
	AudioMuted    bool   `json:"audio_muted" doc:"No microphone is heard of them."`
	VideoMuted    bool   `json:"video_muted" doc:"No camera is seen of them."`
	ScreenSharing bool   `json:"screen_sharing" doc:"They share their screen."`
	HandRaised    bool   `json:"hand_raised" doc:"Their hand is up."`
}

// ParticipantMuted is the result of muting somebody.
type ParticipantMuted struct {
	Object     string `json:"object" enum:"participant" doc:"Always participant."`
	Identity   string `json:"identity" doc:"Who."`
	AudioMuted bool   `json:"audio_muted" doc:"Always true: only the person can unmute."`
}

// ParticipantCohost is the result of making somebody co-host, or not any more.
type ParticipantCohost struct {
	Object   string `json:"object" enum:"participant" doc:"Always participant."`
	Identity string `json:"identity" doc:"Who."`
	Cohost   bool   `json:"cohost" doc:"Whether they are co-host now."`
}

// ParticipantOnStage is the result of a stage operation.
type ParticipantOnStage struct {
	Object   string `json:"object" enum:"participant" doc:"Always participant."`
	Identity string `json:"identity" doc:"Who."`
	OnStage  bool   `json:"on_stage" doc:"Whether they are on stage now."`
}

// ParticipantRemoved is the result of removing somebody.
type ParticipantRemoved struct {
	Object   string `json:"object" enum:"participant" doc:"Always participant."`
	Identity string `json:"identity" doc:"Who."`
	Removed  bool   `json:"removed" doc:"Always true."`
}

// RoomEnded is the result of ending a meeting.
type RoomEnded struct {
	Object string `json:"object" enum:"room" doc:"Always room."`
	ID     string `json:"id" format:"uuid" doc:"The room, which remains."`
	Ended  bool   `json:"ended" doc:"Always true."`
}
