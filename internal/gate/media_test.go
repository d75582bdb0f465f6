package gate_test

import (
	"context"
	"strings"
	"testing"
	"time"

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
