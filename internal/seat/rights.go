package seat

import (
	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/room"
)

// May is what the seat may do in its room now. A breakout has no audience.
func (s Seat) May(r room.Room) May {
	may := Rights(r, s.RoleNow(), s.OnStage || s.BreakoutID != "")
	may.Rename = s.OwnName && !r.Strict()
	return may
}

// May is what a seat may do in its room now.
type May struct {
	Microphone  bool `json:"microphone"`
	Camera      bool `json:"camera"`
	ScreenShare bool `json:"screen_share"`
	Chat        bool `json:"chat"`
	Reactions   bool `json:"reactions"`
	Rename      bool `json:"rename" doc:"Whether they may change their name."`
}

// Rights works out what a role may do in a room. In a webinar the audience
// watches until it is invited to the stage; it chats and reacts as the room
// allows.
func Rights(r room.Room, role api.Role, onStage bool) May {
	speaks := role == api.RoleHost || onStage || !r.Webinar()
	return May{
		Microphone:  speaks,
		Camera:      speaks,
		ScreenShare: speaks && (role == api.RoleHost || r.Settings.ScreenShare == "everyone"),
		Chat:        r.Settings.Chat,
		Reactions:   r.Settings.Reactions,
	}
}
