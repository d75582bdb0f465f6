package poll

import (
	"context"
	"net/http"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/actor"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/rest"
)

type roomInput struct {
	RoomID string `path:"room_id" doc:"Id of the room." format:"uuid"`
}

type createInput struct {
	RoomID string `path:"room_id" doc:"Id of the room." format:"uuid"`
	Body   api.PollCreate
}

type pollInput struct {
	PollID string `path:"poll_id" doc:"Id of the poll." format:"uuid"`
}

type updateInput struct {
	PollID string `path:"poll_id" doc:"Id of the poll." format:"uuid"`
	Body   api.PollUpdate
}

// created is a new poll, with its address.
type created struct{ api.Poll }

// Location is the poll's path below the group's prefix.
func (c created) Location() string { return "/polls/" + c.ID }

// Mount registers the operations of the API.
func (s *Service) Mount(d *rest.Group) {
	rest.Handle(d, rest.Op{
		ID: "listPolls", Method: http.MethodGet, Path: "/rooms/{room_id}/polls", Tag: "Polls", Scope: api.ScopePollsRead,
		Summary: "List polls", Description: "The polls asked in the last 24 hours, newest first, with counts. The API never shows who voted for what.",
		Errors: []string{api.CodeRoomNotManaged},
	}, s.list)
	rest.Handle(d, rest.Op{
		ID: "createPoll", Method: http.MethodPost, Path: "/rooms/{room_id}/polls", Tag: "Polls", Scope: api.ScopePollsWrite, Status: http.StatusCreated, Object: api.Poll{},
		Summary: "Ask a poll", Description: "The poll appears at once in the running meeting, or in the next one when none is running. A room has at most 500 polls in 24 hours. Sends poll.created.",
		Errors: []string{api.CodeLimitReached, api.CodeRoomNotManaged},
	}, s.create, rest.Current(s.blank))
	rest.Handle(d, rest.Op{
		ID: "updatePoll", Method: http.MethodPatch, Path: "/polls/{poll_id}", Tag: "Polls", Scope: api.ScopePollsWrite, Object: api.Poll{},
		Summary: "Close a poll, or open it again",
		Description: "Closing stops the voting, shows everybody the counts and sends poll.closed. Opening it again takes new votes. " +
			"Setting the status it already has does nothing.",
		Errors: []string{api.CodeRoomNotManaged},
	}, s.update, rest.Current(s.current))
	rest.Handle(d, rest.Op{
		ID: "deletePoll", Method: http.MethodDelete, Path: "/polls/{poll_id}", Tag: "Polls", Scope: api.ScopePollsWrite,
		Summary: "Delete a poll", Description: "Deletes the poll and its votes for everyone.",
		Errors: []string{api.CodeRoomNotManaged},
	}, s.delete)
}

func (s *Service) list(ctx context.Context, in *roomInput) (api.List[api.Poll], error) {
	polls, err := s.List(ctx, auth.From(ctx), in.RoomID)
	return rest.ListOf(polls, false, Poll.Object), err
}

func (s *Service) create(ctx context.Context, in *createInput) (created, error) {
	p, err := s.Create(ctx, actor.ByKey(auth.From(ctx), in.RoomID), in.Body)
	return created{p.Object()}, err
}

// blank is a new poll. Read-only fields in a request may only have these values. The
// id and created_at have no value yet, so nothing in the request can match them.
func (s *Service) blank(ctx context.Context, in *createInput) (any, error) {
	creator := ByAPI
	if p := auth.From(ctx); p.Session {
		creator = p.Name
	}
	return api.Poll{Object: "poll", RoomID: in.RoomID, Status: Open, CreatedBy: creator}, nil
}

func (s *Service) update(ctx context.Context, in *updateInput) (api.Poll, error) {
	p, err := s.setStatus(ctx, s.byKey(auth.From(ctx), in.PollID), in.Body.Status)
	return p.Object(), err
}

func (s *Service) current(ctx context.Context, in *updateInput) (any, error) {
	p, err := s.get(ctx, s.inWorkspace(auth.From(ctx).WorkspaceID, in.PollID))
	return p.Object(), err
}

func (s *Service) delete(ctx context.Context, in *pollInput) (api.PollDeleted, error) {
	p, err := s.remove(ctx, s.byKey(auth.From(ctx), in.PollID))
	return api.PollDeleted{Object: "poll", ID: p.ID, Deleted: true}, err
}
