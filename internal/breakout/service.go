package breakout

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/actor"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/event"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/id"
	"github.com/conclave-rooms/conclave/internal/live"
	"github.com/conclave-rooms/conclave/internal/mediaroom"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/seat"
	"github.com/conclave-rooms/conclave/internal/stream"
)

// Service runs the sessions.
type Service struct {
	DB      *db.DB
	Events  *event.Log
	Live    *live.Service
	Stream  *stream.Service
	Now     func() time.Time
	Logger  *slog.Logger
	Shuffle func(n int, swap func(i, j int)) // shuffles the people who are dealt out
}

// scene is the session that runs in a room, and the people in its meeting.
type scene struct {
	Actor   actor.Actor
	Session Session
	People  []attendee
}

// List returns the session that runs in a room, and the sessions that are over.
func (s *Service) List(ctx context.Context, authorize actor.Authorize) (api.Breakouts, error) {
	var out api.Breakouts
	err := s.DB.Read(ctx, func(tx *db.Tx) error {
		by, err := authorize(ctx, tx, actor.Directs)
		if err != nil {
			return err
		}
		out = api.Breakouts{Object: "breakouts", RoomID: by.Room.ID, History: []api.BreakoutSessionSummary{}}
		past, err := over(ctx, tx, by.Room.ID, historyLength)
		if err != nil {
			return err
		}
		for _, session := range past {
			out.History = append(out.History, session.summary())
		}
		current, open, err := sceneOf(ctx, tx, by)
		if open {
			active := current.Session.object(current.People)
			out.Active = &active
		}
		return err
	})
	return out, err
}

// current returns the session that runs in a room; when none runs, a session that has
// nothing but its room. It does not check rights: read-only fields in a request may only
// have these values, in every request.
func (s *Service) current(ctx context.Context, workspaceID, roomID string) (session api.BreakoutSession, open bool, err error) {
	err = s.DB.Read(ctx, func(tx *db.Tx) error {
		r, err := room.Find(ctx, tx, workspaceID, roomID)
		if err != nil {
			return err
		}
		session = api.BreakoutSession{Object: "breakout_session", RoomID: r.ID, Rooms: []api.BreakoutRoom{}, Unassigned: []api.UnassignedPerson{}}
		current, running, err := sceneOf(ctx, tx, actor.Actor{Room: r})
		if open = running; open {
			session = current.Session.object(current.People)
		}
		return err
	})
	return session, open, err
}

// Start opens a session: its rooms with their keys, and everybody dealt out.
func (s *Service) Start(ctx context.Context, authorize actor.Authorize, c api.BreakoutCreate) (api.BreakoutSession, error) {
	if err := checkPlacements(c); err != nil {
		return api.BreakoutSession{}, err
	}
	var out api.BreakoutSession
	err := s.DB.Write(ctx, func(tx *db.Tx) error {
		by, err := authorize(ctx, tx, actor.Directs)
		if err != nil {
			return err
		}
		open, err := running(ctx, tx, by.Room.ID)
		if err != nil {
			return err
		}
		if open != nil {
			return fault.Conflicting(api.CodeBreakoutAlreadyOpen, "Breakout rooms are open already. End them first.")
		}
		seats, err := seat.People(ctx, tx, by.Room.ID)
		if err != nil {
			return err
		}
		people, err := dealtBy(by, c, attendees(seats))
		if err != nil {
			return err
		}
		session, err := s.open(ctx, tx, by, c)
		if err != nil {
			return err
		}
		if session, err = s.dealOut(ctx, tx, session, c, people); err != nil {
			return err
		}
		if seats, err = seat.People(ctx, tx, by.Room.ID); err != nil { // with their new places
			return err
		}
		out = session.object(attendees(seats))
		if err := s.tell(ctx, tx, by.Room, api.EventBreakoutStarted, session, session.StartedAt); err != nil {
			return err
		}
		return s.Stream.Changed(ctx, tx, by.Room.ID)
	})
	return out, err
}

// open writes a new session with its rooms.
func (s *Service) open(ctx context.Context, tx *db.Tx, by actor.Actor, c api.BreakoutCreate) (Session, error) {
	session := newSession(c, api.At(s.Now()).Time)
	session.ID, session.RoomID, session.WorkspaceID, session.StartedBy = id.New(), by.Room.ID, by.Room.WorkspaceID, cmp.Or(by.Person(), apiStarted)
	if err := insertSession(ctx, tx, session); err != nil {
		return session, err
	}
	for i := range session.Rooms {
		session.Rooms[i].ID = id.New()
		if err := s.addRoom(ctx, tx, session, session.Rooms[i]); err != nil {
			return session, err
		}
	}
	return session, nil
}

func (s *Service) addRoom(ctx context.Context, tx *db.Tx, session Session, r Room) error {
	if err := saveRoom(ctx, tx, session.ID, r); err != nil {
		return err
	}
	return mediaroom.Open(ctx, tx, session.RoomID, r.ID)
}

// dealOut gives people their rooms when a session opens.
func (s *Service) dealOut(ctx context.Context, tx *db.Tx, session Session, c api.BreakoutCreate, people []attendee) (Session, error) {
	dealt := deal(c, len(session.Rooms), people, s.Shuffle)
	for _, here := range people {
		i, placed := dealt[here.ID]
		if !placed {
			continue
		}
		p := Placement{Person: here.ID, Name: here.Name, BreakoutID: session.Rooms[i].ID, Belongs: session.AutoJoin, CanReturn: session.AllowReturn}
		if err := s.assign(ctx, tx, session, p); err != nil {
			return session, err
		}
		session = session.with(p)
	}
	return session, nil
}

// assign writes where a person belongs, and sends their devices there. If the
// person is not inside, the devices go to the main room.
func (s *Service) assign(ctx context.Context, tx *db.Tx, session Session, p Placement) error {
	if err := savePlacement(ctx, tx, session.ID, p); err != nil {
		return err
	}
	to := ""
	if p.Belongs {
		to = p.BreakoutID
	}
	return s.Live.Place(ctx, tx, session.RoomID, p.Person, to)
}

// tell appends an event about something that happened to a session at a time.
func (s *Service) tell(ctx context.Context, tx *db.Tx, r room.Room, kind api.EventType, session Session, at time.Time) error {
	return s.Events.Append(ctx, tx, r.WorkspaceID, kind, api.BreakoutEvent{
		Room: r.Ref(), Breakout: session.summary(), OccurredAt: api.At(at),
	})
}

// withSession does something in the session that runs, if authorize allows it. It
// refuses when no session runs, and wakes everybody's streams.
func (s *Service) withSession(ctx context.Context, authorize actor.Authorize, do func(tx *db.Tx, current scene) error) (api.BreakoutSession, error) {
	var out api.BreakoutSession
	err := s.DB.Write(ctx, func(tx *db.Tx) error {
		by, err := authorize(ctx, tx, actor.Directs)
		if err != nil {
			return err
		}
		current, open, err := sceneOf(ctx, tx, by)
		if err == nil && !open {
			err = errNotOpen()
		}
		if err != nil {
			return err
		}
		if err := do(tx, current); err != nil {
			return err
		}
		// The answer is read again, because do may have changed rows of several
		// tables, and seats through package live.
		if current, open, err = sceneOf(ctx, tx, by); err != nil {
			return err
		}
		if open {
			out = current.Session.object(current.People)
		}
		return s.Stream.Changed(ctx, tx, by.Room.ID)
	})
	return out, err
}

// sceneOf reads the session that runs in an actor's room, and the people in its
// meeting; open is false when no session runs.
func sceneOf(ctx context.Context, tx *db.Tx, by actor.Actor) (current scene, open bool, err error) {
	session, err := running(ctx, tx, by.Room.ID)
	if err != nil || session == nil {
		return scene{Actor: by}, false, err
	}
	seats, err := seat.People(ctx, tx, by.Room.ID)
	return scene{by, *session, attendees(seats)}, true, err
}

func errNotOpen() error {
	return fault.Conflicting(api.CodeBreakoutNotOpen, "No breakout rooms are open in this room.")
}

// End closes the rooms: at once, or with a warning when a countdown is over. It
// returns the time at which they close; zero when they close at once.
func (s *Service) End(ctx context.Context, authorize actor.Authorize, warn bool) (roomID string, endsAt time.Time, err error) {
	_, err = s.withSession(ctx, authorize, func(tx *db.Tx, current scene) error {
		roomID, endsAt = current.Actor.Room.ID, time.Time{}
		if !warn {
			return s.close(ctx, tx, current.Actor.Room, current.Session)
		}
		closing := current.Session.warned(api.At(s.Now()).Time)
		endsAt = closing.EndsAt
		return saveEnd(ctx, tx, closing)
	})
	return roomID, endsAt, err
}

// close ends a session: its rooms close, people return to the main room, and the
// rooms' keys are forgotten.
func (s *Service) close(ctx context.Context, tx *db.Tx, r room.Room, session Session) error {
	session.Status, session.ClosedAt = Ended, api.At(s.Now()).Time
	if err := saveEnd(ctx, tx, session); err != nil {
		return err
	}
	for _, b := range session.Rooms {
		if err := s.Live.CloseBreakout(ctx, tx, session.RoomID, b.ID); err != nil {
			return err
		}
	}
	return s.tell(ctx, tx, r, api.EventBreakoutEnded, session, session.ClosedAt)
}

// MeetingEnds ends the session of a meeting that ends, if one runs.
func (s *Service) MeetingEnds(ctx context.Context, tx *db.Tx, r room.Room) error {
	session, err := running(ctx, tx, r.ID)
	if err != nil || session == nil {
		return err
	}
	if err := s.close(ctx, tx, r, *session); err != nil {
		return err
	}
	return s.Stream.Changed(ctx, tx, r.ID)
}

// Renamed changes the name of a person in the session that runs in their room, if
// one does.
func (s *Service) Renamed(ctx context.Context, tx *db.Tx, held seat.Seat) error {
	return renamePlacement(ctx, tx, held.RoomID, seat.Person(held.Identity), held.Name)
}

// PlaceOf returns the breakout of a person who comes in; "" is the main room. So a
// placement lasts when the person leaves and comes back.
func (s *Service) PlaceOf(ctx context.Context, tx *db.Tx, roomID, person string) (string, error) {
	session, err := running(ctx, tx, roomID)
	if err != nil || session == nil {
		return "", err
	}
	if p, known := session.placement(person); known && p.Belongs {
		return p.BreakoutID, nil
	}
	return "", nil
}
