package live

import (
	"errors"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/media"
	"github.com/conclave-rooms/conclave/internal/media/fake"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// LiveKit's client may not notice that it was muted while it published, so it is muted
// again for some seconds, until its person unmutes it.
func TestMutesArePatientWithLiveKitsClient(t *testing.T) {
	t.Parallel()
	const never = -1
	for _, c := range []struct {
		name     string
		unmuteAt time.Duration // the person unmutes
		want     bool          // the track is muted in the end
	}{
		{"unmuted at once", 0, false},
		{"unmuted later", 4 * time.Second, false},
		{"never unmuted", never, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := fake.New(time.Now)
			track := publishing(t, server)
			again := map[time.Duration]func(){}
			s := new(Service)
			s.Media, s.Later = server, func(d time.Duration, f func()) { again[d] = f }
			muted := mutedTracks{}
			var held seat.Seat
			held.Identity = "ada"
			muted.add(held, "r", track)
			s.muteAgain(muted)
			for _, now := range append([]time.Duration{0}, muteAgainAfter()...) {
				if f := again[now]; f != nil {
					f()
				}
				if now == c.unmuteAt {
					if err := server.SetMuted("r", "ada", track, false); err != nil {
						t.Fatal(err)
					}
				}
			}
			people, err := server.Participants(t.Context(), "r")
			if err != nil || len(people) != 1 || people[0].Tracks[0].Muted != c.want {
				t.Errorf("got %+v, %v; want the track muted: %t", people, err, c.want)
			}
		})
	}
}

// publishing lets Ada come in and publish a microphone that is muted on the server.
func publishing(t *testing.T, server *fake.Server) (track string) {
	t.Helper()
	_, err := server.EnsureRoom(t.Context(), "r")
	if err == nil {
		_, err = server.Join(media.Grant{Room: "r", Identity: "ada", PublishSources: []media.Source{media.Microphone}})
	}
	if err == nil {
		track, err = server.Publish("r", "ada", media.Microphone, false)
	}
	if err = errors.Join(err, server.MuteTrack(t.Context(), "r", "ada", track, true)); err != nil {
		t.Fatal(err)
	}
	return track
}
