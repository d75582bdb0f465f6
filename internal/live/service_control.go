package live

import (
	"context"
	"slices"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/actor"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// present finds the connections of a person who is in the meeting. identity
// names a connection, or a person with all their connections.
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
// let through: a person who lost the connection a moment ago can be removed too.
// Their other seats are among them if these give them something when they come back
// (seat.Returns). identity names a connection or a person.
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
		if held.Alive() || held.Status == seat.LetThrough || held.Returns() {
			found = append(found, held)
		}
	}
	if len(found) == 0 {
		return nil, fault.MissingParam("identity", "Nobody with this identity is in the meeting now.")
	}
	return found, nil
}

// everywhere returns all seats of the person behind a connection. Rights are given
// to a person on every device. They are also taken from the seats that the person
// left, or on which they wait, because a new seat inherits from these when the person
// comes back.
func everywhere(ctx context.Context, tx *db.Tx, roomID string, held seat.Seat) ([]seat.Seat, error) {
	all, err := seat.OfPerson(ctx, tx, roomID, seat.Person(held.Identity))
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(one seat.Seat) bool {
		return !one.Alive() && one.Status != seat.LetThrough && one.Status != seat.Left && !one.Returns()
	}), nil
}

// Remove removes a person on all their devices. These identities never connect
// again. With a new token or link the person may return, unless the room is
// locked.
func (s *Service) Remove(ctx context.Context, authorize actor.Authorize, identity string) error {
	var (
		by   actor.Actor
		gone []seat.Seat
	)
	err := s.DB.Write(ctx, func(tx *db.Tx) (err error) {
		if by, err = authorize(ctx, tx, actor.Directs); err != nil {
			return err
		}
		if gone, err = removable(ctx, tx, by.Room.ID, identity); err != nil {
			return err
		}
		if err := by.RefuseOwnHosts(gone); err != nil {
			return err
		}
		for _, held := range gone {
			d := departure{Seat: held, Reason: reasonRemoved, Status: seat.Removed}
			if err := s.giveUp(ctx, tx, state{Room: by.Room}, held, d); err != nil {
				return err
			}
		}
		tx.AfterCommit(func() { s.RequestSync(by.Room.ID) })
		if slices.ContainsFunc(gone, seat.Seat.Waits) {
			return s.Stream.DoorChanged(ctx, tx, by.Room.ID) // people in the line follow, too
		}
		return s.Stream.Changed(ctx, tx, by.Room.ID)
	})
	if err != nil {
		return err
	}
	for _, held := range gone {
		// The media server tells the client that it was removed; cutting the
		// connection first would make it try to come back.
		s.try("disconnect a person who was removed", state{Room: by.Room}, s.Media.Remove(ctx, held.MediaRoom(), held.Identity, ""))
		s.Cut(held.Identity)
	}
	return nil
}

// SetCohost gives a person a host's powers for this meeting, or takes them
// back. The room's own hosts keep theirs in any case.
func (s *Service) SetCohost(ctx context.Context, authorize actor.Authorize, identity string, cohost bool) error {
	return s.appointing(ctx, authorize, identity, cohost, func(_ room.Room, theirs, _ []seat.Seat) error {
		// An own host may be co-host on a device on which they came as a participant.
		given := slices.ContainsFunc(theirs, func(held seat.Seat) bool { return held.Cohost && !held.OwnHost() })
		if !cohost && !given && slices.ContainsFunc(theirs, seat.Seat.OwnHost) {
			return fault.New(fault.Invalid, api.CodeNotACohost, "This person is one of the room's own hosts, not a co-host.")
		}
		return nil
	}, func(ctx context.Context, tx *db.Tx, _ room.Room, held seat.Seat) (bool, error) {
		if held.OwnHost() || held.Cohost == cohost || cohost && held.Kind == seat.KindToken && held.Status == seat.Lost {
			return false, nil // a person with a token is co-host only while connected
		}
		before := held
		held.Cohost = cohost
		if err := seat.Save(ctx, tx, held); err != nil {
			return true, err
		}
		return true, s.onHostLost(ctx, tx, before)
	})
}

// SetStage invites a person in a webinar's audience to speak, which lowers their hand,
// or sends them back. Then their microphone, camera and screen stop at once.
func (s *Service) SetStage(ctx context.Context, authorize actor.Authorize, identity string, onStage bool) error {
	var (
		webinar room.Room
		lowered []seat.Seat
	)
	err := s.appointing(ctx, authorize, identity, onStage, func(r room.Room, _, all []seat.Seat) error {
		webinar, lowered = r, nil // what an earlier run of the transaction found does not count
		switch {
		case !r.Webinar():
			return fault.New(fault.Invalid, api.CodeNotAWebinar, "This room is a meeting: it has no audience, and so no stage.")
		case onStage && slices.ContainsFunc(all, s.takesAsHost):
			return fault.New(fault.Invalid, api.CodeAlreadyHost, "Hosts and co-hosts speak anyway.")
		default:
			return nil
		}
	}, func(ctx context.Context, tx *db.Tx, r room.Room, held seat.Seat) (bool, error) {
		if held.OnStage == onStage || onStage && held.RoleNow() == api.RoleHost {
			return false, nil
		}
		held.OnStage = onStage
		if onStage {
			lowered = append(lowered, held)
		} else {
			held.SpotlitAt = time.Time{}
		}
		// The next Sync would raise the hand of a connected client without a ticket again.
		if onStage && (held.Listens() || held.Status != seat.In) {
			held.HandRaisedAt = time.Time{}
		}
		now := s.Now()
		if err := seat.Save(ctx, tx, held); err != nil || !held.OnStageStill(now) {
			return true, err
		}
		// A device that lost its connection a moment ago has the stage when it comes back.
		return true, s.Events.Append(ctx, tx, r.WorkspaceID, api.EventParticipantStageChanged, api.StageEvent{
			Room: r.Ref(), Participant: held.Ref(), OnStage: onStage, OccurredAt: api.At(now),
		})
	})
	if err != nil {
		return err
	}
	s.showLowered(ctx, webinar, lowered)
	return nil
}

// takesAsHost says whether a person takes part as a host on this seat.
func (s *Service) takesAsHost(held seat.Seat) bool {
	return held.Takes(s.Now()) && held.RoleNow() == api.RoleHost
}

// appointing makes a person co-host, puts them on the stage, or takes this back,
// on every device, if check does not refuse it. check gets the seats that are named,
// and all seats of the person. Their rights change at once. Only people who are in can
// get something. It is taken from everybody who has it, also from people who lost the
// connection and could come back with it.
func (s *Service) appointing(ctx context.Context, authorize actor.Authorize, identity string, gives bool,
	check func(r room.Room, named, all []seat.Seat) error, change func(context.Context, *db.Tx, room.Room, seat.Seat) (bool, error),
) error {
	return s.DB.Write(ctx, func(tx *db.Tx) error {
		by, err := authorize(ctx, tx, actor.Appoints)
		if err != nil {
			return err
		}
		find := removable
		if gives {
			find = present
		}
		targets, err := find(ctx, tx, by.Room.ID, identity)
		if err != nil {
			return err
		}
		if by.Lacks != nil {
			return by.Lacks
		}
		all, err := everywhere(ctx, tx, by.Room.ID, targets[0])
		if err != nil {
			return err
		}
		if err := check(by.Room, targets, all); err != nil {
			return err
		}
		different := false
		for _, held := range all {
			changed, err := change(ctx, tx, by.Room, held)
			if err != nil {
				return err
			}
			different = different || changed
		}
		if !different {
			return nil
		}
		tx.AfterCommit(func() { s.RequestSync(by.Room.ID) })
		return s.Stream.Changed(ctx, tx, by.Room.ID)
	})
}

// End ends the running meeting for everyone; the room and its link remain.
// Without a running meeting it does nothing.
func (s *Service) End(ctx context.Context, authorize actor.Authorize) (room.Room, error) {
	var by actor.Actor
	err := s.DB.Write(ctx, func(tx *db.Tx) (err error) {
		if by, err = authorize(ctx, tx, actor.Owns); err != nil {
			return err
		}
		running, err := seat.Running(ctx, tx, by.Room.ID)
		if err != nil {
			return err
		}
		if !running {
			return s.OnEnd(ctx, tx, by.Room) // breakouts may be open before anybody came
		}
		return s.endNow(ctx, tx, by.Room, reasonEnded)
	})
	return by.Room, err
}

// ChangeRoom changes the room's settings and lock for one of its own hosts,
// exactly as the API would.
func (s *Service) ChangeRoom(ctx context.Context, ticket string, u api.RoomUpdate) (room.Room, error) {
	var after room.Room
	err := s.DB.Write(ctx, func(tx *db.Tx) error {
		by, err := actor.ByHost(ticket, s.Now)(ctx, tx, actor.Owns)
		if err == nil {
			after, err = s.UpdateRoom(ctx, tx, by.Room, u)
		}
		return err
	})
	return after, err
}
