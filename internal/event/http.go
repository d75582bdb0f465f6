package event

import (
	"context"
	"net/http"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/rest"
)

type listInput struct {
	Limit         int           `query:"limit" minimum:"1" maximum:"100" default:"25" doc:"How many events at most."`
	StartingAfter string        `query:"starting_after" doc:"Id of an event: only events before it."`
	Type          api.EventType `query:"type" enum:"room.created,room.updated,room.deleted,room.started,room.finished,participant.joined,participant.left,participant.stage_changed,meeting.scheduled,meeting.updated,meeting.cancelled,poll.created,poll.closed,breakout.started,breakout.ended,recording.ready,webhook.test" doc:"Only events of this type."`
}

type getInput struct {
	EventID string `path:"event_id" doc:"Id of the event."`
}

// Mount registers the operations of the API.
func (s *Service) Mount(g *rest.Group) {
	rest.Handle(g, rest.Op{
		ID: "listEvents", Method: http.MethodGet, Path: "/events", Tag: "Webhooks", Scope: api.ScopeWebhooksManage,
		Summary: "List events", Description: "The workspace's events of the last 30 days, newest first, whether or not they were sent to an endpoint.",
	}, func(ctx context.Context, in *listInput) (api.List[api.Event], error) {
		events, more, err := s.List(ctx, auth.From(ctx), in.Type, in.Limit, in.StartingAfter)
		return rest.ListOf(events, more, object), err
	})
	rest.Handle(g, rest.Op{
		ID: "getEvent", Method: http.MethodGet, Path: "/events/{event_id}", Tag: "Webhooks", Scope: api.ScopeWebhooksManage,
		Summary: "Retrieve an event",
	}, func(ctx context.Context, in *getInput) (api.Event, error) {
		e, err := s.Get(ctx, auth.From(ctx), in.EventID)
		if err != nil {
			return api.Event{}, err
		}
		return object(e), nil
	})
}

// object is an event as the API shows it.
func object(e Event) api.Event {
	return api.Event{Object: "event", ID: e.ID, Type: e.Type, CreatedAt: api.At(e.CreatedAt), Data: e.Data}
}
