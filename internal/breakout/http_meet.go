package breakout

import (
	"context"
	"net/http"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/actor"
	"github.com/conclave-rooms/conclave/internal/rest"
)

type joinInput struct {
	Body struct {
		BreakoutID string `json:"breakout_id" doc:"The room to go to."`
	}
}

type meetStart struct{ Body api.BreakoutCreate }

type meetAssign struct{ Body api.BreakoutAssign }

type meetAdd struct{ Body api.BreakoutRoomCreate }

type meetRename struct {
	BreakoutID string `path:"breakout_id" doc:"Id of the breakout room."`
	Body       api.BreakoutRoomUpdate
}

type meetRemove struct {
	BreakoutID string `path:"breakout_id" doc:"Id of the breakout room."`
}

type meetAnnounce struct{ Body api.BreakoutAnnounce }

type meetEnd struct{ Body api.BreakoutEnd }

// MountMeet registers what people do in the meeting itself.
func (s *Service) MountMeet(d *rest.Group) {
	rest.Handle(d, rest.Op{
		ID: "joinBreakout", Method: http.MethodPost, Path: "/breakouts/join", Tag: "Seat", Summary: "Go to a breakout room",
		Description: "To one's own, to any where people choose, and for a host to any.",
		Errors:      []string{api.CodeNotFound, api.CodeBreakoutNotOpen, api.CodeBreakoutNotYours, api.CodeNotInMeeting},
	}, func(ctx context.Context, in *joinInput) (rest.Done, error) {
		return rest.Did(s.Join(ctx, rest.Bearer(ctx), in.Body.BreakoutID))
	})
	rest.Handle(d, rest.Op{
		ID: "returnFromBreakout", Method: http.MethodPost, Path: "/breakouts/return", Tag: "Seat", Summary: "Return to the main room",
		Errors: []string{api.CodeBreakoutNotOpen, api.CodeNotInMeeting, api.CodeReturnNotAllowed},
	}, func(ctx context.Context, _ *struct{}) (rest.Done, error) {
		return rest.Did(s.Return(ctx, rest.Bearer(ctx)))
	})
	rest.AddEvent(d, "breakouts", "Breakout rooms, as one person sees them.", breakoutsView{})
	rest.AddEvent(d, "announcement", "A host's message to every room, for a minute. Not end-to-end encrypted.", (*announcementView)(nil))
	s.mountHost(d)
}

// mountHost registers what hosts and co-hosts do.
func (s *Service) mountHost(d *rest.Group) {
	op := func(id, method, path, summary string, codes ...string) rest.Op {
		return rest.Op{ID: id, Method: method, Path: "/breakouts" + path, Tag: "Host", Summary: summary, Errors: append(codes, api.CodeHostOnly, api.CodeNotInMeeting)}
	}
	start := op("hostStartBreakouts", http.MethodPost, "", "Open breakout rooms", api.CodeBreakoutAlreadyOpen, api.CodeOwnHost)
	start.Status = http.StatusCreated
	rest.Handle(d, start, func(ctx context.Context, in *meetStart) (api.BreakoutSession, error) {
		return s.Start(ctx, actor.ByHost(rest.Bearer(ctx), s.Now), in.Body)
	}, rest.Rules(func(_ context.Context, in *meetStart, wrong func(string) bool) error {
		return checkOthers(in.Body, wrong)
	}))
	rest.Handle(d, op("hostAssignBreakout", http.MethodPost, "/assignments", "Place somebody", api.CodeNotFound, api.CodeBreakoutNotOpen, api.CodeOwnHost),
		func(ctx context.Context, in *meetAssign) (api.BreakoutSession, error) {
			return s.Assign(ctx, actor.ByHost(rest.Bearer(ctx), s.Now), in.Body)
		})
	rest.Handle(d, op("hostAddBreakoutRoom", http.MethodPost, "/rooms", "Add a room", api.CodeBreakoutNotOpen, api.CodeLimitReached),
		func(ctx context.Context, in *meetAdd) (api.BreakoutSession, error) {
			return s.Add(ctx, actor.ByHost(rest.Bearer(ctx), s.Now), in.Body.Name.Or(""))
		})
	rest.Handle(d, op("hostRenameBreakoutRoom", http.MethodPatch, "/rooms/{breakout_id}", "Rename a room", api.CodeBreakoutNotOpen),
		func(ctx context.Context, in *meetRename) (api.BreakoutSession, error) {
			return s.Rename(ctx, actor.ByHost(rest.Bearer(ctx), s.Now), in.BreakoutID, in.Body.Name.Value)
		})
	rest.Handle(d, op("hostRemoveBreakoutRoom", http.MethodDelete, "/rooms/{breakout_id}", "Remove a room", api.CodeBreakoutNotOpen, api.CodeLastBreakoutRoom),
		func(ctx context.Context, in *meetRemove) (api.BreakoutSession, error) {
			return s.Remove(ctx, actor.ByHost(rest.Bearer(ctx), s.Now), in.BreakoutID)
		})
	rest.Handle(d, op("hostAnnounceBreakouts", http.MethodPost, "/announce", "Announce something", api.CodeBreakoutNotOpen, api.CodeRateLimited),
		func(ctx context.Context, in *meetAnnounce) (api.BreakoutAnnouncement, error) {
			return s.announce(ctx, actor.ByHost(rest.Bearer(ctx), s.Now), in.Body.Message)
		})
	rest.Handle(d, op("hostEndBreakouts", http.MethodPost, "/end", "Close the breakout rooms", api.CodeBreakoutNotOpen),
		func(ctx context.Context, in *meetEnd) (api.BreakoutsEnded, error) {
			return s.end(ctx, actor.ByHost(rest.Bearer(ctx), s.Now), in.Body.Warn.Value)
		})
}

// announce announces a message of a host or a key. It counts the announcements of
// hosts and of the API together, because the limit is the room's. Refused
// announcements do not count.
func (s *Service) announce(ctx context.Context, authorize actor.Authorize, message string) (api.BreakoutAnnouncement, error) {
	r, err := s.announcesIn(ctx, authorize)
	if err != nil {
		return api.BreakoutAnnouncement{}, err
	}
	if err := rest.Count(ctx, rest.ClassAnnouncements, r.WorkspaceID+"/"+r.ID); err != nil {
		return api.BreakoutAnnouncement{}, err
	}
	id, err := s.Announce(ctx, authorize, message)
	return api.BreakoutAnnouncement{Object: "breakout_announcement", RoomID: id, Sent: true}, err
}
