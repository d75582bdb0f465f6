package join

import (
	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/live"
	"github.com/conclave-rooms/conclave/internal/room"
)

// Reason is why somebody is not let in; "" lets them in.
type Reason string

// The reasons (docs/reference/meeting-protocol.md).
const (
	Enter            Reason = ""
	Gone             Reason = "not_found"
	RemovedFrom      Reason = live.CodeRemoved
	Locked           Reason = api.CodeRoomLocked
	StrictEncryption Reason = api.CodeEncryptionStrict
	MembersOnly      Reason = api.CodeAccessMembers
	Knock            Reason = api.CodeAdmissionKnock
	BeforeHost       Reason = api.CodeBeforeHost
)

// Door decides whether somebody may enter a room now. seat is the one they had
// there, nil for somebody new; kind is how they come.
//
// Whoever is in stays in, whatever the room's settings have become: a lost
// seat is theirs until the meeting ends. The lock stops everybody else. Access,
// admission and before_host are about the room's own link; tokens and join
// links were handed out by the company itself and go past them.
func Door(r room.Room, seat *live.Seat, kind live.Kind) Reason {
	switch {
	case r.Deleted():
		return Gone
	case seat != nil && seat.Status == live.Removed:
		return RemovedFrom
	case r.Strict():
		return StrictEncryption
	case seat != nil && seat.Alive():
		return Enter
	case r.Locked:
		return Locked
	case kind != live.KindGuest:
		return Enter
	case r.Settings.Access == "members":
		return MembersOnly
	case r.Settings.Admission == "knock":
		return Knock
	case r.Settings.BeforeHost == "wait":
		return BeforeHost
	default:
		return Enter
	}
}

// sentences say each reason to the person it stops.
func (r Reason) sentence() string {
	switch r {
	case RemovedFrom:
		return "You were removed from the meeting."
	case Locked:
		return "This room is locked."
	case StrictEncryption:
		return "This room keeps its keys only on devices, and this version of the service cannot connect anybody to it yet."
	case MembersOnly:
		return "Only members can join this room, and signing in is not possible yet. Ask for a join link."
	case Knock:
		return "A host has to let people into this room, and asking is not possible yet. Ask for a join link."
	case BeforeHost:
		return "People wait for the host in this room, and waiting is not possible yet. Ask for a join link."
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
	case RemovedFrom, MembersOnly, Knock, BeforeHost:
	}
	return fault.New(fault.Forbidden, string(r), r.sentence())
}
