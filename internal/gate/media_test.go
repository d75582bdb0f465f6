package gate_test

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/livekit/protocol/livekit"

	"github.com/conclave-rooms/conclave/internal/media"
	"github.com/conclave-rooms/conclave/internal/media/mediaclient"
	"github.com/conclave-rooms/conclave/internal/media/mediatest"
)

func (h *testGate) options(name string) mediaclient.Options { return options(h.url, name) }

// Two people meet through the gate. One of them loses the signalling
// connection, reconnects through the gate and keeps the sound. Then the room is
// locked.
func TestPeopleMeetThroughTheGate(t *testing.T) {
	t.Parallel()
	h := newTestGate(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	ada, ben := mediatest.Join(t, h.options("ada")), mediatest.Join(t, h.options("ben"))
	want(t, "asked first", <-h.asked, "ada")
	want(t, "asked then", <-h.asked, "ben")
	for _, source := range []media.Source{media.Microphone, media.Camera} {
		if _, err := ada.Publish(ctx, source); err != nil {
			t.Fatal(err)
		}
		if err := ben.WaitFrames(ctx, "ada", source, 10); err != nil {
			t.Fatal(err)
		}
	}

	session := ada.SessionID()
	want(t, "cut", h.gate.Disconnect("ada"), 1)
	select {
	case name := <-h.asked:
		want(t, "asked again", name, "ada")
	case <-ctx.Done():
		t.Fatal("did not come back")
	}
	if err := ben.WaitFrames(ctx, "ada", media.Microphone, 50); err != nil {
		t.Error(err)
	}
	want(t, "session after coming back", ada.SessionID(), session)

	h.shut.Store(true)
	_, err := mediaclient.Connect(ctx, h.options("eve"))
	if err == nil || !strings.Contains(err.Error(), "The room is locked, really.") {
		t.Errorf("refused with %v", err)
	}
}

// The media server tells everybody in a room the names of tracks. So the gate
// refuses enormous names: Ben still hears Ada, and Dan can come in.
func TestEnormousNamesAreRefused(t *testing.T) {
	t.Parallel()
	h := newTestGate(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	ada, ben := mediatest.Join(t, h.options("ada")), mediatest.Join(t, h.options("ben"))
	if _, err := ada.Publish(ctx, media.Microphone); err != nil {
		t.Fatal(err)
	}
	if err := ben.WaitFrames(ctx, "ada", media.Microphone, 10); err != nil {
		t.Fatal(err)
	}
	for len(h.asked) > 0 {
		<-h.asked
	}
	for _, name := range []string{"eve", "mallory"} {
		loud := mediatest.Join(t, h.options(name))
		want(t, "asked", <-h.asked, name)
		publishing, stop := context.WithCancel(ctx)
		done := make(chan error, 1)
		go func() {
			_, err := loud.PublishNamed(publishing, media.Microphone, strings.Repeat("x", 1_200_000))
			if err == nil {
				t.Error("published under an enormous name")
				h.asked <- name // nobody reads asked after this
			}
			done <- err
		}()
		select {
		case asked := <-h.asked:
			want(t, "cut, and back", asked, name)
		case <-ctx.Done():
			t.Fatalf("%s did not come back: %v", name, loud.Err())
		}
		stop()
		<-done
	}
	mediatest.Join(t, h.options("dan"))
	if err := ben.WaitFrames(ctx, "ada", media.Microphone, 100); err != nil {
		t.Error(err)
	}
}

// A client that makes the media server check the way to it, and names addresses of
// others as its own. The media server sends nothing there, and the client's own checks
// connect it.
func TestTheMediaServerSendsNothingToAddressesOfOthers(t *testing.T) {
	t.Parallel()
	h := newTestGate(t)
	for name, said := range map[string]func(*mediaclient.Options){
		"by its settings": func(o *mediaclient.Options) {
			o.Join = &livekit.JoinRequest{ClientInfo: client(17), ConnectionSettings: &livekit.ConnectionSettings{DisableIceLite: true}}
		},
		"as Firefox": func(o *mediaclient.Options) {
			o.Join = &livekit.JoinRequest{ClientInfo: client(17), ConnectionSettings: &livekit.ConnectionSettings{}}
			o.Join.ClientInfo.Browser = "firefox"
		},
		"by waiting to be checked": func(*mediaclient.Options) {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			other, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = other.Close() }()
			o := h.options(strings.ReplaceAll(name, " ", "-"))
			said(&o)
			o.Alter = naming(other.LocalAddr().String(), o.Join == nil)
			eve := mediatest.Join(t, o)
			if _, err := eve.PublishSilently(ctx, media.Microphone); err != nil {
				t.Fatal(err)
			}
			if err := eve.WaitConnected(ctx); err != nil {
				t.Fatal(err)
			}
			// Whatever the media server checks, it has begun to check before it connected.
			_ = other.SetReadDeadline(time.Now().Add(time.Millisecond))
			if n, from, err := other.ReadFromUDP(make([]byte, 1500)); err == nil {
				t.Errorf("%d bytes came from %v", n, from)
			}
		})
	}
}

// naming makes a client claim an address as its own in everything that it sends, and
// claim that it waits to be checked.
func naming(address string, waits bool) func(*livekit.SignalRequest) {
	host, port, _ := strings.Cut(address, ":")
	candidate := "candidate:1 1 udp 2130706431 " + host + " " + port + " typ host"
	describe := func(d *livekit.SessionDescription) {
		if d == nil {
			return
		}
		d.Sdp = strings.ReplaceAll(d.GetSdp(), "a=mid:", "a="+candidate+"\r\na=mid:")
		if waits {
			d.Sdp = strings.Replace(d.GetSdp(), "a=group:", "a=ice-lite\r\na=group:", 1)
		}
	}
	return func(r *livekit.SignalRequest) {
		if r.GetTrickle() != nil {
			r.GetTrickle().CandidateInit = `{"candidate":"` + candidate + `"}`
		}
		describe(r.GetOffer())
		describe(r.GetAnswer())
	}
}
