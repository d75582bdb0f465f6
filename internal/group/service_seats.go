package group

import (
	"context"
	"slices"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// LetIn notes that the gate lets a device into the media room of its seat. It counts
// as present from now on.
func (s *Service) LetIn(ctx context.Context, tx *db.Tx, r room.Room, held seat.Seat) error {
	if !r.Strict() {
		return nil
	}
	before, err := deviceOf(ctx, tx, held)
	if err != nil {
		return err
	}
	d := before.letIn(held, s.Now())
	if d == before {
		return nil
	}
	if err := ensurePlace(ctx, tx, r.ID, held.BreakoutID); err != nil {
		return err
	}
	if err := saveDevice(ctx, tx, d); err != nil {
		return err
	}
	return s.Stream.Changed(ctx, tx, r.ID)
}

// deviceOf reads the device of a seat, or makes it if the seat came from elsewhere.
func deviceOf(ctx context.Context, tx *db.Tx, held seat.Seat) (device, error) {
	found, err := oneDevice(ctx, tx, held.RoomID, held.Identity)
	if err != nil || found == nil || found.BreakoutID != held.BreakoutID {
		return *newDevice(held), err
	}
	return *found, nil
}

// newDevice is the device of a seat that has sent nothing yet.
func newDevice(held seat.Seat) *device {
	return &device{RoomID: held.RoomID, Identity: held.Identity, BreakoutID: held.BreakoutID}
}

// scenes are the places of one room.
type scenes struct {
	roomID string
	places map[string]scene // by breakout; "" is the main room
	now    time.Time
}

// at is one of the places, also when nothing has happened there.
func (all scenes) at(breakoutID string) scene {
	sc, known := all.places[breakoutID]
	if !known {
		sc = scene{place: place{RoomID: all.roomID, BreakoutID: breakoutID}, devices: map[string]*device{}, here: map[string]bool{}, now: all.now}
		all.places[breakoutID] = sc
	}
	return sc
}

// scenes reads the places of a room.
func (s *Service) scenes(ctx context.Context, tx *db.Tx, roomID string) (scenes, error) {
	devices, err := devicesOf(ctx, tx, roomID)
	if err != nil {
		return scenes{}, err
	}
	seats, err := welcome(ctx, tx, roomID, s.Now())
	if err != nil {
		return scenes{}, err
	}
	places, err := placesOf(ctx, tx, roomID)
	return lay(roomID, places, devices, seats, s.Now()), err
}

// lay puts the devices and the people of a room into its places.
func lay(roomID string, places []place, devices []device, seats []seat.Seat, now time.Time) scenes {
	all := scenes{roomID: roomID, places: map[string]scene{}, now: now}
	for _, p := range places {
		sc := all.at(p.BreakoutID)
		sc.place = p
		all.places[p.BreakoutID] = sc
	}
	known := map[string]*device{}
	for i := range devices {
		known[devices[i].Identity] = &devices[i]
	}
	for _, held := range seats {
		sc, d := all.at(held.BreakoutID), known[held.Identity]
		if d == nil || !d.belongs(held) {
			d = newDevice(held)
		} else {
			sc.devices[held.Identity] = d
		}
		if held.Strict && d.present(held, now) {
			sc.here[held.Identity] = true
		}
	}
	return all
}

// welcome reads the seats on which a device may be connected: a locked room sends away
// those that are not in yet.
func welcome(ctx context.Context, tx *db.Tx, roomID string, now time.Time) ([]seat.Seat, error) {
	r, err := room.ByID(ctx, tx, roomID)
	if err != nil {
		return nil, err
	}
	seats, err := seat.Expected(ctx, tx, roomID, now)
	return slices.DeleteFunc(seats, func(held seat.Seat) bool { return !held.MayBeConnected(r) }), err
}

// SeatsChanged is the reaction to any change of a meeting, in its transaction: devices
// whose seat is over or belongs elsewhere are forgotten, and so is a group without
// members.
func (s *Service) SeatsChanged(ctx context.Context, tx *db.Tx, roomID string) error {
	devices, err := devicesOf(ctx, tx, roomID)
	if err != nil || len(devices) == 0 {
		return err
	}
	now := s.Now()
	seats, err := welcome(ctx, tx, roomID, now)
	if err != nil {
		return err
	}
	if devices, err = follow(ctx, tx, devices, seats, now); err != nil {
		return err
	}
	places, err := placesOf(ctx, tx, roomID)
	if err != nil {
		return err
	}
	for _, sc := range lay(roomID, places, devices, seats, now).places {
		if err := endIfOver(ctx, tx, sc); err != nil {
			return err
		}
	}
	return deleteEmptyPlaces(ctx, tx, roomID)
}

// follow brings devices up to date with their seats, deletes those that do not belong
// any more, and returns the others.
func follow(ctx context.Context, tx *db.Tx, devices []device, seats []seat.Seat, now time.Time) (kept []device, err error) {
	held := map[string]seat.Seat{}
	for _, one := range seats {
		held[one.Identity] = one
	}
	for _, d := range devices {
		on, there := held[d.Identity]
		if !there || !d.belongs(on) {
			err = deleteDevice(ctx, tx, d)
		} else {
			after := d.follow(on, now)
			kept = append(kept, after)
			if after != d {
				err = saveDevice(ctx, tx, after)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return kept, nil
}

// endIfOver ends the group of a place that has no member any more.
func endIfOver(ctx context.Context, tx *db.Tx, sc scene) error {
	if !sc.over() {
		return nil
	}
	sc.end()
	if err := savePlace(ctx, tx, sc.place); err != nil {
		return err
	}
	if err := deleteUpTo(ctx, tx, sc.place, sc.Seq); err != nil {
		return err
	}
	for _, d := range sc.devices {
		if err := saveDevice(ctx, tx, *d); err != nil {
			return err
		}
	}
	return nil
}

// MeetingEnds deletes everything about the groups of a meeting that ends.
func (s *Service) MeetingEnds(ctx context.Context, tx *db.Tx, r room.Room) error {
	return deleteRoom(ctx, tx, r.ID)
}
