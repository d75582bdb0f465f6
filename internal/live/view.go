package live

import (
	"slices"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/room"
)

// What the meeting protocol shows of a room and the people in it
// (docs/reference/meeting-protocol.md).

// RoomView is a room as people before and in a meeting see it.
type RoomView struct {
	ID         string       `json:"id"`
	Name       string       `json:"name"`
	Code       string       `json:"code"`
	URL        string       `json:"url"`
	Type       string       `json:"type" enum:"meeting,webinar"`
	Encryption string       `json:"encryption" enum:"standard,strict"`
	Recordings string       `json:"recordings" enum:"workspace,end_to_end"`
	Locked     bool         `json:"locked"`
	Settings   SettingsView `json:"settings"`
}

// SettingsView are the settings a device acts on.
type SettingsView struct {
	Access           string `json:"access" enum:"members,link"`
	Admission        string `json:"admission" enum:"direct,knock"`
	MuteOnEntry      bool   `json:"mute_on_entry"`
	CameraOffOnEntry bool   `json:"camera_off_on_entry"`
	ScreenShare      string `json:"screen_share" enum:"everyone,hosts"`
	Reactions        bool   `json:"reactions"`
	Chat             bool   `json:"chat"`
}

// ViewOf shows a room.
func ViewOf(r room.Room, publicURL string) RoomView {
	return RoomView{
		ID: r.ID, Name: r.Name, Code: r.Code, URL: publicURL + "/" + r.Code, Type: r.Settings.Type, Encryption: r.Settings.Encryption,
		Recordings: r.Settings.Recordings, Locked: r.Locked,
		Settings: SettingsView{
			Access: r.Settings.Access, Admission: r.Settings.Admission,
			MuteOnEntry: r.Settings.MuteOnEntry, CameraOffOnEntry: r.Settings.CameraOffOnEntry, ScreenShare: r.Settings.ScreenShare,
			Reactions: r.Settings.Reactions, Chat: r.Settings.Chat,
		},
	}
}

// youView is the person who watches.
type youView struct {
	Identity   string   `json:"identity"`
	Name       string   `json:"name"`
	Role       api.Role `json:"role"`
	Avatar     *string  `json:"avatar"`
	HandRaised bool     `json:"hand_raised"`
	May        May      `json:"may"`
	Cohost     bool     `json:"cohost"`
	OnStage    bool     `json:"on_stage"`
	// MutedAt changes when a host mutes them.
	MutedAt *api.Time `json:"muted_at"`
}

// personView is somebody in the meeting.
type personView struct {
	Identity     string    `json:"identity"`
	Name         string    `json:"name"`
	Role         api.Role  `json:"role"`
	Avatar       *string   `json:"avatar"`
	HandRaised   bool      `json:"hand_raised"`
	HandRaisedAt *api.Time `json:"hand_raised_at"`
	JoinedAt     api.Time  `json:"joined_at"`
	Cohost       bool      `json:"cohost"`
	OnStage      bool      `json:"on_stage"`
	BreakoutID   *string   `json:"breakout_id"` // where they belong now; null: in the main room
}

// knockingView is somebody who knocks, as hosts see them.
type knockingView struct {
	Identity string   `json:"identity"`
	Name     string   `json:"name"`
	Avatar   *string  `json:"avatar"`
	Since    api.Time `json:"since"`
}

// Knocking picks those whom a host can answer: not those who wait for a host
// to arrive, and not those whose device is gone.
func Knocking(waiting []Seat) []Seat {
	return slices.DeleteFunc(slices.Clone(waiting), func(s Seat) bool { return s.Status != Waiting || !s.Here() })
}

// doorView is where somebody stands: what they wait for, or that they may
// connect.
type doorView struct {
	Decision string    `json:"decision"`
	Since    *api.Time `json:"since"`
}

func (in inside) doorOf(seat Seat) doorView {
	switch {
	case seat.Status == Waiting, in.blank && seat.Waits(): // a stranger is not told whether a host has to arrive or to answer
		return doorView{"knock", api.TimeOrNull(seat.WaitingSince)}
	case seat.Status == Early:
		return doorView{"wait_for_host", api.TimeOrNull(seat.WaitingSince)}
	default:
		return doorView{"enter", nil}
	}
}

// meetingView is the meeting that runs.
type meetingView struct {
	ID        string   `json:"id"`
	StartedAt api.Time `json:"started_at"`
}

// view is what everybody in a room is told alike, ready to send. A room's
// revision tells whether it still holds: every change raises it.
type view struct {
	room                        room.Room
	aboutRoom, meeting, present part
}

// newView shows a room, its running meeting and the people in it.
func newView(r room.Room, m *Meeting, in []Seat, publicURL string) (v view, err error) {
	people := make([]personView, 0, len(in))
	for _, s := range slices.SortedFunc(slices.Values(in), byArrival) {
		p := personView{
			Identity: s.Identity, Name: s.Name, Role: s.RoleNow(), Avatar: api.TextOrNull(s.Avatar), HandRaised: !s.HandRaisedAt.IsZero(), JoinedAt: api.At(s.JoinedAt),
			Cohost: s.Cohost, OnStage: s.OnStage,
		}
		if s.BreakoutID != "" {
			p.BreakoutID = &s.BreakoutID
		}
		p.HandRaisedAt = api.TimeOrNull(s.HandRaisedAt)
		people = append(people, p)
	}
	var meeting *meetingView
	if m != nil {
		meeting = &meetingView{ID: m.ID, StartedAt: api.At(m.StartedAt)}
	}
	v.room = r
	if v.aboutRoom, err = newPart("room", ViewOf(r, publicURL)); err != nil {
		return v, err
	}
	if v.meeting, err = newPart("meeting", meeting); err != nil {
		return v, err
	}
	v.present, err = newPart("people", people)
	return v, err
}

// partsFor is everything the holder of a seat is told, in the order in which a
// new stream sends it.
func (in inside) partsFor(seat Seat) ([]part, error) {
	door, err := newPart("door", in.doorOf(seat))
	if err != nil {
		return nil, err
	}
	may := seat.May(in.room)
	if in.blank {
		may = May{} // what people may do tells how the room is set
	}
	you, err := newPart("you", youView{
		Identity: seat.Identity, Name: seat.Name, Role: seat.RoleNow(), Avatar: api.TextOrNull(seat.Avatar),
		HandRaised: !seat.HandRaisedAt.IsZero(), May: may, Cohost: seat.Cohost, OnStage: seat.OnStage, MutedAt: api.TimeOrNull(seat.MutedAt),
	})
	if err != nil {
		return nil, err
	}
	if in.blank {
		return []part{you, door}, nil
	}
	parts := []part{in.aboutRoom, you, door}
	if !in.whole {
		return parts, nil // who is in is no business of somebody who is not in
	}
	parts = append(parts, in.meeting, in.present)
	if seat.RoleNow() == api.RoleHost {
		parts = append(parts, in.line)
	}
	return append(parts, in.fed...), nil
}

// endOf says why a seat is over, as the last event of its stream; "" while it
// is not. That a meeting ran and was ended, a stranger who waited is not told.
func (in inside) endOf(seat Seat) string {
	end := endOf(seat, in.room)
	if in.blank && end == "ended" && seat.JoinedAt.IsZero() {
		return "expired"
	}
	return end
}

func endOf(seat Seat, r room.Room) string {
	switch seat.Status {
	case Removed:
		return "removed"
	case Left:
		return "left"
	case Over:
		if r.Deleted() {
			return "deleted"
		}
		return "ended"
	case Denied:
		return "denied"
	case Expired:
		return "expired"
	case New, In, Lost, Waiting, Early:
	}
	if r.Deleted() {
		return "deleted"
	}
	return ""
}
