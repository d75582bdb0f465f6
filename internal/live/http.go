package live

import (
	"context"
	"net/http"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/rest"
)

type roomInput struct {
	RoomID string `path:"room_id" doc:"Id of the room." format:"uuid"`
}

// Mount registers the operations of the API.
func (s *Service) Mount(d *rest.Group) {
	rest.Handle(d, rest.Op{
		ID: "listParticipants", Method: http.MethodGet, Path: "/rooms/{room_id}/participants", Tag: "Participants", Scope: api.ScopeParticipantsRead,
		Summary:     "List participants",
		Description: "Who is in the meeting now, oldest first; empty when no meeting runs. The same person on two devices is listed twice.",
		Errors:      []string{api.CodeMediaUnavailable, api.CodeRoomNotManaged},
	}, func(ctx context.Context, in *roomInput) (participantList, error) {
		people, err := s.Participants(ctx, auth.From(ctx), in.RoomID)
		return api.ListOf(people, false), err
	})
}

type handInput struct {
	Body struct {
		Raised bool `json:"raised" doc:"Up or down."`
	}
}

// handAnswer is a seat after its hand went up or down.
type handAnswer struct {
	Object     string `json:"object" enum:"seat"`
	Identity   string `json:"identity"`
	HandRaised bool   `json:"hand_raised"`
}

type nameInput struct {
	Body struct {
		Name string `json:"name" person:"true" minLength:"1" maxLength:"60" doc:"The new display name."`
	}
}

// nameAnswer is a seat whose holder has another name.
type nameAnswer struct {
	Object   string `json:"object" enum:"seat"`
	Identity string `json:"identity"`
	Name     string `json:"name"`
}

// leaveAnswer is a seat that was given up.
type leaveAnswer struct {
	Object   string `json:"object" enum:"seat"`
	Identity string `json:"identity"`
	Left     bool   `json:"left"`
}

// participantList is the list of people who are in.
type participantList = api.List[api.Participant]

// MountMeet registers what the holder of a ticket may ask.
func (s *Service) MountMeet(d *rest.Group) {
	rest.Handle(d, rest.Op{
		ID: "leave", Method: http.MethodPost, Path: "/leave", Tag: "Seat",
		Summary: "Leave the meeting", Description: "Gives the seat up for good.",
	}, func(ctx context.Context, _ *struct{}) (leaveAnswer, error) {
		held, err := s.Leave(ctx, rest.Bearer(ctx))
		return leaveAnswer{Object: "seat", Identity: held.Identity, Left: true}, err
	})
	rest.Handle(d, rest.Op{
		ID: "raiseHand", Method: http.MethodPost, Path: "/hand", Tag: "Seat", Summary: "Raise or lower the hand",
	}, func(ctx context.Context, in *handInput) (handAnswer, error) {
		held, err := s.RaiseHand(ctx, rest.Bearer(ctx), in.Body.Raised)
		return handAnswer{Object: "seat", Identity: held.Identity, HandRaised: in.Body.Raised}, err
	})
	rest.Handle(d, rest.Op{
		ID: "rename", Method: http.MethodPost, Path: "/name", Tag: "Seat", Summary: "Change one's name",
		Description: "For people who chose their name themselves when they came. At most once in five seconds.",
		Errors:      []string{api.CodeNotInMeeting, api.CodeCannotRename},
	}, func(ctx context.Context, in *nameInput) (nameAnswer, error) {
		held, err := s.Rename(ctx, rest.Bearer(ctx), in.Body.Name)
		return nameAnswer{Object: "seat", Identity: held.Identity, Name: held.Name}, err
	})
}

// MeetAuthenticator recognises tickets for the edge, which counts requests by
// seat and refused tickets by address. What people change counts for their room
// too, but not what hosts change: a crowd in the room must not keep them from
// acting on it. The handlers check, inside their transaction, whether the seat may
// still do what is asked.
func (s *Service) MeetAuthenticator(ctx context.Context, ticket string) (context.Context, string, error) {
	held, err := s.Stream.Holder(ctx, ticket)
	if held.RoleNow() != api.RoleHost {
		ctx = rest.InRoom(ctx, held.RoomID)
	}
	return ctx, held.RoomID + "/" + held.Identity, err
}
