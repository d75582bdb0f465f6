package livekit

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/livekit/protocol/livekit"
	"github.com/livekit/protocol/rpc"
)

// oneRoom is a media server with a room and a person in it, who leaves by themselves at
// the moment of the removal, so that nobody answers it.
type oneRoom struct {
	livekit.RoomService

	removalEnds time.Time
}

func (o *oneRoom) ListRooms(context.Context, *livekit.ListRoomsRequest) (*livekit.ListRoomsResponse, error) {
	return &livekit.ListRoomsResponse{Rooms: []*livekit.Room{{Name: "r"}}}, nil
}

func (o *oneRoom) GetParticipant(context.Context, *livekit.RoomParticipantIdentity) (*livekit.ParticipantInfo, error) {
	return &livekit.ParticipantInfo{Identity: "ada"}, nil
}

func (o *oneRoom) RemoveParticipant(ctx context.Context, _ *livekit.RoomParticipantIdentity) (*livekit.RemoveParticipantResponse, error) {
	o.removalEnds, _ = ctx.Deadline()
	return nil, errors.New("nobody answered")
}

// A removal that nobody answers ends before LiveKit repeats it. The repetition would
// end the connection with which the person came back.
func TestARemovalEndsBeforeItIsRepeated(t *testing.T) {
	t.Parallel()
	s, err := Connect("ws://127.0.0.1:1", "key", "secret", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	rooms := &oneRoom{}
	s.rooms = rooms
	began := time.Now()
	if err := s.Remove(t.Context(), "r", "ada", ""); err == nil {
		t.Error("a removal that nobody answered succeeded")
	}
	if rooms.removalEnds.IsZero() {
		t.Fatal("the removal has no deadline")
	}
	if rooms.removalEnds.After(began.Add(rpc.DefaultPSRPCConfig.Timeout)) {
		t.Errorf("the removal ends %v after it began; LiveKit repeats it after %v", rooms.removalEnds.Sub(began), rpc.DefaultPSRPCConfig.Timeout)
	}
}
