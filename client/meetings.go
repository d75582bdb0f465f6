package client

import (
	"context"
	"iter"
	"net/http"
	"time"

	"github.com/conclave-rooms/conclave/api"
)

// MeetingQuery says which scheduled meetings to list: those that overlap the time from
// From to To.
type MeetingQuery struct {
	From          time.Time // zero: now
	To            time.Time // zero: 30 days after From
	StartingAfter string    // id of a meeting: only meetings after it in the list
	PageSize      int       // meetings in each request, 1 to 100; 0 means 100
}

// ListMeetings lists scheduled meetings, those that start first at the beginning. A series
// is listed once.
func (c Client) ListMeetings(ctx context.Context, q MeetingQuery) iter.Seq2[api.Meeting, error] {
	if q.From.IsZero() {
		q.From = time.Now() //nolint:forbidigo // all pages must have the same beginning
	}
	query := from(q.StartingAfter, q.PageSize)
	query.Set("from", api.At(q.From).String())
	if !q.To.IsZero() {
		query.Set("to", api.At(q.To).String())
	}
	return pages(ctx, c, at("meetings"), query, func(m api.Meeting) string { return m.ID })
}

// CreateMeeting schedules a meeting, or a series.
func (c Client) CreateMeeting(ctx context.Context, body api.MeetingCreate) (api.Meeting, error) {
	return write[api.Meeting](ctx, c, http.MethodPost, at("meetings"), body)
}

// GetMeeting retrieves a scheduled meeting.
func (c Client) GetMeeting(ctx context.Context, meetingID string) (api.Meeting, error) {
	return get[api.Meeting](ctx, c, at("meetings", meetingID))
}

// UpdateMeeting changes the fields of a scheduled meeting that body sets, in a series for
// every occurrence.
func (c Client) UpdateMeeting(ctx context.Context, meetingID string, body api.MeetingUpdate) (api.Meeting, error) {
	return write[api.Meeting](ctx, c, http.MethodPatch, at("meetings", meetingID), body)
}

// CancelMeeting cancels a scheduled meeting. Its room remains.
func (c Client) CancelMeeting(ctx context.Context, meetingID string) (api.Meeting, error) {
	return write[api.Meeting](ctx, c, http.MethodDelete, at("meetings", meetingID), nil)
}
