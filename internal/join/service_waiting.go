package join

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/actor"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/loop"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// awayLimit is how long a person who waits may have no device that follows: a reload and a
// lost network take less.
const awayLimit = 30 * time.Second

// Waiting lists the people who knock, oldest first. It leaves out people who wait
// for a host to arrive, because there is nothing to answer.
func (s *Service) Waiting(ctx context.Context, authorize actor.Authorize) ([]seat.Seat, error) {
	var knocking []seat.Seat
	err := s.DB.Read(ctx, func(tx *db.Tx) error {
		by, err := authorize(ctx, tx, actor.Appoints)
		if err == nil {
			err = by.Lacks
		}
		if err != nil {
			return err
		}
		waiting, err := seat.AllWaiting(ctx, tx, by.Room.ID)
		knocking = thatKnock(waiting, s.Now())
		return err
	})
	return knocking, err
}

// thatKnock picks the seats on which people knock.
func thatKnock(waiting []seat.Seat, now time.Time) []seat.Seat {
	return slices.DeleteFunc(slices.Clone(waiting), func(s seat.Seat) bool { return !s.Knocks(now) })
}

// ofPeopleThatKnock picks the seats of people who knock on at least one of them: one
// answer goes to all their devices.
func ofPeopleThatKnock(waiting []seat.Seat, now time.Time) []seat.Seat {
	knocks := map[string]bool{}
	for _, held := range thatKnock(waiting, now) {
		knocks[seat.Person(held.Identity)] = true
	}
	return slices.DeleteFunc(slices.Clone(waiting), func(s seat.Seat) bool { return !s.Answerable(now) || !knocks[seat.Person(s.Identity)] })
}

// Decide admits a person who knocks, or denies them.
func (s *Service) Decide(ctx context.Context, authorize actor.Authorize, identity string, admit bool) error {
	return s.DB.Write(ctx, func(tx *db.Tx) error {
		by, err := authorize(ctx, tx, actor.Admits)
		if err != nil {
			return err
		}
		now := s.Now()
		if _, err := findKnocker(ctx, tx, by.Room, identity, now); err != nil {
			return err
		}
		if by.Lacks != nil {
			return by.Lacks
		}
		theirs, err := waitingOf(ctx, tx, by.Room.ID, seat.Person(identity), now) // one answer for all their devices
		if err != nil {
			return err
		}
		return s.decide(ctx, tx, by.Room, theirs, admit)
	})
}

// knocker reads the seat of a person who knocks. It does not check whether the caller may
// admit people.
func (s *Service) knocker(ctx context.Context, workspaceID, roomID, identity string) (held seat.Seat, err error) {
	err = s.DB.Read(ctx, func(tx *db.Tx) error {
		r, err := room.Find(ctx, tx, workspaceID, roomID)
		if err != nil {
			return err
		}
		held, err = findKnocker(ctx, tx, r, identity, s.Now())
		return err
	})
	return held, err
}

func findKnocker(ctx context.Context, tx *db.Tx, r room.Room, identity string, now time.Time) (seat.Seat, error) {
	held, err := seat.ByIdentity(ctx, tx, r.ID, identity)
	if err != nil {
		return seat.Seat{}, err
	}
	if held == nil || !held.Answerable(now) {
		return seat.Seat{}, fault.MissingParam("identity", "Nobody with this identity waits to be let in.")
	}
	return *held, nil
}

// AdmitAll admits everybody who knocks.
func (s *Service) AdmitAll(ctx context.Context, authorize actor.Authorize) error {
	return s.DB.Write(ctx, func(tx *db.Tx) error {
		by, err := authorize(ctx, tx, actor.Admits)
		if err != nil {
			return err
		}
		// Accounts may have been placed in a breakout before; guests are new.
		accounts, err := seat.WaitingAccounts(ctx, tx, by.Room.ID)
		if err != nil {
			return err
		}
		if err := s.decide(ctx, tx, by.Room, ofPeopleThatKnock(accounts, s.Now()), true); err != nil {
			return err
		}
		n, err := seat.AdmitGuests(ctx, tx, by.Room.ID, s.Now())
		switch {
		case err != nil || n == 0:
			return err
		case by.Room.Locked:
			return errLocked() // which rolls back
		}
		return s.Stream.DoorChanged(ctx, tx, by.Room.ID)
	})
}

// errLocked refuses to admit people while the room is locked.
func errLocked() error {
	return fault.Conflicting(api.CodeRoomLocked, "The room is locked. Unlock it to let people in; they keep waiting.")
}

// decide answers people who knock. While the room is locked nobody is admitted,
// and they go on waiting.
func (s *Service) decide(ctx context.Context, tx *db.Tx, r room.Room, seats []seat.Seat, admit bool) error {
	if admit && r.Locked && len(seats) > 0 {
		return errLocked()
	}
	for _, held := range seats {
		if err := s.answer(ctx, tx, held, admit); err != nil {
			return err
		}
	}
	if len(seats) == 0 {
		return nil
	}
	return s.Stream.DoorChanged(ctx, tx, r.ID)
}

// answer answers one person who knocks. People who are admitted may connect, and
// come back without knocking until the meeting ends.
func (s *Service) answer(ctx context.Context, tx *db.Tx, held seat.Seat, admit bool) error {
	if admit {
		held.Admitted = true
		return s.letIn(ctx, tx, held)
	}
	held.Status, held.Denials = seat.Denied, held.Denials+1
	return seat.Save(ctx, tx, held)
}

// Reconsider asks the door again about everybody who waits in a room, because its
// settings changed, it was unlocked, or a host has arrived. People who may enter
// now go in. People who waited for a host may have to knock now.
func (s *Service) Reconsider(ctx context.Context, tx *db.Tx, r room.Room) error {
	hostJoined, err := seat.HostJoined(ctx, tx, r.ID)
	if err != nil {
		return err
	}
	moved, err := s.reconsiderGuests(ctx, tx, r, hostJoined)
	if err != nil {
		return err
	}
	accounts, err := seat.WaitingAccounts(ctx, tx, r.ID)
	if err != nil {
		return err
	}
	for _, held := range accounts {
		if held.WaitedOut(s.Now()) {
			continue
		}
		// An account that was admitted on one device waits on no other.
		v := visitor{Room: r, Kind: held.Kind, Seat: &held, Admitted: held.Admitted, Strict: held.Strict}
		if v.Relation, err = s.relation(ctx, tx, r, held.Account()); err != nil {
			return err
		}
		now, goes := standsNow(Door(r, v.coming(), hostJoined), held.Status)
		if !goes {
			continue
		}
		if now == seat.LetThrough {
			// No host admitted them: the room now lets anybody in.
			held.Role = v.role()
			err = s.letIn(ctx, tx, held)
		} else {
			held.Status = now
			err = seat.Save(ctx, tx, held)
		}
		if err != nil {
			return err
		}
		moved = true
	}
	if !moved {
		return nil
	}
	return s.Stream.DoorChanged(ctx, tx, r.ID)
}

// reconsiderGuests asks the door once for all guests: the answer is the same for
// each, and there may be very many.
func (s *Service) reconsiderGuests(ctx context.Context, tx *db.Tx, r room.Room, hostJoined bool) (moved bool, err error) {
	for _, status := range []seat.Status{seat.Waiting, seat.Early} {
		// A person whose device cannot make the keys of a strict room learns it on connecting.
		guest := Coming{Kind: seat.KindGuest, Seat: &seat.Seat{Status: status}, Strict: true}
		now, goes := standsNow(Door(r, guest, hostJoined), status)
		if !goes {
			continue
		}
		n, err := seat.MoveGuests(ctx, tx, r.ID, status, now, s.Now())
		if err != nil {
			return moved, err
		}
		moved = moved || n > 0
	}
	return moved, nil
}

// standsNow is the status that the door's answer gives a person who waits, and
// whether it differs from before.
func standsNow(reason Reason, before seat.Status) (now seat.Status, goes bool) {
	if reason == Enter {
		return seat.LetThrough, true
	}
	now = reason.wait()
	return now, now != "" && now != before
}

// Expire ends the waiting of people who waited for an hour, and of people who went
// away.
func (s *Service) Expire(ctx context.Context) error {
	return s.DB.Write(ctx, func(tx *db.Tx) error {
		now := s.Now()
		overdue, err := seat.Overdue(ctx, tx, now.Add(-seat.WaitLimit), now.Add(-awayLimit))
		if err != nil {
			return err
		}
		rooms := map[string]bool{}
		for _, held := range overdue {
			if err := endWaiting(ctx, tx, held, now); err != nil {
				return err
			}
			rooms[held.RoomID] = true
		}
		for roomID := range rooms {
			if err := s.Stream.DoorChanged(ctx, tx, roomID); err != nil {
				return err
			}
		}
		return nil
	})
}

// endWaiting ends the wait of a person who was not let in, or who went away. The seat of
// a person who went away is deleted later, like the seats of others who leave.
func endWaiting(ctx context.Context, tx *db.Tx, held seat.Seat, now time.Time) error {
	held.Status = seat.Left
	if held.WaitedOut(now) {
		held.Status = seat.Expired
	}
	if held.Status == seat.Left && held.Traceless() {
		return seat.Delete(ctx, tx, seat.Key{RoomID: held.RoomID, Identity: held.Identity})
	}
	return seat.Save(ctx, tx, held)
}

// expireEvery is how often Expire runs.
const expireEvery = 5 * time.Second

// Run keeps the line until ctx ends.
func (s *Service) Run(ctx context.Context) {
	if err := s.Stream.NobodyFollows(ctx); err != nil && ctx.Err() == nil {
		s.Logger.ErrorContext(ctx, "people who went away while the service was down may be shown as waiting", "error", err)
	}
	var forgetting sync.WaitGroup
	defer forgetting.Wait()
	forgetting.Go(func() { s.keepForgetting(ctx) }) // apart, so that nobody waits for it
	loop.Later(ctx, expireEvery, s.Expire, func(err error) {
		s.Logger.ErrorContext(ctx, "the waiting of people who waited for too long could not be ended; trying again", "error", err)
	})
}
