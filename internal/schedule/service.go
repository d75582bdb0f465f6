package schedule

import (
	"context"
	"log/slog"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/event"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/id"
	"github.com/conclave-rooms/conclave/internal/room"
)

// Service schedules, changes and cancels meetings.
type Service struct {
	DB        *db.DB
	Events    *event.Log
	Now       func() time.Time
	Logger    *slog.Logger
	PublicURL string

	// OnChange, if not nil, is called for every change, in its transaction. before
	// is nil for a new meeting, and after is deleted for a cancelled one.
	OnChange func(ctx context.Context, tx *db.Tx, before *Meeting, after Meeting) error
	// OnManyChanged, if not nil, is called when many meetings change together, in
	// the transaction, with the accounts that scheduled them.
	OnManyChanged func(ctx context.Context, tx *db.Tx, accountIDs []string) error

	// MostMeetings limits the meetings of a workspace; zero means 100,000.
	MostMeetings int

	zones zones
	index index
	quota quota
}

// Get reads a meeting.
func (s *Service) Get(ctx context.Context, p auth.Principal, meetingID string) (m Meeting, err error) {
	err = s.DB.Read(ctx, func(tx *db.Tx) error {
		m, err = find(ctx, tx, p.WorkspaceID, meetingID)
		return err
	})
	return m, err
}

// draft returns a meeting as Create would schedule it, without its room.
func (s *Service) draft(p auth.Principal, c api.MeetingCreate) (Meeting, error) {
	now := api.At(s.Now()).Time
	u := timesOf(c)
	u.Title, u.Description, u.RoomID = api.Set(c.Title), c.Description, c.RoomID
	m := apply(Meeting{ID: id.New(), WorkspaceID: p.WorkspaceID, CreatedBy: p.AccountID, CreatedAt: now, UpdatedAt: now}, u)
	return m, s.zones.check(m.everything())
}

// New returns a meeting as Create would schedule it. It does not check whether the
// principal may schedule it in its room.
func (s *Service) New(ctx context.Context, p auth.Principal, c api.MeetingCreate) (Meeting, error) {
	m, err := s.draft(p, c)
	if err != nil {
		return Meeting{}, err
	}
	err = s.DB.Read(ctx, func(tx *db.Tx) error {
		_, err := findRoom(ctx, tx, &m)
		return err
	})
	return m, err
}

// Create schedules a meeting.
func (s *Service) Create(ctx context.Context, p auth.Principal, c api.MeetingCreate) (Meeting, error) {
	m, err := s.draft(p, c)
	if err != nil {
		return Meeting{}, err
	}
	err = s.DB.Write(ctx, func(tx *db.Tx) error {
		if err := enter(ctx, tx, p, nil, &m); err != nil {
			return err
		}
		if err := s.checkQuota(ctx, tx, m.WorkspaceID); err != nil {
			return err
		}
		if err := s.save(ctx, tx, nil, m); err != nil {
			return err
		}
		return s.Events.Append(ctx, tx, m.WorkspaceID, api.EventMeetingScheduled, api.MeetingEvent{Meeting: m.Object(s.PublicURL), OccurredAt: api.At(m.CreatedAt)})
	})
	return m, err
}

// Update changes a meeting, or every occurrence of a series. When nothing differs,
// it sends no event.
func (s *Service) Update(ctx context.Context, p auth.Principal, meetingID string, u api.MeetingUpdate) (Meeting, error) {
	// Refuse a change that contradicts itself before looking for the meeting, like
	// every other mistake in the fields.
	if err := s.zones.check(u); err != nil {
		return Meeting{}, err
	}
	var after Meeting
	err := s.DB.Write(ctx, func(tx *db.Tx) error {
		if _, err := findRoom(ctx, tx, &Meeting{WorkspaceID: p.WorkspaceID, RoomID: u.RoomID.Ptr()}); err != nil {
			return err // a mistake in the fields, too
		}
		before, err := findManaged(ctx, tx, p, meetingID)
		if err != nil {
			return err
		}
		after = apply(before, u)
		if err := s.zones.check(after.everything()); err != nil {
			return err
		}
		if err := enter(ctx, tx, p, before.RoomID, &after); err != nil {
			return err
		}
		changed := changes(before.Object(s.PublicURL), after.Object(s.PublicURL))
		if len(changed) == 0 {
			return nil
		}
		after.UpdatedAt = api.At(s.Now()).Time
		if err := s.save(ctx, tx, &before, after); err != nil {
			return err
		}
		return s.Events.Append(ctx, tx, after.WorkspaceID, api.EventMeetingUpdated, api.MeetingUpdatedEvent{
			Meeting: after.Object(s.PublicURL), PreviousAttributes: changed, OccurredAt: api.At(after.UpdatedAt),
		})
	})
	return after, err
}

// enter reads the room that a meeting names; was is the room it named before. A
// signed-in member may move meetings only into rooms they manage.
func enter(ctx context.Context, tx *db.Tx, p auth.Principal, was *string, m *Meeting) error {
	r, err := findRoom(ctx, tx, m)
	if err == nil && r != nil && (was == nil || *was != r.ID) && !p.MayChange(r.CreatedBy) {
		err = room.NotManaged(p)
	}
	return err
}

// findRoom reads the room that a meeting names; nil when it names none.
func findRoom(ctx context.Context, tx *db.Tx, m *Meeting) (*room.Room, error) {
	m.RoomCode = ""
	if m.RoomID == nil {
		return nil, nil //nolint:nilnil // no room is an answer, not an error
	}
	r, err := room.Find(ctx, tx, m.WorkspaceID, *m.RoomID)
	if fault.HasCode(err, api.CodeNotFound) {
		err = fault.BadParameter("room_id", "room_id must be the id of a room of this workspace.")
	}
	m.RoomCode = r.Code
	return &r, err
}

// Cancel cancels a meeting, with every occurrence of a series. Its room is not
// affected.
func (s *Service) Cancel(ctx context.Context, p auth.Principal, meetingID string) (Meeting, error) {
	var after Meeting
	err := s.DB.Write(ctx, func(tx *db.Tx) error {
		before, err := findManaged(ctx, tx, p, meetingID)
		if err != nil {
			return err
		}
		after = before
		after.DeletedAt = api.At(s.Now()).Time
		after.UpdatedAt = after.DeletedAt
		if err := s.save(ctx, tx, &before, after); err != nil {
			return err
		}
		return s.Events.Append(ctx, tx, after.WorkspaceID, api.EventMeetingCancelled, api.MeetingEvent{Meeting: after.Object(s.PublicURL), OccurredAt: api.At(after.DeletedAt)})
	})
	return after, err
}

// RoomDeleted removes a deleted room from its meetings. It sends no event, because
// the meetings were not changed through the API. It does not read the meetings,
// because a room may have very many.
func (s *Service) RoomDeleted(ctx context.Context, tx *db.Tx, r room.Room) error {
	var schedulers []string
	if s.OnManyChanged != nil {
		var err error
		if schedulers, err = schedulersIn(ctx, tx, r.ID); err != nil {
			return err
		}
	}
	if err := leaveRoom(ctx, tx, r.ID, api.At(s.Now()).Time); err != nil || len(schedulers) == 0 {
		return err
	}
	return s.OnManyChanged(ctx, tx, schedulers)
}

// save stores a meeting and calls OnChange.
func (s *Service) save(ctx context.Context, tx *db.Tx, before *Meeting, after Meeting) (err error) {
	if movesSeries(before, after) {
		if after.Revision, err = raiseRevision(ctx, tx, after.WorkspaceID); err != nil {
			return err
		}
	}
	if before == nil {
		err = insert(ctx, tx, after)
	} else {
		after.Sequence = before.Sequence + 1
		err = update(ctx, tx, after)
	}
	if err != nil || s.OnChange == nil {
		return err
	}
	return s.OnChange(ctx, tx, before, after)
}
