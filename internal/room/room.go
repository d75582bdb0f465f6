package room

import (
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/id"
)

// Room is a row of the table of rooms.
type Room struct {
	ID          string
	WorkspaceID string
	Code        string
	Name        string
	Description *string
	Locked      bool
	Settings    api.RoomSettings
	CreatedBy   string // the account that made the room; one of its hosts
	CreatedAt   time.Time
	UpdatedAt   time.Time
	DeletedAt   time.Time // zero unless the room was deleted
}

// Deleted reports whether the room was deleted.
func (r Room) Deleted() bool { return !r.DeletedAt.IsZero() }

// Strict reports whether the meeting key exists only on devices.
func (r Room) Strict() bool { return r.Settings.Encryption == "strict" }

// Webinar reports whether the room has an audience that only watches.
func (r Room) Webinar() bool { return r.Settings.Type == TypeWebinar }

// Ref names the room in an event.
func (r Room) Ref() api.RoomRef { return api.RoomRef{ID: r.ID, Code: r.Code, Name: r.Name} }

// The types of rooms.
const (
	TypeMeeting = "meeting"
	TypeWebinar = "webinar"
)

// Object returns the room as the API shows it; publicURL is the service's address.
func (r Room) Object(publicURL string) api.Room {
	return api.Room{
		Object: "room", ID: r.ID, Name: r.Name, Code: r.Code, Description: r.Description, URL: publicURL + "/" + r.Code,
		Locked: r.Locked, WorkspaceID: r.WorkspaceID, TeamID: nil, Settings: r.Settings,
		CreatedAt: api.At(r.CreatedAt), UpdatedAt: api.At(r.UpdatedAt), Deleted: r.Deleted(),
	}
}

// shownTo returns the room as the API shows it to a principal.
func (r Room) shownTo(p auth.Principal, publicURL string) api.Room {
	o := r.Object(publicURL)
	if p.Session {
		managed := r.ManagedBy(p)
		o.Managed = &managed
	}
	return o
}

// ManagedBy reports whether a principal manages the room. The account that made
// the room does, and so do the workspace's owners and admins, and members whose
// role has the right to manage rooms. For an API key, the key's creator counts.
func (r Room) ManagedBy(p auth.Principal) bool {
	return r.WorkspaceID == p.WorkspaceID && (p.ManagesAll || r.CreatedBy == p.AccountID)
}

// NotManaged is the error for a principal who does not manage a room.
func NotManaged(p auth.Principal) error {
	if p.Session {
		return fault.New(fault.Forbidden, api.CodeRoomNotManaged,
			"You do not manage this room. The person who made it does, and so do owners and admins of the workspace.")
	}
	return fault.New(fault.Forbidden, api.CodeRoomNotManaged,
		"The account that made this key does not manage the room. Use a key of the room's maker, or of an owner or admin of the workspace.")
}

// letters are the letters of room codes: without i, l and o, which are easily
// confused when a code is read aloud or copied by hand.
const letters = "abcdefghjkmnpqrstuvwxyz"

// newCode makes a room's code, such as abc-defg-hjk: ten letters out of 23, which
// is 45 bits. The code is a name, not a secret; the room's access setting decides
// what a stranger may do with it.
func newCode() string {
	c := id.Random(10, letters)
	return c[:3] + "-" + c[3:7] + "-" + c[7:]
}
