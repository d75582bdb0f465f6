package livekit_test

import (
	"testing"

	"github.com/livekit/protocol/livekit"

	"github.com/conclave-rooms/conclave/internal/media"
	"github.com/conclave-rooms/conclave/internal/media/mediaclient"
	"github.com/conclave-rooms/conclave/internal/media/mediatest"
)

// A client announces its microphone as something else. Others hear it, so it counts as
// a microphone and can be muted as one.
func TestSoundThatIsAnnouncedAsSomethingElseIsAMicrophone(t *testing.T) {
	t.Parallel()
	for name, craft := range map[string]func(*livekit.AddTrackRequest){
		"sound of a camera": func(r *livekit.AddTrackRequest) { r.Source = livekit.TrackSource_CAMERA },
		"a picture": func(r *livekit.AddTrackRequest) {
			r.Source, r.Type = livekit.TrackSource_CAMERA, livekit.TrackType_VIDEO
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			ben := p.join(t, "ben", "the passphrase")
			token, err := shared.MintToken(p.grant("eve"))
			if err != nil {
				t.Fatal(err)
			}
			eve := mediatest.Join(t, mediaclient.Options{URL: shared.Upstream(), Token: token, Passphrase: "the passphrase", Craft: craft})
			p.publish(t, eve, media.Microphone)
			check(t, ben.WaitUndecryptable(p.ctx, "eve", media.Camera, 10)) // frames come, and are no pictures
			people, err := shared.Participants(p.ctx, p.room)
			check(t, err)
			for _, who := range people {
				if who.Identity == "eve" && (len(who.Tracks) != 1 || who.Tracks[0].Source != media.Microphone) {
					t.Errorf("others hear Eve, and her tracks are %+v", who.Tracks)
				}
			}
		})
	}
}
