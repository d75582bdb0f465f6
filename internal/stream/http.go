package stream

import (
	"fmt"
	"net/http"

	"github.com/conclave-rooms/conclave/internal/rest"
)

// MountMeet registers the stream that the holder of a ticket follows.
func (s *Service) MountMeet(d *rest.Group) {
	rest.HandleRaw(d, rest.Op{
		ID: "events", Method: http.MethodGet, Path: "/events", Tag: "Seat", Limit: rest.ClassStreams, Produces: "text/event-stream",
		Summary: "Follow the meeting", Description: "A stream of server-sent events; docs/reference/meeting-protocol.md names them. With `?changes=people`, the list of people comes as the event people_changed.",
	}, s.follow)
	rest.AddEvent(d, "room", "The room, as it is now.", RoomView{})
	rest.AddEvent(d, "you", "The person who follows the stream.", youView{})
	rest.AddEvent(d, "people", "The people in the meeting, in the order in which they came. For people who are in.", []personView{})
	rest.AddEvent(d, "people_changed", "What changed about the people in the meeting. Instead of people, for devices that ask for it.", peopleChanged{})
	rest.AddEvent(d, "door", "The door's decision: the person waits, or may connect.", doorView{})
	rest.AddEvent(d, "waiting", "The people who knock. For hosts.", []knockingView{})
	rest.AddEvent(d, "meeting", "The meeting that runs; null while none does.", (*meetingView)(nil))
	rest.AddEvent(d, "restarting", "The last event before the service restarts.", restartingView{})
	rest.AddEvent(d, "end", "The last event of a seat that is over.", endView{})
}

func (s *Service) follow(w http.ResponseWriter, r *http.Request) error {
	ticket := rest.Bearer(r.Context())
	// Check the ticket while a refusal can still be sent.
	held, err := s.Holder(r.Context(), ticket)
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
	return s.Follow(r.Context(), held, ticket, newStream(w, flush, r.Header.Get("Last-Event-ID"), r.URL.Query().Get("changes")))
}
