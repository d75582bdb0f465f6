package join

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/id"
	"github.com/conclave-rooms/conclave/internal/identity"
	"github.com/conclave-rooms/conclave/internal/mediaroom"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/schedule"
	"github.com/conclave-rooms/conclave/internal/seat"
	"github.com/conclave-rooms/conclave/internal/stream"
)

// Service lets people in.
type Service struct {
	DB          *db.DB
	Passphrases *mediaroom.Passphrases
	Stream      *stream.Service
	Identity    *identity.Service
	Now         func() time.Time
	PublicURL   string
	Logger      *slog.Logger

	// Next finds the next planned meeting in a room; nil when there is none.
	Next func(ctx context.Context, tx *db.Tx, roomID string) (*schedule.Occurrence, error)
	// PlaceOf returns the breakout of a person who comes in; "" is the main
	// room.
	PlaceOf func(ctx context.Context, tx *db.Tx, roomID, person string) (breakoutID string, err error)
	// OnLetIn is called when the gate lets a device into the media room of its
	// seat, in the same transaction.
	OnLetIn func(ctx context.Context, tx *db.Tx, r room.Room, held seat.Seat) error
	// Connect makes the token with which the gate connects a seat to the media server.
	Connect func(ctx context.Context, r room.Room, held seat.Seat) (string, error)
	// SetRole makes the holder of a seat a host, or a participant again.
	SetRole func(ctx context.Context, tx *db.Tx, r room.Room, held seat.Seat, role api.Role) error
	// UpdateRoom changes a room for one of its hosts.
	UpdateRoom func(ctx context.Context, tx *db.Tx, before room.Room, u api.RoomUpdate) (room.Room, error)
	// WriteFile writes an occurrence as iCalendar text.
	WriteFile func(o schedule.Occurrence) ([]byte, error)

	Keys Keys
}

// mediaURL is where people's devices connect: this service's own address,
// because the gate is there.
func (s *Service) mediaURL() string { return "ws" + strings.TrimPrefix(s.PublicURL, "http") }

// CreateToken makes a media token for one person. The room may be locked: the
// lock is enforced when the token is used.
func (s *Service) CreateToken(ctx context.Context, p auth.Principal, roomID string, c api.TokenCreate) (api.RoomToken, error) {
	h := seat.Holder{
		Identity: tokenIdentity(c.UserID.Or("")), Kind: seat.KindToken, Name: c.Name,
		Role: api.Role(c.Role.Value), Avatar: c.Avatar.Or(""),
	}
	// Nearly always the passphrase exists and is kept for long enough, and nothing
	// has to be written.
	out, made, err := s.tokenUnwritten(ctx, p, roomID, h)
	if err != nil || made {
		return out, err
	}
	err = s.DB.Write(ctx, func(tx *db.Tx) error {
		r, err := room.FindManaged(ctx, tx, p, roomID)
		if err := refuseStrict(r, err); err != nil {
			return err
		}
		out, err = s.mediaToken(ctx, tx, r, h, "", TokenLife)
		return err
	})
	return out, err
}

// tokenUnwritten makes a media token if nothing has to be written for it; false
// when something has to be.
func (s *Service) tokenUnwritten(ctx context.Context, p auth.Principal, roomID string, h seat.Holder) (api.RoomToken, bool, error) {
	now := s.Now()
	r, passphrase, err := s.Passphrases.OfManaged(ctx, p, roomID, now.Add(TokenLife))
	if err = refuseStrict(r, err); err != nil || passphrase == "" {
		return api.RoomToken{}, false, err
	}
	out, err := s.tokenWith(r, h, "", passphrase, now, TokenLife)
	return out, true, err
}

// refuseStrict refuses a media token for a strict room that was found.
func refuseStrict(r room.Room, err error) error {
	if err == nil && r.Strict() {
		err = fault.Conflicting(api.CodeEncryptionStrict,
			"This room has strict encryption: no passphrase exists on the service, so no media token can be made. Use a join link.")
	}
	return err
}

// mediaToken makes the token and the data with which a client library connects a
// person to one media room: the main one, or that of a breakout.
func (s *Service) mediaToken(ctx context.Context, tx *db.Tx, r room.Room, h seat.Holder, breakoutID string, life time.Duration) (api.RoomToken, error) {
	now := s.Now()
	passphrase, err := s.Passphrases.Of(ctx, tx, r, breakoutID, now.Add(life))
	if err != nil {
		return api.RoomToken{}, err
	}
	return s.tokenWith(r, h, breakoutID, passphrase, now, life)
}

// tokenWith makes the token with a passphrase that is kept for as long as the
// token is valid.
func (s *Service) tokenWith(r room.Room, h seat.Holder, breakoutID, passphrase string, now time.Time, life time.Duration) (api.RoomToken, error) {
	token, err := s.Keys.mint(r, h, breakoutID, now, life)
	if err != nil {
		return api.RoomToken{}, err
	}
	return api.RoomToken{
		Object: "room_token", ServerURL: s.mediaURL(), Token: token, Identity: h.Identity, E2EEPassphrase: passphrase,
		ExpiresIn: int(life.Seconds()),
	}, nil
}

// CreateLink makes a join link. Rooms with strict encryption have them too.
func (s *Service) CreateLink(ctx context.Context, p auth.Principal, roomID string, c api.JoinLinkCreate) (api.JoinLink, error) {
	if err := checkRedirect(s.PublicURL, c.RedirectURL.Ptr()); err != nil {
		return api.JoinLink{}, err
	}
	now := api.At(s.Now()).Time
	secret := id.Secret()
	l := link{
		ID: id.New(), WorkspaceID: p.WorkspaceID, SecretHash: id.Hash(secret), Name: c.Name,
		Role: api.Role(c.Role.Value), UserID: c.UserID.Ptr(), Avatar: c.Avatar.Ptr(), RedirectURL: c.RedirectURL.Ptr(),
		CreatedAt: now, ExpiresAt: now.Add(time.Duration(c.ExpiresIn.Value) * time.Second),
	}
	var out api.JoinLink
	err := s.DB.Write(ctx, func(tx *db.Tx) error {
		r, err := room.FindManaged(ctx, tx, p, roomID)
		if err != nil {
			return err
		}
		l.RoomID = r.ID
		out = l.object(s.PublicURL, r, secret)
		return insertLink(ctx, tx, l)
	})
	return out, err
}

// LetThrough decides about one connection at the gate, and returns the token for the
// media server.
func (s *Service) LetThrough(ctx context.Context, token string) (upstream string, held seat.Seat, err error) {
	b, err := s.bearer(token)
	if err != nil {
		return "", seat.Seat{}, err
	}
	var r room.Room
	err = s.DB.Write(ctx, func(tx *db.Tx) error {
		var (
			h      seat.Holder
			theirs []seat.Seat
		)
		if r, h, theirs, err = s.identify(ctx, tx, b); err != nil {
			return err
		}
		if held, err = s.enter(ctx, tx, r, h, theirs); err != nil {
			return err
		}
		if err := s.connects(b, held); err != nil {
			return err
		}
		return s.OnLetIn(ctx, tx, r, held)
	})
	if err != nil {
		return "", seat.Seat{}, err
	}
	upstream, err = s.Connect(ctx, r, held)
	return upstream, held, err
}

// Whose says for which person and room a token was made. It refuses a token
// that the service did not sign. WouldLetThrough and LetThrough say whether
// this person may come in.
func (s *Service) Whose(token string) (whose, roomID string, err error) {
	b, err := s.bearer(token)
	return b.Identity, b.RoomID, err
}

// WouldLetThrough says whether LetThrough would let the person in, and changes nothing.
// Clients call it to learn why they were refused.
func (s *Service) WouldLetThrough(ctx context.Context, token string) error {
	b, err := s.bearer(token)
	if err != nil {
		return err
	}
	return s.DB.Read(ctx, func(tx *db.Tx) error {
		_, _, theirs, err := s.identify(ctx, tx, b)
		if err != nil {
			return err
		}
		held := among(theirs, b.Identity)
		if held == nil {
			return b.inPlace(seat.Seat{}) // a person with only a token enters the main room
		}
		return s.connects(b, *held)
	})
}

// connects says whether a device of a seat that the door lets through may
// connect now with this token.
func (s *Service) connects(b bearer, held seat.Seat) error {
	if err := held.RefuseLate(s.Now()); err != nil {
		return err
	}
	return b.inPlace(held)
}

func (s *Service) bearer(token string) (bearer, error) {
	b, err := s.Keys.read(token, s.Now())
	if err != nil {
		return b, fault.New(fault.Unauthenticated, api.CodeTokenInvalid, "This media token is not valid.")
	}
	return b, nil
}

// identify decides as which person the bearer of a token may enter, or refuses them.
// theirs are all seats of the person in the room.
func (s *Service) identify(ctx context.Context, tx *db.Tx, b bearer) (r room.Room, h seat.Holder, theirs []seat.Seat, err error) {
	r, err = room.ByID(ctx, tx, b.RoomID)
	if fault.HasCode(err, api.CodeNotFound) {
		err = Gone.refusal()
	}
	if err != nil {
		return r, h, nil, err
	}
	if theirs, err = seat.OfPerson(ctx, tx, r.ID, seat.Person(b.Identity)); err != nil {
		return r, h, nil, err
	}
	held := among(theirs, b.Identity)
	h, known := holderFor(b, held)
	v, err := s.visitorOn(ctx, tx, r, h.Kind, held, theirs)
	if err != nil {
		return r, h, nil, err
	}
	if v.Kind == seat.KindUser {
		h.Role = v.role() // the account's present role, which may differ from the seat's
	}
	reason, err := ask(ctx, tx, v)
	if err != nil {
		return r, h, nil, err
	}
	coming := held != nil && held.Alive()
	switch {
	case reason != Enter:
		err = v.shown(reason).refusal()
	case b.Expired && !coming:
		err = fault.New(fault.Unauthenticated, api.CodeTokenExpired, "This media token has expired. Get a new one to join.")
	case !known, b.Seat == nil && !coming:
		err = fault.New(fault.Unauthenticated, api.CodeTokenInvalid, "This media token does not let anybody new in. Get a new one to join.")
	}
	return r, h, theirs, err
}

// among finds the seat with an identity; nil when it is not among them.
func among(seats []seat.Seat, whose string) *seat.Seat {
	for i := range seats {
		if seats[i].Identity == whose {
			return &seats[i]
		}
	}
	return nil
}

// ask asks the door about a visitor.
func ask(ctx context.Context, tx *db.Tx, v visitor) (Reason, error) {
	hostJoined := true
	if v.Room.Settings.BeforeHost == "wait" { // otherwise it makes no difference
		var err error
		if hostJoined, err = seat.HostJoined(ctx, tx, v.Room.ID); err != nil {
			return Gone, err
		}
	}
	return Door(v.Room, v.coming(), hostJoined), nil
}

// inPlace refuses a token for a media room where its holder does not belong:
// they were moved since it was made.
func (b bearer) inPlace(held seat.Seat) error {
	if b.Breakout == held.BreakoutID {
		return nil
	}
	return fault.New(fault.Forbidden, api.CodeMoved, "You were moved to another room of this meeting. Get a new media token and connect again.")
}

// holderFor works out who a token is for: the holder of the existing seat or, for a
// token of the API, of the seat that it describes. People with a link and people
// from the room's page have their seat already, so their token makes none.
func holderFor(b bearer, held *seat.Seat) (seat.Holder, bool) {
	if held != nil {
		h := held.Holder
		h.Network = "" // it counted when they took the seat
		return h, true
	}
	if b.Seat == nil {
		return seat.Holder{Kind: seat.KindGuest}, false
	}
	return seat.Holder{Identity: b.Identity, Kind: b.Seat.Kind, Name: b.Name, Role: b.Seat.Role, Avatar: b.Seat.Avatar}, b.Seat.Kind == seat.KindToken
}
