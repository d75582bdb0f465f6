package schedule

import (
	"context"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/fault"
)

// everythingWrongInList returns everything that is wrong with a request for a list, apart from
// the fields that are wrong by themselves.
func (s *Service) everythingWrongInList(ctx context.Context, in *listInput, wrong func(param string) bool) error {
	var window, cursor error
	if !wrong("from") && !wrong("to") {
		_, window = windowOf(in.From, in.To, s.Now())
	}
	if in.StartingAfter != "" && !wrong("starting_after") {
		cursor = s.DB.Read(ctx, func(tx *db.Tx) error {
			_, err := s.cursor(ctx, tx, auth.From(ctx).WorkspaceID, in.StartingAfter, 0)
			return err
		})
	}
	return fault.Together(window, cursor)
}

// everythingWrong returns everything that is wrong with a request to schedule a meeting, or
// to change the one with this id, apart from the fields that are wrong by themselves.
func (s *Service) everythingWrong(ctx context.Context, meetingID string, u api.MeetingUpdate, wrong func(param string) bool) error {
	times := without(u, wrong)
	var room error
	err := s.DB.Read(ctx, func(tx *db.Tx) (err error) {
		if !wrong("room_id") {
			_, room = findRoom(ctx, tx, &Meeting{WorkspaceID: auth.From(ctx).WorkspaceID, RoomID: u.RoomID.Ptr()})
		}
		if meetingID == "" {
			return nil
		}
		before, err := find(ctx, tx, auth.From(ctx).WorkspaceID, meetingID)
		if err == nil {
			times = without(apply(before, u).everything(), wrong)
		}
		return err
	})
	if _, refused := fault.As(err); err != nil && !refused { // a meeting that does not exist is no field
		return err
	}
	return fault.Together(s.zones.check(times), room)
}
