package gate

import (
	"strings"
	"sync"
	"time"

	"github.com/livekit/protocol/livekit"
)

// newTracks are the tracks that a client has published, by their ids, and what both
// sides said of muting them.
//
// LiveKit's client ignores that it was muted while it still publishes the track. When
// the list of people comes afterwards, the client finds that it and the media server
// differ, and tells the media server that the track is on. That looks like a click on
// its button. But a client that was muted says so, too, and only then shows somebody a
// button that unmutes. So the gate does not pass on that a new track is on while the
// client has never said that it is muted. It tells the client again that it was muted:
// by now the client has published the track, and listens.
type newTracks struct {
	mu   sync.Mutex // the pumps of both sides use it
	byID map[string]*newTrack
}

type newTrack struct {
	published time.Time // the media server told the client so
	muted     bool      // the media server muted it
	agreed    bool      // the client has said that it is muted
	retold    time.Time // the client was told again; zero: never
}

const (
	// newFor is how long a track is new. LiveKit's client waits as long for its connection
	// (peerConnectionTimeout) before it gives up.
	newFor = 15 * time.Second
	// retoldFor is how long the gate repeats that a track was muted. A client may say
	// several times that the track is on before it can know better. After that, the next
	// click counts, should there be a client that was muted without saying so.
	retoldFor = 2 * time.Second
)

// saysMuted says whether a client with this SDK says that its track is muted when it
// was muted. LiveKit's clients for browsers and phones do; its Go client, which
// programs use, does not, so that its unmuting always counts.
func saysMuted(sdk string) bool {
	switch strings.ToLower(sdk) {
	case "js", "react_native", "reactnative", "android", "swift", "ios", "flutter":
		return true
	default:
		return false
	}
}

// publish notes a track that the media server has accepted.
func (n *newTracks) publish(track *livekit.TrackInfo, now time.Time) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.byID == nil {
		n.byID = map[string]*newTrack{}
	}
	if _, known := n.byID[track.GetSid()]; known || len(n.byID) < maxAddTracks {
		n.byID[track.GetSid()] = &newTrack{published: now, agreed: track.GetMuted()}
	}
}

// mute notes that the media server muted a track.
func (n *newTracks) mute(said *livekit.MuteTrackRequest) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if t := n.byID[said.GetSid()]; t != nil && said.GetMuted() {
		t.muted = true
	}
}

// missed says whether a client that calls a track muted or not has missed that the
// media server muted it.
func (n *newTracks) missed(said *livekit.MuteTrackRequest, now time.Time) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	t := n.byID[said.GetSid()]
	switch {
	case t == nil:
		return false
	case said.GetMuted():
		t.agreed = true
		return false
	case !t.muted || t.agreed || now.Sub(t.published) > newFor:
		return false
	case t.retold.IsZero():
		t.retold = now
	}
	return now.Sub(t.retold) <= retoldFor
}

// mutedAgain is how the media server tells a client that a track was muted.
func mutedAgain(track string) *livekit.SignalResponse {
	return &livekit.SignalResponse{Message: &livekit.SignalResponse_Mute{Mute: &livekit.MuteTrackRequest{Sid: track, Muted: true}}}
}
