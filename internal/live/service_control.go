package live

import (
	"context"
	"slices"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// A Chair directs a meeting: a key of the API, a member who is signed in, or a
// host in the meeting. All do the same things through the same functions, and the same events follow.
//
//	                       mute, remove   admit, deny      end    co-host, stage   settings, lock
//	key with the scope          x        if its creator     x     if its creator    (PATCH room)
//	                                     manages the room         manages the room
//	member who manages
//	the room, signed in         x              x            x           x                x
//	the room's own host         x              x            x           x                x
//	co-host                     x              x
//
// A co-host removes none of the room's own hosts, and sends none to a breakout.
type Chair struct {
	Room room.Room
	Seat *seat.Seat // of a host in the meeting; nil for a key, and for a member who is signed in

	// Member is who is signed in, outside the meeting; the zero Principal for a
	// key and for a host in the meeting.
	Member auth.Principal

	// Lacks is what the key lacks, said once everything that the path names
	// was found.
	Lacks error
}

// Name is what people read of who is in the chair; empty for a key.
func (c Chair) Name() string {
	if c.Seat != nil {
		return c.Seat.Name
	}
	return c.Member.Name
}

// Person is the participant id of who is in the chair; empty for a key.
func (c Chair) Person() string {
	switch {
	case c.Seat != nil:
		return seat.Person(c.Seat.Identity)
	case c.Member.Session:
		return seat.UserPerson(c.Member.AccountID)
	default:
		return ""
	}
}

// Power is what an act needs of the chair.
type Power int

// What acts need.
const (
	Directs  Power = iota + 1 // any host or co-host; any key with the scope
	Owns                      // the room's own hosts; any key with the scope
	Admits                    // any host or co-host; a key whose creator manages the room
	Appoints                  // the room's own hosts; a key whose creator manages the room
)

// ByKey puts the caller of the API in the chair: a key, or a signed-in member
// who manages the room.
func ByKey(p auth.Principal, roomID string) func(context.Context, *db.Tx, Power) (Chair, error) {
	return func(ctx context.Context, tx *db.Tx, needed Power) (Chair, error) {
		r, err := room.FindManaged(ctx, tx, p, roomID)
		if err != nil {
			return Chair{}, err
		}
		if p.Session {
			return Chair{Room: r, Member: p}, nil
		}
		if (needed == Appoints || needed == Admits) && !r.ManagedBy(p) {
			return Chair{Room: r, Lacks: room.NotManaged(p)}, nil
		}
		return Chair{Room: r}, nil
	}
}

// ByHost seats a host who is in the meeting in the chair.
func ByHost(ticket string, now func() time.Time) func(context.Context, *db.Tx, Power) (Chair, error) {
	return func(ctx context.Context, tx *db.Tx, needed Power) (Chair, error) {
		held, r, err := seat.ByTicket(ctx, tx, ticket)
		if err != nil {
			return Chair{}, err
		}
		if !held.Takes(now()) || !held.OwnHost() && (!held.Cohost || needed != Directs && needed != Admits) {
			return Chair{}, fault.New(fault.Forbidden, api.CodeHostOnly, "Only a host of this room can do this.")
		}
		return Chair{Room: r, Seat: &held}, nil
	}
}

// Cohost says whether a co-host is in the chair.
func (c Chair) Cohost() bool { return c.Seat != nil && !c.Seat.OwnHost() }

// Spares refuses a co-host what only the room's own hosts and keys do to one of
// its own hosts: to send them away, or elsewhere.
func (c Chair) Spares(seats []seat.Seat) error {
	if !c.Cohost() || !slices.ContainsFunc(seats, seat.Seat.OwnHost) {
		return nil
	}
	return ErrOwnHost()
}

// ErrOwnHost refuses a co-host who wants to send an own host away or elsewhere.
func ErrOwnHost() error {
	return fault.New(fault.Forbidden, api.CodeOwnHost,
		"This person is one of the room's own hosts. A co-host cannot remove them or move them to another room.")
}

// By is how somebody takes the chair; ByKey and ByHost make them.
type By = func(context.Context, *db.Tx, Power) (Chair, error)

// present finds the connections of somebody who is in the meeting. What is
// named is a connection, or a person with all their connections.
func present(ctx context.Context, tx *db.Tx, roomID, identity string) ([]seat.Seat, error) {
	var found []seat.Seat
	one, err := seat.ByIdentity(ctx, tx, roomID, identity)
	if err != nil {
		return nil, err
	}
	all, err := seat.OfPerson(ctx, tx, roomID, identity)
	if err != nil {
		return nil, err
	}
	if one != nil {
		all = append(all, *one)
	}
	for _, held := range all {
		if held.Status == seat.In {
			found = append(found, held)
		}
	}
	if len(found) == 0 {
		return nil, fault.MissingParam("identity", "Nobody with this identity is in the meeting now.")
	}
	return found, nil
}

// removable finds every seat of a person who is in, may come back in, or was
// let through: whoever lost the connection a moment ago must be as removable
// as whoever is heard. What is named is a connection or a person.
func removable(ctx context.Context, tx *db.Tx, roomID, identity string) ([]seat.Seat, error) {
	person := identity
	one, err := seat.ByIdentity(ctx, tx, roomID, identity)
	if err != nil {
		return nil, err
	}
	if one != nil {
		person = seat.Person(identity)
	}
	all, err := seat.OfPerson(ctx, tx, roomID, person)
	if err != nil {
		return nil, err
	}
	var found []seat.Seat
	for _, held := range all {
		if held.Alive() || held.Status == seat.New || held.Status == seat.Left && held.Admitted {
			found = append(found, held)
		}
	}
	if len(found) == 0 {
		return nil, fault.MissingParam("identity", "Nobody with this identity is in the meeting now.")
	}
	return found, nil
}

// everywhere gives all seats of the person behind a connection: what is given
// to a person is given on every device, and what is taken is also taken from
// the seats they left, which hand it on when they come back.
func everywhere(ctx context.Context, tx *db.Tx, roomID string, held seat.Seat) ([]seat.Seat, error) {
	all, err := seat.OfPerson(ctx, tx, roomID, seat.Person(held.Identity))
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(one seat.Seat) bool { return !one.Alive() && one.Status != seat.New && one.Status != seat.Left }), nil
}

// Remove sends a person away, on all their devices. These identities never
// connect again; with a new token or link the person may return, unless the
// room is locked.
func (s *Service) Remove(ctx context.Context, by By, identity string) error {
	var (
		c    Chair
		gone []seat.Seat
	)
	err := s.DB.Write(ctx, func(tx *db.Tx) (err error) {
		if c, err = by(ctx, tx, Directs); err != nil {
			return err
		}
		if gone, err = removable(ctx, tx, c.Room.ID, identity); err != nil {
			return err
		}
		if err := c.Spares(gone); err != nil {
			return err
		}
		for _, held := range gone {
			d := departure{Seat: held, Reason: ReasonRemoved, Status: seat.Removed}
			if err := s.giveUp(ctx, tx, state{Room: c.Room}, held, d); err != nil {
				return err
			}
		}
		tx.AfterCommit(func() { s.Ask(c.Room.ID) })
		return s.Stream.Changed(ctx, tx, c.Room.ID)
	})
	if err != nil {
		return err
	}
	for _, held := range gone {
		// The media server tells the client that it was removed; cutting the
		// connection first would make it try to come back.
		s.try("disconnect somebody who was removed", state{Room: c.Room}, s.Media.Remove(ctx, held.MediaRoom(), held.Identity))
		s.Cut(held.Identity)
	}
	return nil
}

// SetCohost gives a person a host's powers for this meeting, or takes them
// back. Nobody takes them from the room's own hosts.
func (s *Service) SetCohost(ctx context.Context, by By, identity string, cohost bool) error {
	return s.appointing(ctx, by, identity, cohost, func(_ room.Room, held seat.Seat) error {
		if !cohost && held.OwnHost() {
			return fault.New(fault.Invalid, api.CodeNotACohost, "This person is one of the room's own hosts, not a co-host.")
		}
		return nil
	}, func(ctx context.Context, tx *db.Tx, _ room.Room, held seat.Seat) (bool, error) {
		if held.OwnHost() || held.Cohost == cohost || cohost && held.Kind == seat.KindToken && held.Status == seat.Lost {
			return false, nil // to somebody with a token it is given while they are connected
		}
		before := held
		held.Cohost = cohost
		if err := seat.Save(ctx, tx, held); err != nil {
			return true, err
		}
		return true, s.powersGone(ctx, tx, before)
	})
}

// SetStage invites somebody of a webinar's audience to speak, or sends them
// back. Back in the audience their microphone, camera and screen stop at once.
func (s *Service) SetStage(ctx context.Context, by By, identity string, onStage bool) error {
	return s.appointing(ctx, by, identity, onStage, func(r room.Room, held seat.Seat) error {
		switch {
		case !r.Webinar():
			return fault.New(fault.Invalid, api.CodeNotAWebinar, "This room is a meeting: it has no audience, and so no stage.")
		case held.RoleNow() == api.RoleHost:
			return fault.New(fault.Invalid, api.CodeAlreadyHost, "Hosts and co-hosts speak anyway.")
		default:
			return nil
		}
	}, func(ctx context.Context, tx *db.Tx, r room.Room, held seat.Seat) (bool, error) {
		if held.OnStage == onStage || held.RoleNow() == api.RoleHost {
			return false, nil
		}
		held.OnStage = onStage
		if err := seat.Save(ctx, tx, held); err != nil || held.Status != seat.In {
			return true, err
		}
		return true, s.Events.Append(ctx, tx, r.WorkspaceID, api.EventParticipantStageChanged, api.StageEvent{
			Room: r.Ref(), Participant: held.Ref(), OnStage: onStage, OccurredAt: api.At(s.Now()),
		})
	})
}

// appointing changes what a person is in this meeting, on every device, once
// check has nothing against it. What they may do follows at once. Something is
// given to whoever is in; it is taken from whoever has it, also from those who
// lost the connection and could come back with it.
func (s *Service) appointing(ctx context.Context, by By, identity string, gives bool,
	check func(room.Room, seat.Seat) error, change func(context.Context, *db.Tx, room.Room, seat.Seat) (bool, error),
) error {
	return s.DB.Write(ctx, func(tx *db.Tx) error {
		c, err := by(ctx, tx, Appoints)
		if err != nil {
			return err
		}
		find := removable
		if gives {
			find = present
		}
		targets, err := find(ctx, tx, c.Room.ID, identity)
		if err != nil {
			return err
		}
		if c.Lacks != nil {
			return c.Lacks
		}
		if err := check(c.Room, targets[0]); err != nil {
			return err
		}
		all, err := everywhere(ctx, tx, c.Room.ID, targets[0])
		if err != nil {
			return err
		}
		different := false
		for _, held := range all {
			changed, err := change(ctx, tx, c.Room, held)
			if err != nil {
				return err
			}
			different = different || changed
		}
		if !different {
			return nil
		}
		tx.AfterCommit(func() { s.Ask(c.Room.ID) })
		return s.Stream.Changed(ctx, tx, c.Room.ID)
	})
}

// End ends the running meeting for everyone; the room and its link remain.
// With nothing running there is nothing to do.
func (s *Service) End(ctx context.Context, by By) (room.Room, error) {
	var c Chair
	err := s.DB.Write(ctx, func(tx *db.Tx) (err error) {
		if c, err = by(ctx, tx, Owns); err != nil {
			return err
		}
		running, err := seat.Running(ctx, tx, c.Room.ID)
		if err != nil {
			return err
		}
		if !running {
			return s.OnEnd(ctx, tx, c.Room) // breakouts may be open before anybody came
		}
		return s.endNow(ctx, tx, c.Room, ReasonEnded)
	})
	return c.Room, err
}

// ChangeRoom changes the room's settings and lock for one of its own hosts,
// exactly as the API would.
func (s *Service) ChangeRoom(ctx context.Context, ticket string, u api.RoomUpdate) (room.Room, error) {
	var c Chair
	err := s.DB.Read(ctx, func(tx *db.Tx) (err error) {
		c, err = ByHost(ticket, s.Now)(ctx, tx, Owns)
		return err
	})
	if err != nil {
		return room.Room{}, err
	}
	return s.UpdateRoom(ctx, auth.Principal{WorkspaceID: c.Room.WorkspaceID}, c.Room.ID, u)
}
