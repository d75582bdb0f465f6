package schedule

import (
	"context"
	"net/http"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/rest"
)

type listInput struct {
	From          api.Opt[api.Time] `query:"from" doc:"Begin of the window. Default: now."`
	To            api.Opt[api.Time] `query:"to" doc:"End of the window, after from. Default: 30 days after from."`
	Limit         int               `query:"limit" minimum:"1" maximum:"100" default:"25" doc:"How many meetings at most."`
	StartingAfter string            `query:"starting_after" doc:"Id of a meeting: only those that come after it in the same window." format:"uuid"`
}

type meetingInput struct {
	MeetingID string `path:"meeting_id" doc:"Id of the scheduled meeting." format:"uuid"`
}

type createInput struct {
	Body api.MeetingCreate
}

type updateInput struct {
	MeetingID string `path:"meeting_id" doc:"Id of the scheduled meeting." format:"uuid"`
	Body      api.MeetingUpdate
}

// created is a new meeting, with its address.
type created struct{ api.Meeting }

// Location is the meeting's path below the group's prefix.
func (c created) Location() string { return "/meetings/" + c.ID }

// Mount registers the operations of the API.
func (s *Service) Mount(d *rest.Group) {
	const tag = "Scheduled meetings"
	rest.Handle(d, rest.Op{
		ID: "listMeetings", Method: http.MethodGet, Path: "/meetings", Tag: tag, Scope: api.ScopeMeetingsRead,
		Summary: "List scheduled meetings",
		Description: "The meetings that overlap a window, soonest first. A series is one entry, placed by its first occurrence in the window; its starts_at is still that of the whole series. " +
			"For the next page, give the same from and to again, with starting_after.",
	}, s.list, rest.Rules(s.everythingWrongInList))
	rest.Handle(d, rest.Op{
		ID: "createMeeting", Method: http.MethodPost, Path: "/meetings", Tag: tag, Scope: api.ScopeMeetingsWrite, Status: http.StatusCreated, Object: api.Meeting{},
		Summary:     "Schedule a meeting",
		Description: "Once, or as a series that repeats at the same local time in its timezone. Sends meeting.scheduled.",
		Errors:      []string{api.CodeRoomNotManaged, api.CodeLimitReached},
	}, s.create, rest.Current(s.blank), rest.Rules(func(ctx context.Context, in *createInput, wrong func(string) bool) error {
		u := timesOf(in.Body)
		u.RoomID = in.Body.RoomID
		return s.everythingWrong(ctx, "", u, wrong)
	}))
	rest.Handle(d, rest.Op{
		ID: "getMeeting", Method: http.MethodGet, Path: "/meetings/{meeting_id}", Tag: tag, Scope: api.ScopeMeetingsRead,
		Summary: "Retrieve a scheduled meeting",
	}, s.get)
	rest.Handle(d, rest.Op{
		ID: "updateMeeting", Method: http.MethodPatch, Path: "/meetings/{meeting_id}", Tag: tag, Scope: api.ScopeMeetingsWrite, Object: api.Meeting{},
		Summary: "Change a scheduled meeting",
		Description: "A JSON merge patch: what is left out stays, null clears what may be null. It applies to every occurrence of a series. " +
			"The changed meeting has to be valid as a whole. Sends meeting.updated when something changed.",
		Errors: []string{api.CodeRoomNotManaged, api.CodeMeetingNotManaged},
	}, s.update, rest.Current(s.current), rest.Rules(func(ctx context.Context, in *updateInput, wrong func(string) bool) error {
		return s.everythingWrong(ctx, in.MeetingID, in.Body, wrong)
	}))
	rest.Handle(d, rest.Op{
		ID: "cancelMeeting", Method: http.MethodDelete, Path: "/meetings/{meeting_id}", Tag: tag, Scope: api.ScopeMeetingsWrite,
		Summary: "Cancel a scheduled meeting", Description: "Cancels the meeting, or every occurrence of a series. The room is not affected. Sends meeting.cancelled.",
		Errors: []string{api.CodeMeetingNotManaged},
	}, s.cancel)
}

func (s *Service) list(ctx context.Context, in *listInput) (api.List[api.Meeting], error) {
	meetings, more, err := s.List(ctx, auth.From(ctx), Listing{From: in.From, To: in.To, Limit: in.Limit, StartingAfter: in.StartingAfter})
	return rest.ListOf(meetings, more, func(m Meeting) api.Meeting { return m.shownTo(auth.From(ctx), s.PublicURL) }), err
}

func (s *Service) create(ctx context.Context, in *createInput) (created, error) {
	m, err := s.Create(ctx, auth.From(ctx), in.Body)
	if err != nil {
		return created{}, err
	}
	return created{m.shownTo(auth.From(ctx), s.PublicURL)}, nil
}

// blank is a new meeting with default values. Read-only fields in a request may
// only have these values. The id and created_at have no value yet, so nothing in
// the request can match them.
func (s *Service) blank(ctx context.Context, in *createInput) (any, error) {
	m, err := s.New(ctx, auth.From(ctx), in.Body)
	if err != nil {
		return nil, err
	}
	m.ID = ""
	return m.shownTo(auth.From(ctx), s.PublicURL), nil
}

func (s *Service) get(ctx context.Context, in *meetingInput) (api.Meeting, error) {
	m, err := s.Get(ctx, auth.From(ctx), in.MeetingID)
	if err != nil {
		return api.Meeting{}, err
	}
	return m.shownTo(auth.From(ctx), s.PublicURL), nil
}

func (s *Service) update(ctx context.Context, in *updateInput) (api.Meeting, error) {
	m, err := s.Update(ctx, auth.From(ctx), in.MeetingID, in.Body)
	if err != nil {
		return api.Meeting{}, err
	}
	return m.shownTo(auth.From(ctx), s.PublicURL), nil
}

func (s *Service) current(ctx context.Context, in *updateInput) (any, error) {
	return s.get(ctx, &meetingInput{MeetingID: in.MeetingID})
}

func (s *Service) cancel(ctx context.Context, in *meetingInput) (api.Meeting, error) {
	m, err := s.Cancel(ctx, auth.From(ctx), in.MeetingID)
	if err != nil {
		return api.Meeting{}, err
	}
	return m.shownTo(auth.From(ctx), s.PublicURL), nil
}
