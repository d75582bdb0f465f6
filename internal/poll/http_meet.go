package poll

import (
	"context"
	"net/http"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/actor"
	"github.com/conclave-rooms/conclave/internal/rest"
)

type askInput struct {
	Body api.PollCreate
}

type voteInput struct {
	PollID string `path:"poll_id" doc:"Id of the poll." format:"uuid"`
	Body   struct {
		Options []string        `json:"options" minItems:"1" maxItems:"10" uniqueItems:"true" doc:"Ids of the options the person picks."`
		Receipt api.Opt[string] `json:"receipt,omitzero" minLength:"22" maxLength:"100" raw:"true" doc:"In anonymous polls: a random text that stays on the device. The vote can be changed only with it."`
	}
}

// MountMeet registers the operations for people in a meeting: hosts and co-hosts
// ask, close, open and delete polls, and everybody votes.
func (s *Service) MountMeet(d *rest.Group) {
	rest.Handle(d, rest.Op{
		ID: "vote", Method: http.MethodPost, Path: "/polls/{poll_id}/vote", Tag: "Polls",
		Summary: "Vote, or change the vote", Description: "Returns the poll as the person sees it now.",
		Errors: []string{api.CodeNotInMeeting, api.CodePollClosed, api.CodeVoteCounted, api.CodeVotedElsewhere},
	}, func(ctx context.Context, in *voteInput) (View, error) {
		return s.Vote(ctx, rest.Bearer(ctx), in.PollID, Ballot{Options: in.Body.Options, Receipt: in.Body.Receipt.Or("")})
	})
	rest.AddEvent(d, "polls", "The polls of the room, as one person sees them.", []View{})
	host := func(id, method, path, summary string, codes ...string) rest.Op {
		return rest.Op{ID: id, Method: method, Path: path, Tag: "Host", Summary: summary, Errors: append(codes, api.CodeHostOnly, api.CodeNotInMeeting)}
	}
	rest.Handle(d, host("hostAskPoll", http.MethodPost, "/polls", "Ask a poll", api.CodeLimitReached), func(ctx context.Context, in *askInput) (rest.Done, error) {
		_, err := s.Create(ctx, actor.ByHost(rest.Bearer(ctx), s.Now), in.Body)
		return rest.Did(err)
	})
	rest.Handle(d, host("hostUpdatePoll", http.MethodPatch, "/polls/{poll_id}", "Close a poll, or open it again"), func(ctx context.Context, in *updateInput) (rest.Done, error) {
		_, err := s.setStatus(ctx, s.byHost(rest.Bearer(ctx), in.PollID), in.Body.Status)
		return rest.Did(err)
	})
	rest.Handle(d, host("hostDeletePoll", http.MethodDelete, "/polls/{poll_id}", "Delete a poll"), func(ctx context.Context, in *pollInput) (rest.Done, error) {
		_, err := s.remove(ctx, s.byHost(rest.Bearer(ctx), in.PollID))
		return rest.Did(err)
	})
}
