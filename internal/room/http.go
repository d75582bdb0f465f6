package room

import (
	"context"
	"net/http"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/rest"
)

type listInput struct {
	Limit         int    `query:"limit" minimum:"1" maximum:"100" default:"25" doc:"How many rooms at most."`
	StartingAfter string `query:"starting_after" doc:"Id of a room: only rooms made before it." format:"uuid"`
}

type roomInput struct {
	RoomID string `path:"room_id" doc:"Id of the room." format:"uuid"`
}

type createInput struct {
	Body api.RoomCreate
}

type updateInput struct {
	RoomID string `path:"room_id" doc:"Id of the room." format:"uuid"`
	Body   api.RoomUpdate
}

// created is a new room, with its address.
type created struct{ api.Room }

// Location is the room's path below the group's prefix.
func (c created) Location() string { return "/rooms/" + c.ID }

// Mount registers the operations of the API.
func (s *Service) Mount(d *rest.Group) {
	rest.Handle(d, rest.Op{
		ID: "listRooms", Method: http.MethodGet, Path: "/rooms", Tag: "Rooms", Scope: api.ScopeRoomsRead,
		Summary: "List rooms", Description: "The workspace's rooms, newest first.",
	}, s.list)
	rest.Handle(d, rest.Op{
		ID: "createRoom", Method: http.MethodPost, Path: "/rooms", Tag: "Rooms", Scope: api.ScopeRoomsWrite, Status: http.StatusCreated, Object: api.Room{},
		Summary: "Create a room", Description: "Settings that are left out have their defaults. Sends room.created.",
	}, s.create, rest.Current(s.blank), rest.Rules(func(_ context.Context, in *createInput, wrong func(string) bool) error {
		return refuseOthers("", in.Body.Settings, wrong)
	}))
	rest.Handle(d, rest.Op{
		ID: "getRoom", Method: http.MethodGet, Path: "/rooms/{room_id}", Tag: "Rooms", Scope: api.ScopeRoomsRead,
		Summary: "Retrieve a room",
	}, s.get)
	rest.Handle(d, rest.Op{
		ID: "updateRoom", Method: http.MethodPatch, Path: "/rooms/{room_id}", Tag: "Rooms", Scope: api.ScopeRoomsWrite, Object: api.Room{},
		Summary: "Change a room",
		Description: "A JSON merge patch: what is left out stays, settings merge key by key. Settings that decide what people may do apply to a running meeting at once. " +
			"Sends room.updated when something changed.",
		Errors: []string{api.CodeMeetingRunning, api.CodeRoomNotManaged},
	}, s.update, rest.Current(s.current), rest.Rules(s.everythingWrong))
	rest.Handle(d, rest.Op{
		ID: "deleteRoom", Method: http.MethodDelete, Path: "/rooms/{room_id}", Tag: "Rooms", Scope: api.ScopeRoomsWrite,
		Summary:     "Delete a room",
		Description: "Its meeting ends, and its link, tokens and join links stop working. Sends room.deleted, after the events of the meeting that ended.",
		Errors:      []string{api.CodeRoomNotManaged},
	}, s.remove)
}

func (s *Service) list(ctx context.Context, in *listInput) (api.List[api.Room], error) {
	rooms, more, err := s.List(ctx, auth.From(ctx), in.Limit, in.StartingAfter)
	return rest.ListOf(rooms, more, func(r Room) api.Room { return r.shownTo(auth.From(ctx), s.PublicURL) }), err
}

func (s *Service) create(ctx context.Context, in *createInput) (created, error) {
	r, err := s.Create(ctx, auth.From(ctx), in.Body, TypeMeeting)
	if err != nil {
		return created{}, err
	}
	return created{r.shownTo(auth.From(ctx), s.PublicURL)}, nil
}

// blank is a new room with default values. Read-only fields in a request may only
// have these values. The id, the code and the times have no value yet, so nothing
// in the request can match them.
func (s *Service) blank(ctx context.Context, in *createInput) (any, error) {
	r, err := s.New(auth.From(ctx), in.Body, TypeMeeting)
	if err != nil {
		return nil, err
	}
	r.ID, r.Code = "", ""
	return r.shownTo(auth.From(ctx), s.PublicURL), nil
}

func (s *Service) get(ctx context.Context, in *roomInput) (api.Room, error) {
	r, err := s.Get(ctx, auth.From(ctx), in.RoomID)
	if err != nil {
		return api.Room{}, err
	}
	return r.shownTo(auth.From(ctx), s.PublicURL), nil
}

func (s *Service) update(ctx context.Context, in *updateInput) (api.Room, error) {
	r, err := s.Update(ctx, auth.From(ctx), in.RoomID, in.Body)
	if err != nil {
		return api.Room{}, err
	}
	return r.shownTo(auth.From(ctx), s.PublicURL), nil
}

func (s *Service) current(ctx context.Context, in *updateInput) (any, error) {
	return s.get(ctx, &roomInput{RoomID: in.RoomID})
}

func (s *Service) remove(ctx context.Context, in *roomInput) (api.Room, error) {
	r, err := s.Delete(ctx, auth.From(ctx), in.RoomID)
	if err != nil {
		return api.Room{}, err
	}
	return r.shownTo(auth.From(ctx), s.PublicURL), nil
}
