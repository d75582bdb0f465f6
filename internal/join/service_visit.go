package join

import (
	"context"
	"errors"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/id"
	"github.com/conclave-rooms/conclave/internal/live"
	"github.com/conclave-rooms/conclave/internal/room"
)

// visitor is somebody before a room.
type visitor struct {
	Room room.Room
	Link *link      // the join link they came with
	Seat *live.Seat // the seat they have already: by their ticket, or by the link
	Kind live.Kind
}

// who finds out who stands before a room: by their ticket after a reload, by
// the secret of a join link, or as a stranger with the room's link.
func (s *Service) who(ctx context.Context, tx *db.Tx, code, secret, ticket string) (visitor, error) {
	r, err := room.ByCode(ctx, tx, code)
	if fault.HasCode(err, api.CodeNotFound) {
		return visitor{}, Gone.refusal()
	}
	if err != nil {
		return visitor{}, err
	}
	v := visitor{Room: r, Kind: live.KindGuest}
	if secret != "" {
		if v.Link, err = linkBySecret(ctx, tx, r.ID, secretHash(secret)); err != nil {
			return v, err
		}
		if v.Link == nil {
			return v, Gone.refusal()
		}
		v.Kind = live.KindLink
	}
	if err := s.recognise(ctx, tx, &v, ticket); err != nil {
		return v, err
	}
	if v.Link != nil && v.Link.expired(s.Now()) && (v.Seat == nil || !v.Seat.Alive()) {
		return v, fault.New(fault.Forbidden, api.CodeLinkExpired, "This link has expired. Ask whoever sent it for a new one.")
	}
	return v, nil
}

// recognise finds the seat the visitor has already. A ticket of another room,
// or of another link, is somebody else's.
func (s *Service) recognise(ctx context.Context, tx *db.Tx, v *visitor, ticket string) error {
	if ticket != "" {
		seat, _, err := s.Live.AnyByTicket(ctx, tx, ticket)
		switch {
		case err == nil && seat.RoomID == v.Room.ID && (v.Link == nil && seat.Kind == live.KindGuest || v.Link != nil && seat.LinkID == v.Link.ID):
			v.Seat = &seat
		case err != nil && !fault.HasCode(err, live.CodeTicketInvalid):
			return err
		}
	}
	if v.Link != nil && (v.Seat == nil || !v.Seat.Alive()) {
		// A second device with the same link takes over from the first.
		living, err := live.SeatOfLink(ctx, tx, v.Link.ID)
		if err != nil {
			return err
		}
		if living != nil {
			v.Seat = living
		}
	}
	return nil
}

// LookUp says what a room's page needs to know before anyone joins.
func (s *Service) LookUp(ctx context.Context, visit Visit, ticket string) (DoorAnswer, error) {
	var out DoorAnswer
	err := s.DB.Read(ctx, func(tx *db.Tx) error {
		v, err := s.who(ctx, tx, visit.Code, visit.JoinSecret.Or(""), ticket)
		if err != nil {
			return err
		}
		reason, err := s.reason(ctx, tx, v)
		out = doorAnswer(v.Room, s.PublicURL, personOf(v.Seat, v.Link), reason)
		return err
	})
	return out, err
}

// Join gives a visitor a seat, or theirs back.
func (s *Service) Join(ctx context.Context, req JoinRequest, ticket string) (SeatAnswer, error) {
	var out SeatAnswer
	err := s.DB.Write(ctx, func(tx *db.Tx) error {
		v, err := s.who(ctx, tx, req.Code, req.JoinSecret.Or(""), ticket)
		if err != nil {
			return err
		}
		if v.Seat != nil && v.Seat.Status == live.Removed && ticket != "" && v.Kind == live.KindGuest {
			return RemovedFrom.refusal()
		}
		if v.Seat != nil && !keepsSeat(*v.Seat) {
			v.Seat = nil // theirs no longer: they come anew
		}
		reason, err := s.reason(ctx, tx, v)
		switch {
		case err != nil:
			return err
		case reason == Enter:
			out, err = s.seat(ctx, tx, v, req, ticket)
		case reason.wait() != "":
			out, err = s.line(ctx, tx, v, req, reason, ticket)
		default:
			err = reason.refusal()
		}
		return err
	})
	return out, err
}

// keepsSeat says whether a seat is still somebody's who comes again with its
// ticket: they are in, may come back, wait, or may ask again. Whoever was let
// in by a host and left comes back without knocking.
func keepsSeat(seat live.Seat) bool {
	switch seat.Status {
	case live.New, live.In, live.Lost, live.Waiting, live.Early, live.Denied, live.Expired:
		return true
	case live.Left:
		return seat.Admitted
	case live.Removed, live.Over:
	}
	return false
}

// mayBeDenied is how often somebody is turned away before asking again is
// refused (docs/reference/joining.md): they may knock once more.
const mayBeDenied = 2

// reason asks the door about a visitor.
func (s *Service) reason(ctx context.Context, tx *db.Tx, v visitor) (Reason, error) {
	hostJoined, err := live.HostJoined(ctx, tx, v.Room.ID)
	if err != nil {
		return Gone, err
	}
	reason := Door(v.Room, v.Seat, v.Kind, hostJoined)
	if reason.wait() != "" && v.Seat != nil && v.Seat.Denials >= mayBeDenied {
		reason = NotLetIn
	}
	return reason, nil
}

// line puts a visitor in the line before the door. They follow the meeting's
// events with their ticket and learn there when they may connect.
func (s *Service) line(ctx context.Context, tx *db.Tx, v visitor, req JoinRequest, reason Reason, held string) (SeatAnswer, error) {
	e, err := newcomer(v, req)
	if err != nil {
		return SeatAnswer{}, err
	}
	ticket := ticketFor(v, held)
	e.TicketHash, e.OwnInterface = live.TicketHash(ticket), true
	seat, err := s.Live.Wait(ctx, tx, v.Room, e, reason.wait())
	if err != nil {
		return SeatAnswer{}, err
	}
	return SeatAnswer{
		Object: "seat", Identity: seat.Identity, Ticket: ticket, Name: seat.Name, Role: seat.Role, Avatar: avatarOf(seat.Avatar), Decision: reason.decision(),
	}, nil
}

// seat seats a visitor whom the door let through.
func (s *Service) seat(ctx context.Context, tx *db.Tx, v visitor, req JoinRequest, held string) (SeatAnswer, error) {
	e, err := newcomer(v, req)
	if err != nil {
		return SeatAnswer{}, err
	}
	ticket := ticketFor(v, held)
	e.TicketHash, e.OwnInterface = live.TicketHash(ticket), true
	seat, err := s.Live.Enter(ctx, tx, v.Room, e)
	if err != nil {
		return SeatAnswer{}, err
	}
	e.Name, e.Role, e.Avatar = seat.Name, seat.Role, seat.Avatar
	token, err := s.mediaToken(ctx, tx, v.Room, e)
	if err != nil {
		return SeatAnswer{}, err
	}
	out := answerFor(seat, ticket, token)
	if v.Link != nil {
		out.RedirectURL = v.Link.RedirectURL
	}
	return out, nil
}

// ticketFor gives whoever comes back with the ticket of their seat the same one:
// an answer that was lost on the way must not cost them the seat. Everybody
// else gets a new one, and a device that had the seat before is replaced.
func ticketFor(v visitor, held string) string {
	if v.Seat != nil && held != "" && v.Seat.TicketHash == live.TicketHash(held) {
		return held
	}
	return id.Secret()
}

// newcomer says who is to be seated: whose seat it was, or somebody new.
func newcomer(v visitor, req JoinRequest) (live.Entry, error) {
	if v.Seat != nil {
		return live.Entry{
			Identity: v.Seat.Identity, Kind: v.Seat.Kind, LinkID: v.Seat.LinkID, Name: v.Seat.Name, Role: v.Seat.Role, Avatar: v.Seat.Avatar,
		}, nil
	}
	if v.Link != nil {
		avatar := ""
		if v.Link.Avatar != nil {
			avatar = *v.Link.Avatar
		}
		return live.Entry{
			Identity: guestIdentity(v.Link.ID), Kind: live.KindLink, LinkID: v.Link.ID, Name: req.Name.Or(v.Link.Name), Role: v.Link.Role,
			Avatar: req.Avatar.Or(avatar),
		}, nil
	}
	if req.Name.Or("") == "" {
		return live.Entry{}, fault.Parameter("name", api.CodeParameterMissing, "name is required: what should the others call you?")
	}
	return live.Entry{
		Identity: guestIdentity(id.Random(16, id.Lower)), Kind: live.KindGuest, Name: req.Name.Value, Role: api.RoleParticipant, Avatar: req.Avatar.Or(""),
	}, nil
}

func answerFor(seat live.Seat, ticket string, t api.RoomToken) SeatAnswer {
	return SeatAnswer{
		Object: "seat", Identity: seat.Identity, Ticket: ticket, Name: seat.Name, Role: seat.Role, Avatar: avatarOf(seat.Avatar),
		Decision: "enter", ServerURL: &t.ServerURL, Token: &t.Token, E2EEPassphrase: &t.E2EEPassphrase, ExpiresIn: &t.ExpiresIn,
	}
}

// Renew makes a new media token for the seat of a ticket, to connect again.
func (s *Service) Renew(ctx context.Context, ticket string) (MediaToken, error) {
	var out MediaToken
	err := s.DB.Write(ctx, func(tx *db.Tx) error {
		seat, r, err := s.Live.ByTicket(ctx, tx, ticket)
		if err != nil {
			return err
		}
		if seat.Status == live.New && (seat.Kind == live.KindToken || !s.Now().Before(seat.AdmittedAt.Add(TokenLife))) {
			// They were let through and did not connect in time. A token of the
			// API has ten minutes, whatever it was traded for.
			return fault.New(fault.Unauthenticated, api.CodeTicketInvalid, "The time to connect is over. Join again.")
		}
		reason, err := s.reason(ctx, tx, visitor{Room: r, Seat: &seat, Kind: seat.Kind})
		if err != nil || reason != Enter {
			return errors.Join(err, reason.refusal())
		}
		t, err := s.mediaToken(ctx, tx, r, live.Entry{Identity: seat.Identity, Kind: seat.Kind, Name: seat.Name, Role: seat.Role, Avatar: seat.Avatar})
		out = MediaToken{Object: "media_token", ServerURL: t.ServerURL, Token: t.Token, E2EEPassphrase: t.E2EEPassphrase, ExpiresIn: t.ExpiresIn}
		return err
	})
	return out, err
}

// Trade gives a custom interface, which joined with a media token of the API,
// a ticket for its seat.
func (s *Service) Trade(ctx context.Context, token string) (SeatAnswer, error) {
	b, err := s.tokens.read(token, s.Now())
	if err != nil || b.Seat == nil || b.Expired {
		return SeatAnswer{}, fault.New(fault.Unauthenticated, api.CodeTokenInvalid, "This media token is not valid, or has expired.")
	}
	var out SeatAnswer
	err = s.DB.Write(ctx, func(tx *db.Tx) error {
		r, seat, err := s.admit(ctx, tx, b)
		if err != nil {
			return err
		}
		ticket := id.Secret()
		e, _ := entryFor(b, &seat)
		e.TicketHash = live.TicketHash(ticket)
		if seat, err = s.Live.Enter(ctx, tx, r, e); err != nil {
			return err
		}
		passphrase, err := s.Live.Passphrase(ctx, tx, r.ID, s.Now())
		if err != nil {
			return err
		}
		out = answerFor(seat, ticket, api.RoomToken{ServerURL: s.mediaURL(), Token: token, E2EEPassphrase: passphrase, ExpiresIn: int(b.Life.Seconds())})
		return nil
	})
	return out, err
}
