package join

import (
	"context"
	"fmt"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/schedule"
)

// planned finds the next planned meeting of the room for visitors who may know it;
// nil for other people, and when there is none. reason is the door's answer to the
// visitor.
func (s *Service) planned(ctx context.Context, tx *db.Tx, v visitor, reason Reason) (*schedule.Occurrence, error) {
	if !v.mayKnowPlans(reason) {
		return nil, nil //nolint:nilnil // no meeting is an answer of its own
	}
	return s.Next(ctx, tx, v.Room.ID)
}

// CalendarFile writes what LookUp shows as next to the same visitor as an
// iCalendar file. Without a next meeting there is no file.
func (s *Service) CalendarFile(ctx context.Context, visit Visit, p Proofs) (CalendarFile, error) {
	var next *schedule.Occurrence
	err := s.DB.Read(ctx, func(tx *db.Tx) error {
		v, err := s.who(ctx, tx, visit, p)
		if err != nil {
			return err
		}
		reason, err := s.reason(ctx, tx, v)
		if err != nil {
			return err
		}
		next, err = s.planned(ctx, tx, v, reason)
		if err == nil && next == nil {
			return fault.Missing()
		}
		return err
	})
	if err != nil {
		return CalendarFile{}, err
	}
	text, err := s.WriteFile(*next)
	if err != nil {
		return CalendarFile{}, fmt.Errorf("write the next meeting of a room: %w", err)
	}
	return CalendarFile{Object: "calendar_file", Name: "meeting.ics", Text: string(text)}, nil
}
