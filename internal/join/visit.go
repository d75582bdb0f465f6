package join

import (
	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/seat"
	"github.com/conclave-rooms/conclave/internal/stream"
)

// The objects of the meeting protocol (docs/reference/meeting-protocol.md).

// Visit is how a visitor names a room and themselves: by the room's code, and perhaps
// with the secret of a join link.
type Visit struct {
	Code       string          `json:"code" minLength:"1" maxLength:"64" doc:"The room's code."`
	JoinSecret api.Opt[string] `json:"join_secret,omitzero" minLength:"1" maxLength:"200" doc:"The fragment of a join link."`
	Browser    api.Opt[string] `json:"browser,omitzero" minLength:"16" maxLength:"100" raw:"true" doc:"A random text that this browser keeps, so that a guest who comes back is known for the same person; the service keeps a hash of it and of the room."`
	Strict     api.Opt[int]    `json:"strict,omitzero" minimum:"1" maximum:"1000" doc:"The version of the protocol of strict rooms that the device speaks: 1. Without it, strict rooms are refused."`
}

// JoinRequest asks for a seat.
type JoinRequest struct {
	Visit

	Name   api.Opt[string] `json:"name,omitzero" person:"true" minLength:"1" maxLength:"60" doc:"Display name; a join link has one of its own."`
	Avatar api.Opt[string] `json:"avatar,omitzero" enum:"a01,a02,a03,a04,a05,a06,a07,a08,a09,a10,a11,a12,a13,a14,a15,a16" doc:"Preset picture."`
}

// strictVersion is the version of the protocol of strict rooms
// (docs/reference/meeting-protocol.md) that devices in one meeting speak.
const strictVersion = 1

// speaksStrict says whether a device can make the keys of a strict meeting.
func speaksStrict(version api.Opt[int]) bool { return version.Or(0) == strictVersion }

// Person is what the service knows of a visitor.
type Person struct {
	Name   string   `json:"name"`
	Role   api.Role `json:"role" enum:"host,participant"`
	Avatar *string  `json:"avatar" nullable:"true"`
}

// LookUpAnswer answers a look-up: the data of a room's page before the visitor joins.
type LookUpAnswer struct {
	Object   string           `json:"object" enum:"door"`
	Room     *stream.RoomView `json:"room" nullable:"true" doc:"Null for a stranger to a room for members, who learns nothing of it."`
	Person   *Person          `json:"person" nullable:"true"`
	SignedIn bool             `json:"signed_in" doc:"Whether the visitor comes as the account that is signed in. Its name, where it has one, is the person's."`
	Decision string           `json:"decision" enum:"enter,knock,wait_for_host,refused"`
	Reason   *string          `json:"reason" nullable:"true"`
	Message  *string          `json:"message" nullable:"true"`
	// MayUnlock comes with the reason room_locked.
	MayUnlock bool `json:"may_unlock" doc:"Whether the visitor is one of the room's own hosts, who may unlock it and come in."`

	Next *Planned `json:"next" nullable:"true" doc:"What is under way or planned soonest in the room, within 30 days. Null when nothing is planned, and for people whom a host has to let in."`

	Inside *Inside `json:"inside" nullable:"true" doc:"The people in the meeting, without the visitor. Null for strangers to a room for members, and for everybody who is refused, except members and the room's own hosts while it is locked."`
}

// Inside is what a visitor may know of the people in the meeting. A person counts
// once, whatever the number of their devices.
type Inside struct {
	Count int      `json:"count" doc:"How many people are in the meeting; 0 when none is running."`
	Names []string `json:"names" doc:"The names of at most three of them, in the order in which they came. Empty for visitors who have to wait, and while the room is locked."`
}

// CalendarFile is a file that calendar programs import.
type CalendarFile struct {
	Object string `json:"object" enum:"calendar_file"`
	Name   string `json:"name" doc:"What to call the file when it is saved."`
	Text   string `json:"text" doc:"The file: text/calendar, RFC 5545."`
}

// Planned is a scheduled meeting as a room's page shows it.
type Planned struct {
	Title    string   `json:"title"`
	StartsAt api.Time `json:"starts_at" doc:"When this occurrence starts."`
	EndsAt   api.Time `json:"ends_at" doc:"When this occurrence ends."`
}

// SeatAnswer is a seat with everything that a device needs to connect on it.
type SeatAnswer struct {
	Object         string   `json:"object" enum:"seat"`
	Identity       string   `json:"identity"`
	Ticket         string   `json:"ticket"`
	Name           string   `json:"name"`
	Role           api.Role `json:"role" enum:"host,participant"`
	Avatar         *string  `json:"avatar" nullable:"true"`
	Decision       string   `json:"decision" enum:"enter,knock,wait_for_host" doc:"Whether the person may connect now, or waits."`
	BreakoutID     *string  `json:"breakout_id" nullable:"true" doc:"The breakout whose media room the token is for; null: the main room."`
	ServerURL      *string  `json:"server_url" nullable:"true"`
	Token          *string  `json:"token" nullable:"true"`
	E2EEPassphrase *string  `json:"e2ee_passphrase" nullable:"true" doc:"Null in strict rooms, whose keys devices make."`
	ExpiresIn      *int     `json:"expires_in" nullable:"true"`
	RedirectURL    *string  `json:"redirect_url" nullable:"true"`
}

// MediaToken connects a seat again.
type MediaToken struct {
	Object         string  `json:"object" enum:"media_token"`
	ServerURL      string  `json:"server_url"`
	Token          string  `json:"token"`
	E2EEPassphrase *string `json:"e2ee_passphrase" nullable:"true" doc:"Null in strict rooms, whose keys devices make."`
	ExpiresIn      int     `json:"expires_in"`
	BreakoutID     *string `json:"breakout_id" nullable:"true" doc:"The breakout whose media room the token is for; null: the main room."`
}

// lookUpAnswer puts the decision of the door into words.
func lookUpAnswer(v visitor, publicURL string, reason Reason) LookUpAnswer {
	reason = v.shown(reason)
	a := LookUpAnswer{Object: "door", Person: personOf(v), SignedIn: v.Kind == seat.KindUser, Decision: reason.decision()}
	if !v.coming().stranger(v.Room) {
		view := stream.ViewOf(v.Room, publicURL)
		a.Room = &view
	}
	if reason != Enter {
		code, sentence := string(reason), reason.sentence()
		a.Reason, a.Message = &code, &sentence
	}
	return a
}

func personOf(v visitor) *Person {
	switch {
	case v.Seat != nil:
		return &Person{Name: v.Seat.Name, Role: v.role(), Avatar: api.TextOrNull(v.Seat.Avatar)}
	case v.Link != nil:
		return &Person{Name: v.Link.Name, Role: v.Link.Role, Avatar: v.Link.Avatar}
	case v.Kind == seat.KindUser:
		return &Person{Name: v.Account.Name, Role: v.role()}
	default:
		return nil
	}
}
