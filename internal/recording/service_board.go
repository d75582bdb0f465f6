package recording

import (
	"context"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/seat"
	"github.com/conclave-rooms/conclave/internal/stream"
)

// RunningView is a running recording as people in the meeting see it
// (docs/reference/recordings.md).
type RunningView struct {
	ID         string   `json:"id"`
	StartedAt  api.Time `json:"started_at"`
	By         string   `json:"by" doc:"The name of the person who records."`
	Mine       bool     `json:"mine" doc:"Whether this device makes the recording."`
	Protection string   `json:"protection" enum:"workspace,end_to_end"`
	Away       bool     `json:"away" doc:"Whether the recording device is not connected at the moment."`
}

// Board shows people that their media room is being recorded.
func (s *Service) Board() stream.Board {
	return stream.Board{Name: "recording", Revision: nil, Arriving: false, Read: s.read}
}

// read reads the running recordings of a room and its breakouts.
func (s *Service) read(ctx context.Context, tx *db.Tx, roomID string) (stream.ShowTo, error) {
	found, err := running(ctx, tx, roomID)
	if err != nil {
		return nil, err
	}
	away := make([]bool, len(found))
	for i, r := range found {
		recorder, err := seat.ByIdentity(ctx, tx, roomID, r.Recorder)
		if err != nil {
			return nil, err
		}
		away[i] = isAway(recorder)
	}
	return func(_ context.Context, held seat.Seat) ([]stream.Shown, error) {
		shown := stream.Shown{Name: "recording", Data: nil}
		for i, r := range found {
			if r.BreakoutID == held.BreakoutID {
				shown.Data = r.view(held, away[i])
			}
		}
		return []stream.Shown{shown}, nil
	}, nil
}

// view returns the recording as the holder of a seat sees it.
func (r Recording) view(held seat.Seat, away bool) RunningView {
	return RunningView{
		ID: r.ID, StartedAt: api.At(r.StartedAt), By: r.RecorderName, Mine: r.Recorder == held.Identity, Protection: r.Protection, Away: away,
	}
}
