package join

import (
	"context"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/id"
	"github.com/conclave-rooms/conclave/internal/identity"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// Proofs are a browser's proofs of who the visitor is.
type Proofs struct {
	Ticket  string // of the seat they had before a reload
	Session string // of the account that is signed in
	Network string // they come from; "" where limits are off
}

// visitor is a person at a room's link who is not in the meeting.
type visitor struct {
	Room     room.Room
	Link     *link       // the join link they came with
	Seat     *seat.Seat  // the seat that they have already, found by their ticket or by the link
	Theirs   []seat.Seat // all seats of the person, once they were read
	Kind     seat.Kind
	Account  identity.Account // their account; only its id when they have a seat already
	Relation Relation
	Admitted bool // a host let the person in, on this device or another
	Strict   bool // their device can make the keys of a strict meeting
}

// coming is what the door needs to know about the visitor.
func (v visitor) coming() Coming {
	return Coming{Kind: v.Kind, Relation: v.Relation, Seat: v.Seat, Admitted: v.Admitted, Strict: v.Strict}
}

// shown is the door's reason as the visitor may know it.
func (v visitor) shown(reason Reason) Reason { return v.coming().shown(v.Room, reason) }

// mayKnowPlans says whether a visitor who got this reason from the door may see
// the room's planned meetings. Members may, who also see them on their start page,
// and everybody who needs no host to let them in.
func (v visitor) mayKnowPlans(reason Reason) bool {
	if v.Relation.Member {
		return true
	}
	return reason == Enter || reason == BeforeHost && Door(v.Room, v.coming(), true) == Enter
}

// role is what the visitor would be in the meeting.
func (v visitor) role() api.Role {
	switch {
	case v.Kind == seat.KindUser && v.Relation.Host:
		return api.RoleHost
	case v.Kind == seat.KindUser, v.Seat == nil:
		return api.RoleParticipant
	default:
		return v.Seat.Role
	}
}

// who finds out who the visitor is: by their ticket after a reload, by the secret
// of a join link, as the account that is signed in, by the browser in which they were
// here before, or as a stranger with the room's link. A person with a join link is the
// person it was made for, signed in or not.
func (s *Service) who(ctx context.Context, tx *db.Tx, visit Visit, p Proofs) (visitor, error) {
	r, err := room.ByCode(ctx, tx, visit.Code)
	if fault.HasCode(err, api.CodeNotFound) {
		return visitor{}, Gone.refusal()
	}
	if err != nil {
		return visitor{}, err
	}
	v := visitor{Room: r, Kind: seat.KindGuest, Strict: speaksStrict(visit.Strict)}
	if secret := visit.JoinSecret.Or(""); secret != "" {
		return s.byLink(ctx, tx, v, secret, p.Ticket)
	}
	account, signedIn, err := s.Identity.Visitor(ctx, tx, p.Session)
	if err != nil {
		return v, err
	}
	held, err := s.heldSeat(ctx, tx, r, p.Ticket)
	if err != nil {
		return v, err
	}
	stays := held != nil && held.Kind == seat.KindGuest && held.Alive() // a guest who is in and signed in meanwhile stays a guest
	if signedIn && !stays {
		v.Kind, v.Account = seat.KindUser, account
	}
	if held == nil && v.Kind == seat.KindGuest {
		if held, err = seatOfBrowser(ctx, tx, v, visit.Browser.Or("")); err != nil {
			return v, err
		}
	}
	if held != nil && held.Kind == v.Kind && held.Account() == v.Account.ID {
		v.Seat = held
	}
	if err := s.stand(ctx, tx, &v); err != nil {
		return v, err
	}
	if v.Kind == seat.KindUser && v.Seat == nil && Door(r, v.coming(), false) != Enter {
		v.Seat, err = lostByAccount(ctx, tx, r.ID, v.Account.ID)
	}
	return v, err
}

// byLink finds the visitor with a join link.
func (s *Service) byLink(ctx context.Context, tx *db.Tx, v visitor, secret, ticket string) (visitor, error) {
	var err error
	v.Kind = seat.KindLink
	if v.Link, err = linkBySecret(ctx, tx, v.Room.ID, id.Hash(secret)); err != nil {
		return v, err
	}
	if v.Link == nil {
		return v, Gone.refusal()
	}
	held, err := s.heldSeat(ctx, tx, v.Room, ticket)
	if err != nil {
		return v, err
	}
	if held != nil && held.LinkID == v.Link.ID {
		v.Seat = held
	}
	if v.Seat == nil || !v.Seat.Alive() {
		// A second device with the same link takes over from the first.
		living, err := seat.OfLink(ctx, tx, v.Link.ID)
		if err != nil {
			return v, err
		}
		if living != nil {
			v.Seat = living
		}
	}
	if v.Link.expired(s.Now()) && (v.Seat == nil || !v.Seat.Alive()) {
		return v, fault.New(fault.Forbidden, api.CodeLinkExpired, "This link has expired. Ask the person who sent it for a new one.")
	}
	return v, nil
}

// heldSeat finds the seat of a ticket; nil when it is not one of this room.
func (s *Service) heldSeat(ctx context.Context, tx *db.Tx, r room.Room, ticket string) (*seat.Seat, error) {
	if ticket == "" {
		return nil, nil //nolint:nilnil // no seat is an answer, not an error
	}
	held, _, err := seat.AnyByTicket(ctx, tx, ticket)
	switch {
	case fault.HasCode(err, api.CodeTicketInvalid):
		return nil, nil //nolint:nilnil // as above
	case err != nil:
		return nil, err
	case held.RoomID != r.ID:
		return nil, nil //nolint:nilnil // as above
	}
	return &held, nil
}

// visitorOn is the visitor who comes with the ticket or the media token of a seat.
// held is nil for the holder of a token who never came. theirs are all seats of the
// person, or nil if nobody has read them.
func (s *Service) visitorOn(ctx context.Context, tx *db.Tx, r room.Room, kind seat.Kind, held *seat.Seat, theirs []seat.Seat) (visitor, error) {
	v := visitor{Room: r, Kind: kind, Seat: held, Theirs: theirs}
	if held != nil {
		v.Account.ID, v.Strict = held.Account(), held.Strict
	}
	return v, s.stand(ctx, tx, &v)
}

// stand finds out what a visitor's account is to the room now, and whether a host
// admitted them.
func (s *Service) stand(ctx context.Context, tx *db.Tx, v *visitor) (err error) {
	v.Admitted = v.Seat != nil && v.Seat.Admitted
	if v.Kind != seat.KindUser {
		return nil
	}
	if v.Relation, err = s.relation(ctx, tx, v.Room, v.Account.ID); err != nil {
		return err
	}
	if v.Theirs == nil {
		v.Theirs, err = seat.OfPerson(ctx, tx, v.Room.ID, seat.UserPerson(v.Account.ID))
	}
	for _, held := range v.Theirs {
		v.Admitted = v.Admitted || held.StillAdmitted()
	}
	return err
}

// relation finds out what an account is to a room. An account that made the room
// and is no longer a member is an outsider.
func (s *Service) relation(ctx context.Context, tx *db.Tx, r room.Room, accountID string) (Relation, error) {
	is, err := s.Identity.RoleIn(ctx, tx, r.WorkspaceID, accountID)
	manages := r.ManagedBy(auth.Principal{WorkspaceID: r.WorkspaceID, AccountID: accountID, ManagesAll: is.ManagesRooms})
	return Relation{Member: is.Member, Host: is.Member && manages}, err
}

// MayKnow says whether a person who is not in the meeting may know about its room.
func (s *Service) MayKnow(ctx context.Context, tx *db.Tx, r room.Room, held seat.Seat) (bool, error) {
	v, err := s.visitorOn(ctx, tx, r, held.Kind, &held, nil)
	return !v.coming().stranger(r), err
}
