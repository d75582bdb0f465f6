package gate_test

import (
	"testing"

	"github.com/livekit/protocol/livekit"
)

func unmute(sid string) []byte {
	return write(&livekit.SignalRequest{Message: &livekit.SignalRequest_Mute{Mute: &livekit.MuteTrackRequest{Sid: sid}}})
}

// published is how the media server accepts a track, and mutedByHost how it says that
// the track was muted.
func published(sid string) []byte {
	return write(&livekit.SignalResponse{Message: &livekit.SignalResponse_TrackPublished{
		TrackPublished: &livekit.TrackPublishedResponse{Cid: "a", Track: &livekit.TrackInfo{Sid: sid}},
	}})
}

func mutedByHost(sid string) []byte {
	return write(&livekit.SignalResponse{Message: &livekit.SignalResponse_Mute{Mute: &livekit.MuteTrackRequest{Sid: sid, Muted: true}}})
}

// LiveKit's client tells the media server that a track is on when it missed that it was
// muted. The media server does not learn of this; the client learns that it was muted.
func TestAClientThatMissedThatItWasMutedIsToldAgain(t *testing.T) {
	t.Parallel()
	b := setup(t, false)
	client, upstream := b.join(t), <-b.upstream
	for _, said := range [][]byte{published("TR_a"), mutedByHost("TR_a")} {
		send(t, upstream, said)
		wantMessage(t, client, said)
	}
	send(t, client, unmute("TR_a"))
	wantMessage(t, client, mutedByHost("TR_a"))
	// Now it listens, says that it is muted, and unmutes when its person clicks.
	send(t, client, mute("TR_a"))
	wantMessage(t, upstream, mute("TR_a"))
	send(t, client, unmute("TR_a"))
	wantMessage(t, upstream, unmute("TR_a"))
}
