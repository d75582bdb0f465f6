package livekit

import (
	"log/slog"
	"slices"
	"testing"

	"github.com/livekit/livekit-server/pkg/service"
	"github.com/livekit/protocol/livekit"
)

// A node remembers the rooms that it may hold, from the loggers that LiveKit makes for
// them, until it counts their people and they are closed.
func TestRoomsAreRememberedUntilTheyAreClosed(t *testing.T) {
	t.Parallel()
	held := newRoster()
	b := bridge{log: slog.New(slog.DiscardHandler), rooms: held}
	b.WithValues("room", livekit.RoomName("r"))
	if got := held.names(); !slices.Equal(got, []livekit.RoomName{"r"}) {
		t.Errorf("it remembers %v, want r", got)
	}
	if n := held.people(t.Context(), &service.RoomManager{}); n != 0 {
		t.Errorf("it counts %d people where no room is open", n)
	}
	if got := held.names(); len(got) != 0 {
		t.Errorf("it still remembers %v, which are closed", got)
	}
}
