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
