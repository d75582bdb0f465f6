package livekit

import (
	"log/slog"
	"slices"
	"testing"

	"github.com/livekit/protocol/livekit"
)

// A node of a cluster remembers the rooms that it may hold until the comparison with
// Redis finds that they are gone. Without a cluster nothing is compared, and nothing
// would ever be forgotten.
func TestOnlyNodesOfAClusterRememberRooms(t *testing.T) {
	t.Parallel()
	names := func(c EmbedConfig) []string {
		held := rosterFor(c)
		b := bridge{log: slog.New(slog.DiscardHandler), rooms: held}
		b.WithValues("room", livekit.RoomName("r"))
		if held == nil {
			return nil
		}
		return held.names()
	}
	if got := names(EmbedConfig{}); len(got) != 0 {
		t.Errorf("a node without a cluster remembers %v, want nothing", got)
	}
	if got := names(EmbedConfig{Redis: Redis{Address: "redis:6379"}}); !slices.Equal(got, []string{"r"}) {
		t.Errorf("a node of a cluster remembers %v, want r", got)
	}
}
