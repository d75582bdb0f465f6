package livekit

import (
	"log/slog"
	"testing"

	"github.com/livekit/protocol/livekit"
	"github.com/livekit/protocol/logger"
)

// Channels are counted for each session, across all its loggers, and the ninth
// is one too many.
func TestDataChannelsAreCounted(t *testing.T) {
	t.Parallel()
	var removed []string
	g := &guard{remove: func(s *session) { removed = append(removed, s.String()) }}
	var root logger.Logger = bridge{log: slog.New(slog.DiscardHandler), guard: g}
	session := func(identity, id string) logger.Logger {
		return root.WithValues("room", livekit.RoomName("r")).WithValues(
			"participant", livekit.ParticipantIdentity(identity), "participantID", livekit.ParticipantID(id), "remote", false)
	}
	ada, ben := session("ada", "PA_1"), session("ben", "PA_2")
	up, down := ada.WithComponent("transport"), ada.WithValues("transport", "SUBSCRIBER")
	for range mostChannels / 2 {
		up.Infow(channelAdded, "label", "x")
		down.Infow(channelAdded, "label", "x")
		ben.Infow(channelAdded, "label", "x")
		ben.Infow(channelAdded, "label", "x")
		up.Infow("something else")
	}
	if len(removed) > 0 {
		t.Errorf("with %d channels each, %q are removed", mostChannels, removed)
	}
	up.Infow(channelAdded, "label", "x")
	if len(removed) != 1 || removed[0] != "ada in r" {
		t.Errorf("with one more of ada's, %q are removed", removed)
	}
	session("ben", "PA_3").Infow(channelAdded) // a new session of a person begins at zero
	root.Infow(channelAdded)                   // of no session
	if len(removed) != 1 {
		t.Errorf("removed: %q", removed)
	}
}
