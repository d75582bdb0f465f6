package gate

import (
	"testing"
	"time"

	"github.com/livekit/protocol/livekit"
)

// A client that has never said that its new track is muted has missed that it was
// muted. What it says otherwise counts.
func TestWhichClientsHaveMissedThatTheyWereMuted(t *testing.T) {
	t.Parallel()
	const published, hostMutes, saysMuted, saysOn = "published", "host mutes", "says muted", "says on"
	type step struct {
		after time.Duration
		what  string
	}
	start := []step{{0, published}, {0, hostMutes}}
	for name, c := range map[string]struct {
		steps  []step // the last one is "says on"
		missed bool
	}{
		"says on at once":                        {append(start, step{0, saysOn}), true},
		"says on a second later":                 {append(start, step{0, saysOn}, step{time.Second, saysOn}), true},
		"says on again when it was told":         {append(start, step{0, saysOn}, step{retoldFor + 1, saysOn}), false},
		"publishes slowly":                       {append(start, step{newFor, saysOn}), true},
		"was published long ago":                 {append(start, step{newFor + 1, saysOn}), false},
		"has said that it is muted":              {append(start, step{0, saysMuted}, step{0, saysOn}), false},
		"muted itself before the host":           {[]step{{0, published}, {0, saysMuted}, {0, hostMutes}, {0, saysOn}}, false},
		"was not muted":                          {[]step{{0, published}, {0, saysOn}}, false},
		"was muted before this connection began": {[]step{{0, hostMutes}, {0, saysOn}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var n newTracks
			now, missed := time.Now(), false
			for _, s := range c.steps {
				now = now.Add(s.after)
				switch s.what {
				case published:
					n.publish(&livekit.TrackInfo{Sid: "TR_a"}, now)
				case hostMutes:
					n.mute(&livekit.MuteTrackRequest{Sid: "TR_a", Muted: true})
				default:
					missed = n.missed(&livekit.MuteTrackRequest{Sid: "TR_a", Muted: s.what == saysMuted}, now)
				}
			}
			if missed != c.missed {
				t.Errorf("missed: %v, want %v", missed, c.missed)
			}
		})
	}
}

func TestATrackThatIsPublishedMutedIsKnownToBeMuted(t *testing.T) {
	t.Parallel()
	var n newTracks
	n.publish(&livekit.TrackInfo{Sid: "TR_a", Muted: true}, time.Now())
	n.mute(&livekit.MuteTrackRequest{Sid: "TR_a", Muted: true})
	if n.missed(&livekit.MuteTrackRequest{Sid: "TR_a"}, time.Now()) {
		t.Error("its client is told again that it was muted")
	}
}
