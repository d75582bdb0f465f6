package gate_test

import (
	"testing"

	"github.com/gorilla/websocket"
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

// missesItsMute publishes a track, which the media server mutes, and tells the media
// server that it is on.
func missesItsMute(t *testing.T, client, upstream *websocket.Conn) {
	t.Helper()
	for _, said := range [][]byte{published("TR_a"), mutedByHost("TR_a")} {
		send(t, upstream, said)
		wantMessage(t, client, said)
	}
	send(t, client, unmute("TR_a"))
}

// LiveKit's client tells the media server that a track is on when it missed that it was
// muted. The media server does not learn of this; the client learns that it was muted.
func TestAClientThatMissedThatItWasMutedIsToldAgain(t *testing.T) {
	t.Parallel()
	browser := &livekit.JoinRequest{ClientInfo: &livekit.ClientInfo{Protocol: 17, Sdk: livekit.ClientInfo_JS}}
	for name, path := range map[string]string{
		"says in the address what it is":         address + "&sdk=js",
		"says in the request to join what it is": "/rtc/v1?access_token=" + clientToken + "&join_request=" + joinRequest(browser),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, false)
			client, upstream := b.dial(t, path, nil), <-b.upstream
			missesItsMute(t, client, upstream)
			wantMessage(t, client, mutedByHost("TR_a"))
			// Now it listens, says that it is muted, and unmutes when its person clicks.
			send(t, client, mute("TR_a"))
			wantMessage(t, upstream, mute("TR_a"))
			send(t, client, unmute("TR_a"))
			wantMessage(t, upstream, unmute("TR_a"))
		})
	}
}

// LiveKit's client for Go does not say that it was muted, so it may unmute at once.
func TestAClientThatDoesNotSayThatItWasMutedUnmutesAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t, false)
	client, upstream := b.dial(t, address+"&sdk=go", nil), <-b.upstream
	missesItsMute(t, client, upstream)
	wantMessage(t, upstream, unmute("TR_a"))
}
