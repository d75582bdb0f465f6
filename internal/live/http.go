package live

import (
	"context"
	"fmt"
	"net/http"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/rest"
	"github.com/conclave-rooms/conclave/internal/seat"
)

type roomInput struct {
	RoomID string `path:"room_id" doc:"Id of the room." format:"uuid"`
}

// Mount registers the operations of the API.
func (s *Service) Mount(d *rest.Door) {
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

// MountMeet registers what the holder of a ticket may ask.
func (s *Service) MountMeet(d *rest.Door) {
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
	rest.HandleRaw(d, rest.Op{
		ID: "events", Method: http.MethodGet, Path: "/events", Tag: "Seat", Produces: "text/event-stream",
		Summary: "Follow the meeting", Description: "A stream of server-sent events; docs/reference/meeting-protocol.md names them.",
	}, s.follow)
}

func (s *Service) follow(w http.ResponseWriter, r *http.Request) error {
	ticket := rest.Bearer(r.Context())
	// Find out whether the ticket is good while a refusal can still be said.
	var held seat.Seat
	err := s.DB.Read(r.Context(), func(tx *db.Tx) (err error) {
		held, _, err = seat.AnyByTicket(r.Context(), tx, ticket)
		return err
	})
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no") // nginx would hold events back
	w.WriteHeader(http.StatusOK)
	flush := http.NewResponseController(w).Flush
	if err := flush(); err != nil {
		return fmt.Errorf("stream: %w", err)
	}
	return s.Follow(r.Context(), held, ticket, newStream(w, flush, r.Header.Get("Last-Event-ID")))
}

// MeetAuthenticator recognises tickets for the edge, which counts requests by
// seat and refused tickets by address. What people change counts for their room
// too, but not what hosts change: a crowd in the room must not keep them from
// acting on it. Whether the seat may still do what is asked is the handlers'
// business, inside their transaction.
func (s *Service) MeetAuthenticator(ctx context.Context, ticket string) (context.Context, string, error) {
	var held seat.Seat
	err := s.DB.Read(ctx, func(tx *db.Tx) (err error) {
		held, _, err = seat.AnyByTicket(ctx, tx, ticket)
		return err
	})
	if held.RoleNow() != api.RoleHost {
		ctx = rest.InRoom(ctx, held.RoomID)
	}
	return ctx, held.RoomID + "/" + held.Identity, err
}
