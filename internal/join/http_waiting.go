package join

import (
	"context"
	"net/http"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/actor"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/rest"
	"github.com/conclave-rooms/conclave/internal/seat"
)

type waitingInput struct {
	RoomID string `path:"room_id" doc:"Id of the room." format:"uuid"`
}

type decideInput struct {
	RoomID   string `path:"room_id" doc:"Id of the room." format:"uuid"`
	Identity string `path:"identity" doc:"Identity of somebody who waits."`
	Body     api.WaitingDecision
}

// MountWaiting registers what a key may do in the waiting room.
func (s *Service) MountWaiting(d *rest.Group) {
	rest.Handle(d, rest.Op{
		ID: "listWaiting", Method: http.MethodGet, Path: "/rooms/{room_id}/waiting", Tag: "Waiting room", Scope: api.ScopeParticipantsRead,
		Summary: "List who waits", Description: "Who waits for a host to let them in, oldest first. Those who wait for a host to arrive are not listed. The list has no has_more.",
		Errors: []string{api.CodeRoomNotManaged},
	}, func(ctx context.Context, in *waitingInput) (api.List[api.WaitingParticipant], error) {
		seats, err := s.Waiting(ctx, actor.ByKey(auth.From(ctx), in.RoomID))
		list := api.List[api.WaitingParticipant]{Object: "list", Data: make([]api.WaitingParticipant, len(seats))}
		for i, held := range seats {
			list.Data[i] = waitingParticipant(held)
		}
		return list, err
	})
	rest.Handle(d, rest.Op{
		ID: "decideWaiting", Method: http.MethodPost, Path: "/rooms/{room_id}/waiting/{identity}", Tag: "Waiting room", Scope: api.ScopeParticipantsWrite, Object: api.WaitingParticipant{},
		Summary: "Admit or deny somebody", Description: "The person enters by themselves once admitted, or is turned away; they may knock once more. While the room is locked nobody is admitted; they keep waiting.",
		Errors: []string{api.CodeRoomNotManaged, api.CodeRoomLocked},
	}, func(ctx context.Context, in *decideInput) (api.WaitingDecided, error) {
		err := s.Decide(ctx, actor.ByKey(auth.From(ctx), in.RoomID), in.Identity, in.Body.Decision == "admit")
		return api.WaitingDecided{Object: "waiting_participant", Identity: in.Identity, Decision: in.Body.Decision}, err
	}, rest.Current(s.currentWaiting))
}

func waitingParticipant(held seat.Seat) api.WaitingParticipant {
	return api.WaitingParticipant{Object: "waiting_participant", Identity: held.Identity, Name: held.Name}
}

// currentWaiting returns the person that a request admits or turns away. Read-only fields
// in the request may only have these values, in every request.
func (s *Service) currentWaiting(ctx context.Context, in *decideInput) (any, error) {
	held, err := s.knocker(ctx, auth.From(ctx).WorkspaceID, in.RoomID, in.Identity)
	return waitingParticipant(held), err
}

type answerInput struct {
	Identity string `path:"identity" doc:"Identity of somebody who waits."`
	Body     api.WaitingDecision
}

// admittedAll is the answer to a host who admitted everybody.
type admittedAll struct {
	Object string `json:"object" enum:"done"`
	Done   bool   `json:"done"`
}

// MountMeetWaiting registers what hosts and co-hosts do in the meeting itself.
func (s *Service) MountMeetWaiting(d *rest.Group) {
	rest.Handle(d, rest.Op{
		ID: "hostDecide", Method: http.MethodPost, Path: "/waiting/{identity}", Tag: "Host", Summary: "Admit or deny somebody",
		Errors: []string{api.CodeHostOnly, api.CodeNotInMeeting, api.CodeRoomLocked},
	}, func(ctx context.Context, in *answerInput) (api.WaitingDecided, error) {
		err := s.Decide(ctx, actor.ByHost(rest.Bearer(ctx), s.Now), in.Identity, in.Body.Decision == "admit")
		return api.WaitingDecided{Object: "waiting_participant", Identity: in.Identity, Decision: in.Body.Decision}, err
	})
	rest.Handle(d, rest.Op{
		ID: "hostAdmitAll", Method: http.MethodPost, Path: "/admit-all", Tag: "Host", Summary: "Admit everybody who waits",
		Errors: []string{api.CodeHostOnly, api.CodeNotInMeeting, api.CodeRoomLocked},
	}, func(ctx context.Context, _ *struct{}) (admittedAll, error) {
		return admittedAll{"done", true}, s.AdmitAll(ctx, actor.ByHost(rest.Bearer(ctx), s.Now))
	})
}
