package client

import (
	"context"
	"iter"
	"net/http"
	"strconv"

	"github.com/conclave-rooms/conclave/api"
)

// RecordingQuery says which recordings to list. The zero value means all.
type RecordingQuery struct {
	RoomID        string // only recordings of this room
	StartingAfter string // id of a recording: only recordings begun before it
	PageSize      int    // recordings in each request, 1 to 100; 0 means 100
}

// ListRecordings lists recordings, newest first.
func (c Client) ListRecordings(ctx context.Context, q RecordingQuery) iter.Seq2[api.Recording, error] {
	query := from(q.StartingAfter, q.PageSize)
	set(query, "room_id", q.RoomID)
	return pages(ctx, c, at("recordings"), query, func(r api.Recording) string { return r.ID })
}

// GetRecording retrieves a recording.
func (c Client) GetRecording(ctx context.Context, recordingID string) (api.Recording, error) {
	return get[api.Recording](ctx, c, at("recordings", recordingID))
}

// UpdateRecording changes the fields of a recording that body sets.
func (c Client) UpdateRecording(ctx context.Context, recordingID string, body api.RecordingUpdate) (api.Recording, error) {
	return write[api.Recording](ctx, c, http.MethodPatch, at("recordings", recordingID), body)
}

// DeleteRecording deletes a recording and its parts, for ever.
func (c Client) DeleteRecording(ctx context.Context, recordingID string) (api.RecordingDeleted, error) {
	return write[api.RecordingDeleted](ctx, c, http.MethodDelete, at("recordings", recordingID), nil)
}

// DownloadRecording returns the key of a recording, which is secret like a password, and
// the list of its parts. Package client/recording reads the whole file.
func (c Client) DownloadRecording(ctx context.Context, recordingID string) (api.RecordingDownload, error) {
	// It only reads, although it is a POST. So it is sent without an Idempotency-Key,
	// and the service keeps no copy of the answer.
	return receive[api.RecordingDownload](ctx, c, call{method: http.MethodPost, path: at("recordings", recordingID, "download"), reads: true})
}

// GetRecordingPart fetches one encrypted part, at most 16 MiB. It builds the address
// itself instead of using the one in the list of parts, so that the API key is sent only
// to BaseURL.
func (c Client) GetRecordingPart(ctx context.Context, recordingID string, index int) ([]byte, error) {
	return c.ask(ctx, call{method: http.MethodGet, path: at("recordings", recordingID, "parts", strconv.Itoa(index)), reads: true})
}
