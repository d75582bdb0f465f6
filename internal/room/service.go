package room

import (
	"context"
	"fmt"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/event"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/id"
)

// Service makes, changes and deletes rooms.
type Service struct {
	DB        *db.DB
	Events    *event.Log
	Now       func() time.Time
	PublicURL string

	// MeetingRunning reports whether a meeting is running in the room.
	MeetingRunning func(ctx context.Context, tx *db.Tx, roomID string) (bool, error)
	// OnUpdate is called after a change, in its transaction.
	OnUpdate func(ctx context.Context, tx *db.Tx, r Room) error
	// OnDelete is called in the transaction of the deletion, before room.deleted
	// is written, so that the events of what ends with the room come first.
	OnDelete func(ctx context.Context, tx *db.Tx, r Room) error
}

// List reads a page of a workspace's rooms, newest first. startingAfter is the
// last room of the page before, "" for the first page.
func (s *Service) List(ctx context.Context, p auth.Principal, limit int, startingAfter string) ([]Room, bool, error) {
	var rooms []Room
	read := s.DB.ReadOne
	if startingAfter != "" {
		read = s.DB.Read // two queries
	}
	err := read(ctx, func(tx *db.Tx) error {
		var after *Room
		if startingAfter != "" {
			place, err := cursor(ctx, tx, p.WorkspaceID, startingAfter)
			if err != nil {
				return err
			}
			after = &place
		}
		var err error
		rooms, err = list(ctx, tx, p.WorkspaceID, after, limit+1)
		return err
	})
	if err != nil {
		return nil, false, err
	}
	if len(rooms) > limit {
		return rooms[:limit], true, nil
	}
	return rooms, false, nil
}

// Get reads a room.
func (s *Service) Get(ctx context.Context, p auth.Principal, roomID string) (r Room, err error) {
	err = s.DB.ReadOne(ctx, func(tx *db.Tx) error {
		r, err = Find(ctx, tx, p.WorkspaceID, roomID)
		return err
	})
	return r, err
}

// New returns a room as Create would make it. Only the command line and the
// dashboard choose the type.
func (s *Service) New(p auth.Principal, c api.RoomCreate, kind string) (Room, error) {
	settings, err := NewSettings(kind, c.Settings)
	if err != nil {
		return Room{}, err
	}
	now := api.At(s.Now()).Time
	return Room{
		ID: id.New(), WorkspaceID: p.WorkspaceID, Code: newCode(), Name: c.Name, Description: nonEmpty(c.Description.Ptr()),
		Settings: settings, CreatedBy: p.AccountID, CreatedAt: now, UpdatedAt: now,
	}, nil
}

// Create makes a room of a type. The request has the defaults of its fields, from
// the edge or from schema.Filled.
func (s *Service) Create(ctx context.Context, p auth.Principal, c api.RoomCreate, kind string) (Room, error) {
	r, err := s.New(p, c, kind)
	if err != nil {
		return Room{}, err
	}
	// There are 23^10, or 4*10^13, codes, so one that is taken is rare. Then try another.
	for range 5 {
		err = s.DB.Write(ctx, func(tx *db.Tx) error {
			if err := insert(ctx, tx, r); err != nil {
				return err
			}
			return s.Events.Append(ctx, tx, r.WorkspaceID, api.EventRoomCreated, api.RoomEvent{Room: r.Object(s.PublicURL), OccurredAt: api.At(r.CreatedAt)})
		})
		if !db.IsUniqueViolation(err) {
			return r, err
		}
		r.Code = newCode()
	}
	return Room{}, fmt.Errorf("find a free code for a room: %w", err)
}

// Update changes a room. When nothing differs, it does not change updated_at and
// sends no event.
func (s *Service) Update(ctx context.Context, p auth.Principal, roomID string, u api.RoomUpdate) (Room, error) {
	// Refuse an update that contradicts itself before looking for the room, like
	// every other mistake in the fields.
	if err := refuseTogether(u.Settings.Encryption.Or(""), u.Settings); err != nil {
		return Room{}, err
	}
	var after Room
	err := s.DB.Write(ctx, func(tx *db.Tx) error {
		before, err := FindManaged(ctx, tx, p, roomID)
		if err == nil {
			after, err = s.Change(ctx, tx, before, u)
		}
		return err
	})
	return after, err
}

// everythingWrong returns everything that is wrong with a request to change a room, apart
// from the fields that are wrong by themselves. The stored settings count only for a
// principal who manages the room: others are refused without them.
func (s *Service) everythingWrong(ctx context.Context, in *updateInput, wrong func(param string) bool) error {
	var stored string
	err := s.DB.ReadOne(ctx, func(tx *db.Tx) error {
		r, err := FindManaged(ctx, tx, auth.From(ctx), in.RoomID)
		if err == nil {
			stored = r.Settings.Encryption
		}
		return err
	})
	if _, refused := fault.As(err); err != nil && !refused { // a room that does not exist is no field
		return err
	}
	return refuseOthers(stored, in.Body.Settings, wrong)
}

// Change is Update within a transaction, for a room that was read in it and that the
// caller may change.
func (s *Service) Change(ctx context.Context, tx *db.Tx, before Room, u api.RoomUpdate) (Room, error) {
	after, err := apply(before, u)
	if err != nil {
		return Room{}, err
	}
	changed := changes(before, after)
	if len(changed) == 0 {
		return after, nil
	}
	if before.Settings.Encryption != after.Settings.Encryption {
		if err := s.refuseWhileRunning(ctx, tx, before.ID); err != nil {
			return Room{}, err
		}
	}
	after.UpdatedAt = api.At(s.Now()).Time
	if err := update(ctx, tx, after); err != nil {
		return Room{}, err
	}
	if err := s.OnUpdate(ctx, tx, after); err != nil {
		return Room{}, err
	}
	return after, s.Events.Append(ctx, tx, after.WorkspaceID, api.EventRoomUpdated, api.RoomUpdatedEvent{
		Room: after.Object(s.PublicURL), PreviousAttributes: changed, OccurredAt: api.At(after.UpdatedAt),
	})
}

// refuseWhileRunning refuses to change the encryption during a meeting, because
// the devices hold a key of the kind the meeting began with.
func (s *Service) refuseWhileRunning(ctx context.Context, tx *db.Tx, roomID string) error {
	running, err := s.MeetingRunning(ctx, tx, roomID)
	if err == nil && running {
		err = fault.Conflicting(api.CodeMeetingRunning, "settings.encryption cannot be changed while a meeting is running. End the meeting first.")
	}
	return err
}

// Delete deletes a room: its meeting ends and its link stops working.
func (s *Service) Delete(ctx context.Context, p auth.Principal, roomID string) (Room, error) {
	var r Room
	err := s.DB.Write(ctx, func(tx *db.Tx) (err error) {
		if r, err = FindManaged(ctx, tx, p, roomID); err != nil {
			return err
		}
		if err := s.OnDelete(ctx, tx, r); err != nil {
			return err
		}
		r.DeletedAt = api.At(s.Now()).Time
		r.UpdatedAt = r.DeletedAt
		if err := markDeleted(ctx, tx, r); err != nil {
			return err
		}
		return s.Events.Append(ctx, tx, r.WorkspaceID, api.EventRoomDeleted, api.RoomEvent{Room: r.Object(s.PublicURL), OccurredAt: api.At(r.DeletedAt)})
	})
	return r, err
}
