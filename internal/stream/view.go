package stream

import (
	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// The views of a room and the people in it in the meeting protocol
// (docs/reference/meeting-protocol.md).

// RoomView is a room as visitors and participants see it.
type RoomView struct {
	ID         string       `json:"id"`
	Name       string       `json:"name"`
	Code       string       `json:"code"`
	URL        string       `json:"url"`
	Type       string       `json:"type" enum:"meeting,webinar"`
	Encryption string       `json:"encryption" enum:"standard,strict"`
	Recordings string       `json:"recordings" enum:"workspace,end_to_end" doc:"Who keeps the keys of this room's recordings."`
	Locked     bool         `json:"locked"`
	Settings   SettingsView `json:"settings"`
}

// SettingsView are the settings that devices need.
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

// youView is the person who follows the stream.
type youView struct {
	Identity   string    `json:"identity"`
	Name       string    `json:"name"`
	Role       api.Role  `json:"role" enum:"host,participant"`
	Avatar     *string   `json:"avatar"`
	HandRaised bool      `json:"hand_raised"`
	May        seat.May  `json:"may"`
	Cohost     bool      `json:"cohost"`
	OnStage    bool      `json:"on_stage"`
	MutedAt    *api.Time `json:"muted_at" doc:"When a host last muted this person; null if none did."`

	CameraStoppedAt *api.Time `json:"camera_stopped_at" doc:"When a host last stopped this person's camera; null if none did."`
	AskedToUnmuteAt *api.Time `json:"asked_to_unmute_at" doc:"When a host last asked this person to unmute; null if none did."`
}

// knockingView is a person who knocks, as hosts see them.
type knockingView struct {
	Identity string   `json:"identity"`
	Name     string   `json:"name"`
	Avatar   *string  `json:"avatar"`
	Since    api.Time `json:"since"`
}

func knockingViews(knocking []seat.Knocker) []knockingView {
	views := make([]knockingView, len(knocking))
	for i, k := range knocking {
		views[i] = knockingView{Identity: k.Identity, Name: k.Name, Avatar: api.TextOrNull(k.Avatar), Since: api.At(k.Since)}
	}
	return views
}

// doorView is the door's decision: the person waits, or may connect.
type doorView struct {
	Decision string    `json:"decision" enum:"enter,knock,wait_for_host"`
	Since    *api.Time `json:"since"`
}

func (in inside) doorOf(held seat.Seat) doorView {
	switch {
	case held.Status == seat.Waiting, in.blank && held.Waits(): // a stranger does not learn whether they wait for a host to arrive or to answer
		return doorView{"knock", api.TimeOrNull(held.WaitingSince)}
	case held.Status == seat.Early:
		return doorView{"wait_for_host", api.TimeOrNull(held.WaitingSince)}
	default:
		return doorView{"enter", nil}
	}
}

// meetingView is the meeting that runs.
type meetingView struct {
	ID        string   `json:"id"`
	StartedAt api.Time `json:"started_at"`
}

// endView is why a seat is over.
type endView struct {
	Reason string `json:"reason" enum:"ended,removed,deleted,left,denied,expired,elsewhere"`
}

// restartingView is what people read while the service restarts.
type restartingView struct {
	Message string `json:"message"`
}

// view is the parts that are the same for everybody in a room, ready to send. It is
// valid for one revision of the room, which every change raises.
type view struct {
	room               room.Room
	aboutRoom, meeting part
	present            *roster
	seats              map[string]*seat.Seat // of the people who are in, by the hash of their ticket
}

// newView shows a room, its running meeting and the people in it. present is the list
// of people before.
func newView(r room.Room, m *seat.Meeting, in []seat.Seat, present *roster, publicURL string) (v view, err error) {
	var meeting *meetingView
	if m != nil {
		meeting = &meetingView{ID: m.ID, StartedAt: api.At(m.StartedAt)}
	}
	v.room, v.seats = r, make(map[string]*seat.Seat, len(in))
	for i, s := range in {
		v.seats[s.TicketHash] = &in[i]
	}
	if v.aboutRoom, err = newPart("room", ViewOf(r, publicURL)); err != nil {
		return v, err
	}
	if v.meeting, err = newPart("meeting", meeting); err != nil {
		return v, err
	}
	v.present, err = newRoster(in, present)
	return v, err
}

// partsFor returns all parts for the holder of a seat, in the order in which a new
// stream sends them.
func (in inside) partsFor(held seat.Seat) ([]part, error) {
	door, err := newPart("door", in.doorOf(held))
	if err != nil {
		return nil, err
	}
	may := held.May(in.room)
	if in.blank {
		may = seat.May{} // rights would reveal the room's settings
	}
	you, err := newPart("you", youView{
		Identity: held.Identity, Name: held.Name, Role: held.RoleNow(), Avatar: api.TextOrNull(held.Avatar),
		HandRaised: !held.HandRaisedAt.IsZero(), May: may, Cohost: held.Cohost, OnStage: held.OnStage, MutedAt: api.TimeOrNull(held.MutedAt),
		CameraStoppedAt: api.TimeOrNull(held.CameraStoppedAt), AskedToUnmuteAt: api.TimeOrNull(held.AskedToUnmuteAt),
	})
	if err != nil {
		return nil, err
	}
	if in.blank {
		return []part{you, door}, nil
	}
	parts := []part{in.aboutRoom, you, door}
	if !in.whole {
		return append(parts, in.fed...), nil // only people who are in see who is in
	}
	parts = append(parts, in.meeting, in.present.asPart())
	if held.RoleNow() == api.RoleHost {
		parts = append(parts, in.line)
	}
	return append(parts, in.fed...), nil
}

// endOf says why a seat is over, as the last event of its stream; "" while it is
// not. A stranger who waited does not learn that a meeting ran and was ended.
func (in inside) endOf(held seat.Seat) string {
	end := endOf(held, in.room)
	if in.blank && end == "ended" && held.JoinedAt.IsZero() {
		return "expired"
	}
	return end
}

func endOf(held seat.Seat, r room.Room) string {
	switch held.Status {
	case seat.Removed:
		return "removed"
	case seat.Left:
		return "left"
	case seat.Over:
		if r.Deleted() {
			return "deleted"
		}
		return "ended"
	case seat.Denied:
		return "denied"
	case seat.Expired:
		return "expired"
	case seat.LetThrough, seat.In, seat.Lost, seat.Waiting, seat.Early:
	}
	if r.Deleted() {
		return "deleted"
	}
	return ""
}
