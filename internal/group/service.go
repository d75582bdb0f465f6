package group

import (
	"context"
	"crypto/ed25519"
	"log/slog"
	"slices"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/seat"
	"github.com/conclave-rooms/conclave/internal/stream"
)

// Service is the delivery service of strict rooms.
type Service struct {
	DB     *db.DB
	Stream *stream.Service
	Now    func() time.Time
	Logger *slog.Logger
	Key    ed25519.PrivateKey // signs statements
}

// callerIn finds the seat of a ticket, as caller does, and refuses it unless it belongs
// in this place.
func (s *Service) callerIn(ctx context.Context, tx *db.Tx, ticket, breakoutID string) (seat.Seat, room.Room, error) {
	held, r, err := s.caller(ctx, tx, ticket)
	if err == nil && held.BreakoutID != breakoutID {
		err = placeChanged()
	}
	return held, r, err
}

// caller finds the seat of a ticket. It refuses seats that have no group: those that
// wait in the line, those of a room that is not strict, and those that were taken
// before it became strict.
func (s *Service) caller(ctx context.Context, tx *db.Tx, ticket string) (seat.Seat, room.Room, error) {
	held, r, err := seat.ByTicket(ctx, tx, ticket)
	switch {
	case err != nil:
	case held.Waits():
		err = seat.ErrNotInMeeting()
	case !r.Strict():
		err = fault.Missing()
	case !held.Strict:
		err = fault.Conflicting(api.CodeEncryptionStrict, "This seat was taken before the room became strict. Join again.")
	}
	return held, r, err
}

func placeChanged() error {
	return fault.Conflicting(api.CodePlaceChanged, "This device is not in that media room now.")
}

// Statement signs a statement about the device of a ticket and its signature key.
func (s *Service) Statement(ctx context.Context, ticket, breakoutID string, signatureKey []byte) (signed string, err error) {
	err = s.DB.Read(ctx, func(tx *db.Tx) error {
		held, r, err := s.callerIn(ctx, tx, ticket, breakoutID)
		if err != nil {
			return err
		}
		meeting, err := seat.RunningMeeting(ctx, tx, r.ID)
		if err != nil {
			return err
		}
		meetingID := ""
		if meeting != nil {
			meetingID = meeting.ID
		}
		signed, err = statementOf(held, meetingID, signatureKey, s.Now()).sign(s.Key)
		return err
	})
	return signed, err
}

// Announce keeps the key package of a device, which waits to be added from now on. It
// ends the membership of a device that was in the group.
func (s *Service) Announce(ctx context.Context, ticket, breakoutID, keyPackage, hash string) error {
	return s.DB.Write(ctx, func(tx *db.Tx) error {
		held, r, err := s.callerIn(ctx, tx, ticket, breakoutID)
		if err != nil {
			return err
		}
		d, err := deviceOf(ctx, tx, held)
		if err != nil {
			return err
		}
		d = d.out(s.Now())
		d.KeyPackage, d.Hash = keyPackage, hash
		if err := ensurePlace(ctx, tx, r.ID, held.BreakoutID); err != nil {
			return err
		}
		if err := saveDevice(ctx, tx, d); err != nil {
			return err
		}
		return s.Stream.Changed(ctx, tx, r.ID) // which ends a group without members
	})
}

// Create makes the group of a place that has none, with its founder as its only
// member, and returns the number after which its messages come.
func (s *Service) Create(ctx context.Context, ticket, breakoutID, groupID string) (seq int64, err error) {
	err = s.DB.Write(ctx, func(tx *db.Tx) error {
		held, sc, err := s.sceneFor(ctx, tx, ticket, breakoutID)
		if err != nil {
			return err
		}
		if sc.devices[held.Identity] == nil {
			sc.devices[held.Identity] = newDevice(held)
		}
		done, err := sc.create(held.Identity, groupID)
		if err != nil {
			return err
		}
		if seq = sc.Seq; done {
			return nil
		}
		return s.save(ctx, tx, sc, sc.ofPerson(held.Identity)...)
	})
	return seq, err
}

// Commit takes a commit of a member, if it is the first one in its epoch.
func (s *Service) Commit(ctx context.Context, ticket, breakoutID string, c proposal) (epoch, seq int64, err error) {
	err = s.DB.Write(ctx, func(tx *db.Tx) error {
		held, sc, err := s.sceneFor(ctx, tx, ticket, breakoutID)
		if err != nil {
			return err
		}
		made, err := sc.commit(held.Identity, c)
		if err != nil {
			return err
		}
		touched := slices.Clone(c.Said.Removes)
		for _, one := range c.Said.Adds {
			touched = append(touched, one.Identity)
		}
		if err := insertEntry(ctx, tx, sc.place, made); err != nil {
			return err
		}
		sizes, err := sizesOf(ctx, tx, sc.place)
		if err != nil {
			return err
		}
		if old := pruneUpTo(sizes, sc.now); old > 0 {
			if err := deleteUpTo(ctx, tx, sc.place, old); err != nil {
				return err
			}
		}
		epoch, seq = sc.Epoch, sc.Seq
		return s.save(ctx, tx, sc, touched...)
	})
	return epoch, seq, err
}

// Refuse notes that a device cannot be in the group of its place, because of the
// message with the number seq if that is not 0.
func (s *Service) Refuse(ctx context.Context, ticket, breakoutID, groupID string, seq int64) error {
	return s.DB.Write(ctx, func(tx *db.Tx) error {
		held, sc, err := s.sceneFor(ctx, tx, ticket, breakoutID)
		if err != nil {
			return err
		}
		if sc.GroupID == "" || sc.GroupID != groupID || sc.devices[held.Identity] == nil {
			return fault.Missing()
		}
		author, err := authorOf(ctx, tx, sc.place, seq)
		if err != nil {
			return err
		}
		sc.refuse(held.Identity, author)
		return s.save(ctx, tx, sc, held.Identity, author) // which ends a group that most people cannot be in
	})
}

// Messages returns the next messages for a member who has read those up to after, and
// whether there are more.
func (s *Service) Messages(ctx context.Context, ticket, groupID string, after int64) (page []message, more bool, err error) {
	err = s.DB.Read(ctx, func(tx *db.Tx) error {
		held, r, err := s.caller(ctx, tx, ticket)
		if err != nil {
			return err
		}
		sc, err := s.sceneOf(ctx, tx, held, r)
		if err != nil {
			return err
		}
		first, err := sc.unread(held.Identity, groupID, after)
		if err != nil || first > sc.Seq {
			return err
		}
		log, err := readLog(ctx, tx, sc.place, first, mostMessages)
		if err != nil {
			return err
		}
		if len(log) == 0 || log[0].Seq != first {
			return fault.Missing() // deleted meanwhile: the device joins again
		}
		page = pageOf(log, sc.devices[held.Identity].AddedSeq)
		more = page[len(page)-1].Seq < sc.Seq
		return nil
	})
	return page, more, err
}

// sceneFor reads the place where the device of a ticket has to be present.
func (s *Service) sceneFor(ctx context.Context, tx *db.Tx, ticket, breakoutID string) (seat.Seat, scene, error) {
	held, r, err := s.callerIn(ctx, tx, ticket, breakoutID)
	if err != nil {
		return held, scene{}, err
	}
	sc, err := s.sceneOf(ctx, tx, held, r)
	return held, sc, err
}

// sceneOf reads the place of a seat, where its device has to be present.
func (s *Service) sceneOf(ctx context.Context, tx *db.Tx, held seat.Seat, r room.Room) (scene, error) {
	scenes, err := s.scenes(ctx, tx, r.ID)
	if err != nil {
		return scene{}, err
	}
	sc := scenes.at(held.BreakoutID)
	if !sc.here[held.Identity] {
		return scene{}, placeChanged()
	}
	return sc, nil
}

// save writes a place and some of its devices, and tells everybody.
func (s *Service) save(ctx context.Context, tx *db.Tx, sc scene, identities ...string) error {
	if err := savePlace(ctx, tx, sc.place); err != nil {
		return err
	}
	for _, identity := range identities {
		if d := sc.devices[identity]; d != nil {
			if err := saveDevice(ctx, tx, *d); err != nil {
				return err
			}
		}
	}
	return s.Stream.Changed(ctx, tx, sc.RoomID)
}
