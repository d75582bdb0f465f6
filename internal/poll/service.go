package poll

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/actor"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/event"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/id"
	"github.com/conclave-rooms/conclave/internal/notify"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/seal"
	"github.com/conclave-rooms/conclave/internal/stream"
)

// Service asks, counts, closes and deletes polls.
type Service struct {
	DB     *db.DB
	Events *event.Log
	Hub    *notify.Hub
	Stream *stream.Service
	Sealer *seal.Sealer
	Now    func() time.Time
	Logger *slog.Logger
}

// List reads the polls of a room that were asked in the last 24 hours, newest
// first.
func (s *Service) List(ctx context.Context, p auth.Principal, roomID string) (polls []Poll, err error) {
	err = s.DB.Read(ctx, func(tx *db.Tx) error {
		r, err := room.FindManaged(ctx, tx, p, roomID)
		if err != nil {
			return err
		}
		polls, err = load(ctx, tx, askedSince(r.ID, s.Now().Add(-listedFor)))
		return err
	})
	return polls, err
}

// Create asks a poll, whether a meeting runs or not.
func (s *Service) Create(ctx context.Context, authorize actor.Authorize, c api.PollCreate) (p Poll, err error) {
	err = s.DB.Write(ctx, func(tx *db.Tx) error {
		by, err := authorize(ctx, tx, actor.Directs)
		if err != nil {
			return err
		}
		if err := s.checkLimit(ctx, tx, by.Room.ID); err != nil {
			return err
		}
		p = newPoll(by.Room.ID, by.Room.WorkspaceID, c, cmp.Or(by.Name(), ByAPI), s.Now())
		if err := insert(ctx, tx, p); err != nil {
			return err
		}
		if p.Anonymous {
			secret, err := s.Sealer.Seal([]byte(id.Secret()), boxBinding(p.ID))
			if err != nil {
				return err
			}
			if err := insertBox(ctx, tx, p.ID, secret); err != nil {
				return err
			}
		}
		if err := s.changed(ctx, tx, p.RoomID); err != nil {
			return err
		}
		return s.appendEvent(ctx, tx, by.Room, api.EventPollCreated, p)
	})
	return p, err
}

// checkLimit refuses another poll in a room whose list is full.
func (s *Service) checkLimit(ctx context.Context, tx *db.Tx, roomID string) error {
	n, err := countSince(ctx, tx, roomID, s.Now().Add(-listedFor))
	if err == nil && n >= mostListed {
		err = fault.Conflicting(api.CodeLimitReached, fmt.Sprintf("A room has at most %d polls in 24 hours. Delete one first.", mostListed))
	}
	return err
}

// boxBinding names the place of a ballot box's key, for its seal. Sealed keys can
// only be opened with the same name, so it must not change even if the table is
// renamed.
func boxBinding(pollID string) string { return "poll_box/secret/" + pollID }

// finder finds a poll and its room for the caller, who is an API key of the
// workspace or a host in the room.
type finder func(ctx context.Context, tx *db.Tx) (Poll, room.Room, error)

// byKey returns a finder for polls of the key's workspace, or of rooms that a signed-in
// member manages.
func (s *Service) byKey(p auth.Principal, pollID string) finder {
	return func(ctx context.Context, tx *db.Tx) (Poll, room.Room, error) {
		found, r, err := s.inWorkspace(p.WorkspaceID, pollID)(ctx, tx)
		if err == nil && !p.MayChange(r.CreatedBy) {
			err = room.NotManaged(p)
		}
		return found, r, err
	}
}

// inWorkspace returns a finder for polls of a workspace. It does not check whether the
// caller manages their rooms.
func (s *Service) inWorkspace(workspaceID, pollID string) finder {
	return func(ctx context.Context, tx *db.Tx) (Poll, room.Room, error) {
		found, err := one(ctx, tx, pollID, byID(pollID, workspaceID))
		if err != nil {
			return Poll{}, room.Room{}, err
		}
		r, err := room.Find(ctx, tx, workspaceID, found.RoomID)
		return found, r, err
	}
}

// byHost returns a finder for polls of the room in which the ticket's holder is a
// host.
func (s *Service) byHost(ticket, pollID string) finder {
	return func(ctx context.Context, tx *db.Tx) (Poll, room.Room, error) {
		by, err := actor.ByHost(ticket, s.Now)(ctx, tx, actor.Directs)
		if err != nil {
			return Poll{}, room.Room{}, err
		}
		found, err := one(ctx, tx, pollID, inRoom(pollID, by.Room.ID))
		return found, by.Room, err
	}
}

// get reads a poll.
func (s *Service) get(ctx context.Context, find finder) (p Poll, err error) {
	err = s.DB.Read(ctx, func(tx *db.Tx) error {
		p, _, err = find(ctx, tx)
		return err
	})
	return p, err
}

// setStatus closes a poll, or opens it again. It does nothing when the poll
// already has the status.
func (s *Service) setStatus(ctx context.Context, find finder, status string) (p Poll, err error) {
	err = s.DB.Write(ctx, func(tx *db.Tx) error {
		var r room.Room
		if p, r, err = find(ctx, tx); err != nil || p.Status == status {
			return err
		}
		p.Status, p.ClosedAt = status, time.Time{}
		if status == Closed {
			p.ClosedAt = api.At(s.Now()).Time
		}
		if err := saveStatus(ctx, tx, p); err != nil {
			return err
		}
		if p.Anonymous {
			if err := s.updateBox(ctx, tx, p); err != nil {
				return err
			}
		}
		if err := s.changed(ctx, tx, p.RoomID); err != nil || status == Open {
			return err
		}
		return s.appendEvent(ctx, tx, r, api.EventPollClosed, p)
	})
	return p, err
}

// updateBox follows a change of an anonymous poll's status. It opens an empty
// box for a poll that was opened again; for one that was closed it counts the
// ballots and destroys them.
func (s *Service) updateBox(ctx context.Context, tx *db.Tx, p Poll) error {
	if p.Status == Open {
		return openBox(ctx, tx, p.ID)
	}
	for n, votes := range p.box.tally(len(p.Options)) {
		p.Options[n].Counted += votes
		if err := saveCount(ctx, tx, p.Options[n]); err != nil {
			return err
		}
	}
	p.box.empty()
	if err := saveCounted(ctx, tx, *p.box); err != nil {
		return err
	}
	return s.destroyBallots(ctx, tx, inRoom(p.ID, p.RoomID))
}

// destroyBallots deletes the ballots in open boxes and, once that is committed,
// lets every node remove them from the files of the database.
func (s *Service) destroyBallots(ctx context.Context, tx *db.Tx, w filter) error {
	destroyed, err := deleteBallots(ctx, tx, w)
	if err != nil || !destroyed {
		return err
	}
	s.Hub.Notify(tx, shredTopic)
	return nil
}

// remove deletes a poll and its votes for everyone.
func (s *Service) remove(ctx context.Context, find finder) (p Poll, err error) {
	err = s.DB.Write(ctx, func(tx *db.Tx) error {
		if p, _, err = find(ctx, tx); err != nil {
			return err
		}
		if err := s.destroyBallots(ctx, tx, inRoom(p.ID, p.RoomID)); err != nil {
			return err
		}
		if err := deletePoll(ctx, tx, p.ID); err != nil {
			return err
		}
		return s.changed(ctx, tx, p.RoomID)
	})
	return p, err
}

// RoomDeleted deletes the polls and votes of a deleted room.
func (s *Service) RoomDeleted(ctx context.Context, tx *db.Tx, r room.Room) error {
	if err := s.destroyBallots(ctx, tx, ofRoom(r.ID)); err != nil {
		return err
	}
	return deletePollsOf(ctx, tx, r.ID)
}

// changed lets everybody in the room's meeting know that a poll was asked,
// closed, opened or deleted.
func (s *Service) changed(ctx context.Context, tx *db.Tx, roomID string) error {
	if err := bump(ctx, tx, roomID); err != nil {
		return err
	}
	return s.Stream.Changed(ctx, tx, roomID)
}

func (s *Service) appendEvent(ctx context.Context, tx *db.Tx, r room.Room, kind api.EventType, p Poll) error {
	return s.Events.Append(ctx, tx, r.WorkspaceID, kind, api.PollEvent{Room: r.Ref(), Poll: p.Object(), OccurredAt: api.At(s.Now())})
}
