package gate

import (
	"time"

	"github.com/livekit/protocol/livekit"
	"golang.org/x/time/rate"
)

// How often a client may send, in messages a second, and how many at once after it was
// quiet. The media server handles every message, and tells everybody in the room of
// some: a client that mutes and unmutes its microphone a thousand times a second makes
// it send that to each of them, and a person who cannot read so fast loses other messages,
// because LiveKit queues 200 for each.
//
// Most of what an honest client sends says how large it shows a picture: up to three
// messages for each track when it comes in, scrolls or changes its layout, of at most a
// hundred tracks in our own interface and some hundreds in others. Of what everybody
// learns, it sends some ten messages when it comes back with all its tracks, and one
// with each click. LiveKit asks a client for an offer at most every 150 ms
// (negotiationFrequency).
const (
	often, burst         = 100, 1000
	loudOften, loudBurst = 10, 30
)

// tracksPerToken is how many tracks in one message count as one more message. LiveKit's clients name one, or all of a full room after they have
// reconnected.
const tracksPerToken = 100

// pace holds back the messages of a client that sends too many: nothing more is read
// from its connection until the next message may pass, so that TCP slows it down. An
// honest client loses nothing then, whatever made it send so much. If it were cut off,
// it would come back, which costs everybody more than its messages.
type pace struct {
	all, loud *rate.Limiter
	now       func() time.Time
	pause     func(time.Duration)
}

func newPace() *pace {
	return &pace{
		all: rate.NewLimiter(often, burst), loud: rate.NewLimiter(loudOften, loudBurst),
		now: time.Now, pause: time.Sleep, //nolint:forbidigo // it slows a socket down, which follows the real clock
	}
}

// wait returns when a message may pass. That takes a tenth of a second at most, or 3.3
// seconds for a small message that is full of tracks.
func (p *pace) wait(m passage) {
	if d := p.delay(p.now(), m); d > 0 {
		p.pause(d)
	}
}

func (p *pace) delay(now time.Time, m passage) time.Duration {
	d := p.all.ReserveN(now, min(m.weight, burst)).DelayFrom(now)
	if m.loud {
		d = max(d, p.loud.ReserveN(now, 1).DelayFrom(now))
	}
	return d
}

// weight returns how many messages a request counts as.
func weight(said *livekit.SignalRequest) int {
	named := 0
	switch m := said.GetMessage().(type) {
	case *livekit.SignalRequest_Subscription:
		named = len(m.Subscription.GetTrackSids())
		for _, p := range m.Subscription.GetParticipantTracks() {
			named += 1 + len(p.GetTrackSids())
		}
	case *livekit.SignalRequest_TrackSetting:
		named = len(m.TrackSetting.GetTrackSids())
	}
	return 1 + named/tracksPerToken
}

// loud says whether the media server tells others of a request, or negotiates with
// them because of it. New tracks are missing here, because there are few of them in one
// connection.
func loud(said *livekit.SignalRequest) bool {
	switch said.GetMessage().(type) {
	case *livekit.SignalRequest_Offer, *livekit.SignalRequest_Mute, *livekit.SignalRequest_UpdateMetadata,
		*livekit.SignalRequest_UpdateAudioTrack, *livekit.SignalRequest_UpdateVideoTrack, *livekit.SignalRequest_SubscriptionPermission:
		return true
	default:
		return false
	}
}
