package live

import (
	"slices"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/seat"
)

func TestTheFirstMicrophoneAndCameraOfOtherClientsAreTurnedOff(t *testing.T) {
	t.Parallel()
	entering := with(seatIn("a"), func(s *seat.Seat) { s.MicrophoneHandled, s.CameraHandled = false, false })
	ours := with(entering, func(s *seat.Seat) { s.OwnInterface = true })
	handled := with(entering, func(s *seat.Seat) { s.MicrophoneHandled, s.CameraHandled = true, true })
	muted, unseen, both := anyRoom(), anyRoom(), anyRoom()
	muted.Settings.MuteOnEntry, unseen.Settings.CameraOffOnEntry = true, true
	both.Settings.MuteOnEntry, both.Settings.CameraOffOnEntry = true, true
	mic := seen{Identity: "a", Microphone: true, Open: []string{"t1", "t2"}}
	cam := seen{Identity: "a", HasCamera: true, Camera: []string{"t3"}}
	all := seen{Identity: "a", Microphone: true, Open: []string{"t1"}, HasCamera: true, Camera: []string{"t3"}}
	for _, c := range []struct {
		name string
		room room.Room
		seat seat.Seat
		seen seen
		want []string
	}{
		{"a stock client's microphone", muted, entering, mic, []string{"off a t1 t2"}},
		{"a stock client's camera", unseen, entering, cam, []string{"off a t3"}},
		{"both", both, entering, all, []string{"off a t1", "off a t3"}},
		{"only the microphone has to be off", muted, entering, all, []string{"touched a", "off a t1"}},
		{"only the camera has to be off", unseen, entering, all, []string{"touched a", "off a t3"}},
		{"without a microphone or camera yet", both, entering, seen{Identity: "a"}, nil},
		{"a camera that is off already", unseen, entering, seen{Identity: "a", HasCamera: true}, []string{"touched a"}},
		{"our own interface does it by itself", muted, ours, mic, []string{"touched a"}},
		{"our own interface has nothing noted about its camera", unseen, ours, cam, nil},
		{"once is enough", both, handled, all, nil},
		{"the room does not ask for it", anyRoom(), entering, mic, []string{"touched a"}},
		{"the room does not ask for it of cameras", muted, entering, cam, []string{"touched a"}},
		{
			"a host muted them before they published, our own interface too", anyRoom(),
			with(ours, func(s *seat.Seat) { s.MutedAt = noon.Add(time.Second - seat.ConnectGrace) }), mic,
			[]string{"off a t1 t2"},
		},
		{
			"a host muted them, and they published much later", anyRoom(),
			with(entering, func(s *seat.Seat) { s.MutedAt = noon.Add(-seat.ConnectGrace) }), mic,
			[]string{"touched a"},
		},
	} {
		st := running(c.seat)
		st.Room = c.room
		if got := gist(planned(st, sees("g1", c.seen), noon)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
