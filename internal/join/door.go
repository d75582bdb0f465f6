package join

import (
	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// Reason is why a person may not enter; "" when they may.
type Reason string

// The reasons (docs/reference/meeting-protocol.md).
const (
	Enter            Reason = ""
	Gone             Reason = "not_found"
	RemovedFrom      Reason = api.CodeRemoved
	Locked           Reason = api.CodeRoomLocked
	StrictEncryption Reason = api.CodeEncryptionStrict
	MembersOnly      Reason = api.CodeAccessMembers
	Knock            Reason = api.CodeAdmissionKnock
	BeforeHost       Reason = api.CodeBeforeHost
	NotLetIn         Reason = api.CodeNotLetIn
)

// Coming is how a person comes to a room, as far as the door needs to know.
type Coming struct {
	Kind seat.Kind
	Relation
	Seat     *seat.Seat // their seat in the room; nil for a new person
	Admitted bool       // a host let them in during this meeting, on any device
	Strict   bool       // their device can make the keys of a strict meeting
}

// Relation is what an account is to a room.
type Relation struct {
	Member bool // of the workspace the room belongs to
	Host   bool // one of the room's own hosts
}

// in says whether a person is in, or may come back without being let in again.
func (c Coming) in() bool { return c.Seat != nil && c.Seat.Alive() }

// stranger says whether a room tells a visitor only that it exists. A room for
// members does so to visitors who are not members and have nothing but its
// link. People who were admitted, or who are in, are not strangers until they are
// removed.
func (c Coming) stranger(r room.Room) bool {
	roomLink := c.Kind == seat.KindGuest || c.Kind == seat.KindUser
	removed := c.Seat != nil && c.Seat.Status == seat.Removed
	known := c.Member || c.Host || c.Admitted || c.in()
	return r.Settings.Access == "members" && roomLink && (removed || !known)
}

// shown is the reason that the person may know. A stranger gets the same reason
// for every kind of waiting.
func (c Coming) shown(r room.Room, reason Reason) Reason {
	if c.stranger(r) && reason.wait() != "" {
		return MembersOnly
	}
	return reason
}

// Door decides whether a person may enter a room now. hostJoined says whether one
// of the room's own hosts has been in the meeting that runs.
//
// People who are in stay in, whatever the room's settings have become: a lost
// seat is theirs until the meeting ends, or too many are lost. The lock stops everybody
// else, hosts too. Access, admission and before_host apply to the room's own link. They
// do not apply to tokens and join links, which the company itself handed out, nor to
// people who were admitted, until the meeting ends. With the room's own link its
// hosts go in directly, and members of the workspace are not outsiders. A stranger
// to a room for members waits in any case: a refusal would tell them that it is
// locked, or how it is encrypted.
func Door(r room.Room, c Coming, hostJoined bool) Reason {
	held := c.Seat
	switch {
	case r.Deleted():
		return Gone
	case held != nil && held.Status == seat.Removed:
		return RemovedFrom
	case c.stranger(r):
		return ownLink(r, c, hostJoined)
	case r.Strict() && !c.Strict:
		return StrictEncryption
	case c.in():
		return Enter
	case r.Locked && held != nil && held.Waits():
		// People who waited before it was locked keep waiting.
		if reason := ownLink(r, c, hostJoined); reason != Enter {
			return reason
		}
		return Knock
	case r.Locked:
		return Locked
	default:
		return ownLink(r, c, hostJoined)
	}
}

// ownLink is the reason that stops a person who comes with the room's own link.
func ownLink(r room.Room, c Coming, hostJoined bool) Reason {
	switch {
	case c.Kind == seat.KindToken, c.Kind == seat.KindLink, c.Admitted, c.Host:
		return Enter
	case r.Settings.BeforeHost == "wait" && !hostJoined:
		return BeforeHost
	case r.Settings.Access == "members" && !c.Member:
		return MembersOnly
	case r.Settings.Admission == "knock":
		return Knock
	default:
		return Enter
	}
}

// wait is the status in which a person waits for this reason; "" when the reason
// is a refusal.
func (r Reason) wait() seat.Status {
	switch r {
	case Knock, MembersOnly:
		return seat.Waiting
	case BeforeHost:
		return seat.Early
	case Enter, Gone, RemovedFrom, Locked, StrictEncryption, NotLetIn:
	}
	return ""
}

// decision is the name of the reason's effect in the meeting protocol.
func (r Reason) decision() string {
	switch r.wait() {
	case seat.Waiting:
		return "knock"
	case seat.Early:
		return "wait_for_host"
	default:
		if r == Enter {
			return "enter"
		}
		return "refused"
	}
}

// sentence explains the reason to the person it stops.
func (r Reason) sentence() string {
	switch r {
	case RemovedFrom:
		return "You were removed from the meeting."
	case Locked:
		return "This room is locked."
	case StrictEncryption:
		return "The keys of this meeting exist only on devices, and this page or app cannot make them. Reload the page, or update the app."
	case MembersOnly:
		return "Only members walk into this room. Sign in if you are one, or ask to join, and a host can let you in."
	case Knock:
		return "A host lets people into this room. Ask to join."
	case BeforeHost:
		return "The meeting begins when a host arrives."
	case NotLetIn:
		return "You were not let in."
	case Gone:
		return "This room does not exist or its link has stopped working."
	case Enter:
	}
	return ""
}

// refusal is the reason as an answer; nil when there is none.
func (r Reason) refusal() error {
	switch r {
	case Enter:
		return nil
	case Gone:
		return &fault.Error{Kind: fault.NotFound, Code: api.CodeNotFound, Message: r.sentence()}
	case StrictEncryption, Locked:
		return fault.Conflicting(string(r), r.sentence())
	case RemovedFrom, MembersOnly, Knock, BeforeHost, NotLetIn:
	}
	return fault.New(fault.Forbidden, string(r), r.sentence())
}
