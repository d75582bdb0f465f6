package breakout

import (
	"context"
	"net/http"
	"slices"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/actor"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/rest"
)

type roomInput struct {
	RoomID string `path:"room_id" doc:"Id of the room." format:"uuid"`
}

type startInput struct {
	RoomID string `path:"room_id" doc:"Id of the room." format:"uuid"`
	Body   api.BreakoutCreate
}

type assignInput struct {
	RoomID string `path:"room_id" doc:"Id of the room." format:"uuid"`
	Body   api.BreakoutAssign
}

type addInput struct {
	RoomID string `path:"room_id" doc:"Id of the room." format:"uuid"`
	Body   api.BreakoutRoomCreate
}

type renameInput struct {
	RoomID     string `path:"room_id" doc:"Id of the room." format:"uuid"`
	BreakoutID string `path:"breakout_id" doc:"Id of the breakout room." format:"uuid"`
	Body       api.BreakoutRoomUpdate
}

type removeInput struct {
	RoomID     string `path:"room_id" doc:"Id of the room." format:"uuid"`
	BreakoutID string `path:"breakout_id" doc:"Id of the breakout room." format:"uuid"`
}

type announceInput struct {
	RoomID string `path:"room_id" doc:"Id of the room." format:"uuid"`
	Body   api.BreakoutAnnounce
}

type endInput struct {
	RoomID string `path:"room_id" doc:"Id of the room." format:"uuid"`
	Body   api.BreakoutEnd
}

// created is a session that was opened, with its address while it runs. People in
// the meeting get the session on their streams instead.
type created struct{ api.BreakoutSession }

// Location is the session's path below the group's prefix.
func (c created) Location() string { return "/rooms/" + c.RoomID + "/breakouts" }

const root = "/rooms/{room_id}/breakouts"

// change is what the operations that change something have in common; below is
// their path below the root.
func change(id, method, below string, object any, summary, description string, codes ...string) rest.Op {
	return rest.Op{
		ID: id, Method: method, Path: root + below, Tag: "Breakout rooms", Scope: api.ScopeBreakoutsWrite, Object: object,
		Summary: summary, Description: description, Errors: append(codes, api.CodeRoomNotManaged),
	}
}

// Mount registers the operations of the API.
func (s *Service) Mount(d *rest.Group) {
	rest.Handle(d, rest.Op{
		ID: "getBreakouts", Method: http.MethodGet, Path: root, Tag: "Breakout rooms", Scope: api.ScopeBreakoutsRead,
		Summary: "Look at the breakout rooms", Description: "The session that runs, with who is where, and the ten most recent ones that are over.",
		Errors: []string{api.CodeRoomNotManaged},
	}, func(ctx context.Context, in *roomInput) (api.Breakouts, error) {
		return s.List(ctx, actor.ByKey(auth.From(ctx), in.RoomID))
	})
	start := change("startBreakouts", http.MethodPost, "", api.BreakoutSession{}, "Open breakout rooms",
		"Splits the meeting into rooms, each with its own end-to-end key, and deals people out. With no meeting running the rooms open empty. Sends breakout.started.",
		api.CodeBreakoutAlreadyOpen)
	start.Status = http.StatusCreated
	rest.Handle(d, start, func(ctx context.Context, in *startInput) (created, error) {
		session, err := s.Start(ctx, actor.ByKey(auth.From(ctx), in.RoomID), in.Body)
		return created{session}, err
	}, rest.Current(func(_ context.Context, in *startInput) (any, error) {
		return api.BreakoutSession{Object: "breakout_session", RoomID: in.RoomID, Status: string(Open)}, nil
	}), rest.Rules(func(_ context.Context, in *startInput, wrong func(string) bool) error {
		return checkOthers(in.Body, wrong)
	}))
	rest.Handle(d, change("assignBreakout", http.MethodPost, "/assignments", api.BreakoutSession{}, "Place somebody",
		"Takes effect at once for people who are connected, and holds for people who reconnect. Clients that do not follow the meeting's events cannot be moved and stay unassigned.",
		api.CodeBreakoutNotOpen),
		func(ctx context.Context, in *assignInput) (api.BreakoutSession, error) {
			return s.Assign(ctx, actor.ByKey(auth.From(ctx), in.RoomID), in.Body)
		}, rest.Current(func(ctx context.Context, in *assignInput) (any, error) {
			session, _, err := s.current(ctx, auth.From(ctx).WorkspaceID, in.RoomID)
			return session, err
		}))
	announce := change("announceBreakouts", http.MethodPost, "/announce", api.BreakoutAnnouncement{}, "Announce something",
		"Shown to everybody in the meeting and in every breakout. Not end-to-end encrypted. At most ten a minute.", api.CodeBreakoutNotOpen)
	rest.Handle(d, announce,
		func(ctx context.Context, in *announceInput) (api.BreakoutAnnouncement, error) {
			return s.announce(ctx, actor.ByKey(auth.From(ctx), in.RoomID), in.Body.Message)
		}, rest.Current(func(_ context.Context, in *announceInput) (any, error) {
			return api.BreakoutAnnouncement{Object: "breakout_announcement", RoomID: in.RoomID, Sent: true}, nil
		}))
	rest.Handle(d, change("endBreakouts", http.MethodPost, "/end", api.BreakoutsEnded{}, "Close the breakout rooms",
		"At once, or with warn after a countdown of 60 seconds. Everybody returns to the main room. Sends breakout.ended when it is over.", api.CodeBreakoutNotOpen),
		func(ctx context.Context, in *endInput) (api.BreakoutsEnded, error) {
			return s.end(ctx, actor.ByKey(auth.From(ctx), in.RoomID), in.Body.Warn.Value)
		}, rest.Current(func(_ context.Context, in *endInput) (any, error) {
			return api.BreakoutsEnded{Object: "breakouts", RoomID: in.RoomID, Ended: !in.Body.Warn.Value, Closing: in.Body.Warn.Value}, nil
		}))
	s.mountRooms(d)
}

// mountRooms registers the operations on the rooms of a session.
func (s *Service) mountRooms(d *rest.Group) {
	rest.Handle(d, change("addBreakoutRoom", http.MethodPost, "/rooms", api.BreakoutRoom{}, "Add a room", "A room with its own key, up to 50 in a session.",
		api.CodeBreakoutNotOpen, api.CodeLimitReached),
		func(ctx context.Context, in *addInput) (api.BreakoutSession, error) {
			return s.Add(ctx, actor.ByKey(auth.From(ctx), in.RoomID), in.Body.Name.Or(""))
		}, rest.Current(func(context.Context, *addInput) (any, error) {
			return api.BreakoutRoom{Members: []api.BreakoutMember{}}, nil
		}))
	rest.Handle(d, change("renameBreakoutRoom", http.MethodPatch, "/rooms/{breakout_id}", api.BreakoutRoom{}, "Rename a room", "", api.CodeBreakoutNotOpen),
		func(ctx context.Context, in *renameInput) (api.BreakoutSession, error) {
			return s.Rename(ctx, actor.ByKey(auth.From(ctx), in.RoomID), in.BreakoutID, in.Body.Name.Value)
		}, rest.Current(s.currentRoom))
	rest.Handle(d, change("removeBreakoutRoom", http.MethodDelete, "/rooms/{breakout_id}", nil, "Remove a room",
		"People in it return to the main room. A session keeps at least one room.", api.CodeBreakoutNotOpen, api.CodeLastBreakoutRoom),
		func(ctx context.Context, in *removeInput) (api.BreakoutSession, error) {
			return s.Remove(ctx, actor.ByKey(auth.From(ctx), in.RoomID), in.BreakoutID)
		})
}

// currentRoom is one room of the session that runs. When none runs, it is a room without
// a name and people.
func (s *Service) currentRoom(ctx context.Context, in *renameInput) (any, error) {
	session, open, err := s.current(ctx, auth.From(ctx).WorkspaceID, in.RoomID)
	if err != nil {
		return nil, err
	}
	if !open {
		return api.BreakoutRoom{ID: in.BreakoutID, Members: []api.BreakoutMember{}}, nil
	}
	i := slices.IndexFunc(session.Rooms, func(r api.BreakoutRoom) bool { return r.ID == in.BreakoutID })
	if i < 0 {
		return nil, fault.Missing()
	}
	return session.Rooms[i], nil
}

// end closes a session and says what became of it.
func (s *Service) end(ctx context.Context, authorize actor.Authorize, warn bool) (api.BreakoutsEnded, error) {
	roomID, endsAt, err := s.End(ctx, authorize, warn)
	return api.BreakoutsEnded{Object: "breakouts", RoomID: roomID, Ended: !warn, Closing: warn, EndsAt: api.TimeOrNull(endsAt)}, err
}
