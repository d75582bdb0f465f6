package join

import (
	"cmp"
	"context"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/id"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// LookUp returns the data of a room's page before the visitor joins.
func (s *Service) LookUp(ctx context.Context, visit Visit, p Proofs) (LookUpAnswer, error) {
	var out LookUpAnswer
	err := s.DB.Read(ctx, func(tx *db.Tx) error {
		v, err := s.who(ctx, tx, visit, p)
		if err != nil {
			return err
		}
		reason, err := s.reason(ctx, tx, v)
		if err != nil {
			return err
		}
		out = lookUpAnswer(v, s.PublicURL, reason)
		out.MayUnlock, err = s.mayUnlock(ctx, tx, v, reason)
		if err != nil {
			return err
		}
		next, err := s.planned(ctx, tx, v, reason)
		if err == nil && next != nil {
			out.Next = &Planned{Title: next.Title, StartsAt: api.At(next.Starts), EndsAt: api.At(next.Ends)}
		}
		if err != nil {
			return err
		}
		out.Inside, err = inside(ctx, tx, v, reason)
		return err
	})
	return out, err
}

// MayCome refuses visitors whom the room neither lets in nor lets wait.
func (s *Service) MayCome(ctx context.Context, visit Visit, p Proofs) error {
	return s.DB.Read(ctx, func(tx *db.Tx) error {
		v, err := s.who(ctx, tx, visit, p)
		if err != nil {
			return err
		}
		reason, err := s.reason(ctx, tx, v)
		if err != nil || v.shown(reason).wait() != "" {
			return err
		}
		return v.shown(reason).refusal()
	})
}

// inside finds out what a visitor may know of the people in the meeting; nil when
// that is nothing.
func inside(ctx context.Context, tx *db.Tx, v visitor, reason Reason) (*Inside, error) {
	if !v.mayKnowHowMany(reason) {
		return nil, nil //nolint:nilnil // nothing is an answer of its own
	}
	count, err := seat.CountIn(ctx, tx, v.Room.ID, v.person())
	known := &Inside{Count: count, Names: []string{}}
	if err == nil && count > 0 && v.mayKnowWho(reason) {
		known.Names, err = seat.FirstIn(ctx, tx, v.Room.ID, v.person(), namesShown)
	}
	return known, err
}

// Join gives a visitor a seat, or gives their seat back.
func (s *Service) Join(ctx context.Context, req JoinRequest, p Proofs) (SeatAnswer, error) {
	var out SeatAnswer
	err := s.DB.Write(ctx, func(tx *db.Tx) error {
		v, err := s.who(ctx, tx, req.Visit, p)
		if err != nil {
			return err
		}
		if v.Seat != nil && v.Seat.Status == seat.Removed && v.Link == nil {
			return RemovedFrom.refusal()
		}
		if v.Seat != nil && !keepsSeat(*v.Seat) {
			v.Seat = nil // not theirs any more: they get a new one
		}
		reason, err := s.reason(ctx, tx, v)
		switch {
		case err != nil:
			return err
		case reason == Enter:
			out, err = s.seat(ctx, tx, v, req, p)
		case reason.wait() != "":
			out, err = s.line(ctx, tx, v, req, reason, p)
		default:
			err = v.shown(reason).refusal()
		}
		return err
	})
	return out, err
}

// keepsSeat says whether a person who comes again with the ticket of a seat gets
// this seat: they are in, may come back, wait, or may ask again. Those who left get it
// back if a host admitted them or made them co-host, which lasts until the meeting ends.
func keepsSeat(held seat.Seat) bool {
	switch held.Status {
	case seat.LetThrough, seat.In, seat.Lost, seat.Waiting, seat.Early, seat.Denied, seat.Expired:
		return true
	case seat.Left:
		return held.Returns()
	case seat.Removed, seat.Over:
	}
	return false
}

// mayBeDenied is how often a person is denied before asking again is refused
// (docs/reference/joining.md): they may knock once more.
const mayBeDenied = 2

// reason is the door's answer about a visitor, who may be denied no more often.
func (s *Service) reason(ctx context.Context, tx *db.Tx, v visitor) (Reason, error) {
	reason, err := ask(ctx, tx, v)
	if err != nil || reason.wait() == "" {
		return reason, err
	}
	denials, err := s.denials(ctx, tx, v)
	if denials >= mayBeDenied {
		reason = NotLetIn
	}
	return reason, err
}

// denials says how often hosts denied a visitor. Denials of an account count even
// if it asks without the ticket of that seat.
func (s *Service) denials(ctx context.Context, tx *db.Tx, v visitor) (int, error) {
	if v.Kind == seat.KindUser {
		return personDenials(ctx, tx, v.Room.ID, seat.UserPerson(v.Account.ID))
	}
	if v.Seat == nil {
		return 0, nil
	}
	return v.Seat.Denials, nil
}

// line puts a visitor in the line. They follow the meeting's
// stream with their ticket and learn there when they may connect.
func (s *Service) line(ctx context.Context, tx *db.Tx, v visitor, req JoinRequest, reason Reason, p Proofs) (SeatAnswer, error) {
	h, err := newcomer(v, req)
	if err != nil {
		return SeatAnswer{}, err
	}
	ticket := ticketFor(v, p.Ticket)
	h.TicketHash, h.OwnInterface, h.Network = seat.TicketHash(ticket), true, s.networkHash(v, p.Network)
	h.Strict = v.Strict && v.Room.Strict()
	held, err := s.wait(ctx, tx, v.Room, h, reason.wait())
	if err != nil {
		return SeatAnswer{}, err
	}
	return SeatAnswer{
		Object: "seat", Identity: held.Identity, Ticket: ticket, Name: held.Name, Role: held.Role, Avatar: api.TextOrNull(held.Avatar),
		Decision: v.shown(reason).decision(),
	}, remember(ctx, tx, v, req.Browser.Or(""), held)
}

// seat gives a seat to a visitor who may enter.
func (s *Service) seat(ctx context.Context, tx *db.Tx, v visitor, req JoinRequest, p Proofs) (SeatAnswer, error) {
	h, err := newcomer(v, req)
	if err != nil {
		return SeatAnswer{}, err
	}
	ticket := ticketFor(v, p.Ticket)
	h.TicketHash, h.OwnInterface, h.Network = seat.TicketHash(ticket), true, s.networkHash(v, p.Network)
	h.Strict = v.Strict && v.Room.Strict()
	theirs, err := seat.OfPerson(ctx, tx, v.Room.ID, seat.Person(h.Identity))
	if err != nil {
		return SeatAnswer{}, err
	}
	held, err := s.enter(ctx, tx, v.Room, h, theirs)
	if err != nil {
		return SeatAnswer{}, err
	}
	token, err := s.mediaToken(ctx, tx, v.Room, held.Holder, held.BreakoutID, TokenLife)
	if err != nil {
		return SeatAnswer{}, err
	}
	out := answerFor(held, ticket, token)
	if v.Link != nil {
		out.RedirectURL = v.Link.RedirectURL
	}
	return out, remember(ctx, tx, v, req.Browser.Or(""), held)
}

// ticketFor returns the same ticket for a visitor who shows the ticket of their
// seat, so that they keep the seat if the answer is lost on the way. Other visitors
// get a new ticket, and replace the device that had the seat before.
func ticketFor(v visitor, held string) string {
	if v.Seat != nil && held != "" && v.Seat.TicketHash == seat.TicketHash(held) {
		return held
	}
	return id.Secret()
}

// newcomer returns the person who takes the seat: its holder, or a new person.
func newcomer(v visitor, req JoinRequest) (seat.Holder, error) {
	if v.Seat != nil {
		h := v.Seat.Holder
		h.Role = v.role()
		if h.OwnName && !v.Seat.Alive() && v.Seat.Status != seat.LetThrough {
			// Nobody has let them in under this name, or they left since.
			h.Name, h.Avatar = req.Name.Or(h.Name), req.Avatar.Or(h.Avatar)
		}
		return h, nil
	}
	if v.Link != nil {
		avatar := ""
		if v.Link.Avatar != nil {
			avatar = *v.Link.Avatar
		}
		name := req.Name.Or(v.Link.Name)
		return seat.Holder{
			Identity: guestIdentity(v.Link.ID), Kind: seat.KindLink, LinkID: v.Link.ID, Name: name, OwnName: name != v.Link.Name, Role: v.Link.Role,
			Avatar: req.Avatar.Or(avatar),
		}, nil
	}
	h := seat.Holder{Identity: guestIdentity(id.Random(16, id.Lower)), Kind: v.Kind, Name: req.Name.Or(""), OwnName: true, Role: v.role(), Avatar: req.Avatar.Or("")}
	if v.Kind == seat.KindUser {
		h.Identity = userIdentity(v.Account.ID)
		h.Name, h.OwnName = cmp.Or(v.Account.Name, h.Name), v.Account.Name == "" // members are in under their account's name
	}
	if h.Name == "" {
		return seat.Holder{}, fault.Parameter("name", api.CodeParameterMissing, "name is required: what should the others call you?")
	}
	return h, nil
}

func answerFor(held seat.Seat, ticket string, t api.RoomToken) SeatAnswer {
	return SeatAnswer{
		Object: "seat", Identity: held.Identity, Ticket: ticket, Name: held.Name, Role: held.Role, Avatar: api.TextOrNull(held.Avatar),
		Decision: "enter", BreakoutID: api.TextOrNull(held.BreakoutID), ServerURL: &t.ServerURL, Token: &t.Token, E2EEPassphrase: api.TextOrNull(t.E2EEPassphrase), ExpiresIn: &t.ExpiresIn,
	}
}

// Renew makes a new media token for the seat of a ticket, to connect again.
func (s *Service) Renew(ctx context.Context, ticket string) (MediaToken, error) {
	var out MediaToken
	err := s.DB.Write(ctx, func(tx *db.Tx) error {
		held, r, err := seat.ByTicket(ctx, tx, ticket)
		if err != nil {
			return err
		}
		if held.Status == seat.LetThrough && (held.Kind == seat.KindToken || !s.Now().Before(held.LetThroughAt.Add(TokenLife))) {
			// They were let through and did not connect in time. A token of the
			// API has ten minutes, even if it was traded for a ticket.
			return fault.New(fault.Unauthenticated, api.CodeTicketInvalid, "The time to connect is over. Join again.")
		}
		v, err := s.visitorOn(ctx, tx, r, held.Kind, &held, nil)
		if err != nil {
			return err
		}
		reason, err := s.reason(ctx, tx, v)
		if err != nil {
			return err
		}
		if reason != Enter {
			return v.shown(reason).refusal()
		}
		h := held.Holder
		h.Role = v.role()
		t, err := s.mediaToken(ctx, tx, r, h, held.BreakoutID, TokenLife)
		out = MediaToken{
			Object: "media_token", ServerURL: t.ServerURL, Token: t.Token, E2EEPassphrase: api.TextOrNull(t.E2EEPassphrase), ExpiresIn: t.ExpiresIn,
			BreakoutID: api.TextOrNull(held.BreakoutID),
		}
		return err
	})
	return out, err
}

// Trade gives a custom interface, which joined with a media token of the API,
// a ticket for its seat.
func (s *Service) Trade(ctx context.Context, token string) (SeatAnswer, error) {
	b, err := s.Keys.read(token, s.Now())
	if err != nil || b.Seat == nil || b.Expired {
		return SeatAnswer{}, fault.New(fault.Unauthenticated, api.CodeTokenInvalid, "This media token is not valid, or has expired.")
	}
	var out SeatAnswer
	err = s.DB.Write(ctx, func(tx *db.Tx) error {
		r, h, theirs, err := s.identify(ctx, tx, b)
		if err != nil {
			return err
		}
		ticket := id.Secret()
		h.TicketHash = seat.TicketHash(ticket)
		held, err := s.enter(ctx, tx, r, h, theirs)
		if err != nil {
			return err
		}
		if held.BreakoutID != b.Breakout {
			// They belong elsewhere and get a token for that media room, which
			// expires at the same time.
			t, err := s.mediaToken(ctx, tx, r, h, held.BreakoutID, b.Life)
			out = answerFor(held, ticket, t)
			return err
		}
		passphrase, err := s.Passphrases.Of(ctx, tx, r, held.BreakoutID, s.Now())
		if err != nil {
			return err
		}
		out = answerFor(held, ticket, api.RoomToken{ServerURL: s.mediaURL(), Token: token, E2EEPassphrase: passphrase, ExpiresIn: int(b.Life.Seconds())})
		return nil
	})
	return out, err
}
