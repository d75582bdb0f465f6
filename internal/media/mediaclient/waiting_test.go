package mediaclient

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/livekit/protocol/livekit"

	"github.com/conclave-rooms/conclave/internal/media"
)

// often repeats what depends on which of two ready channels a select takes.
const often = 50

// quiet is a participant without a connection.
func quiet() *Participant {
	p := &Participant{tally: newTally(), gone: make(chan struct{}), sub: &peer{tap: &tap{}}}
	p.ctx, p.end = context.WithCancel(context.Background())
	return p
}

// still is a device without a connection, in the main room.
func still() *Device {
	d := newDevice(DeviceOptions{})
	d.now = quiet()
	return d
}

// comesTo lets a device arrive somewhere.
func (d *Device) comesTo(place string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.last = Arrival{Place: place, At: time.Now()}
	close(d.changed)
	d.changed = make(chan struct{})
}

// ends ends the stream of a device.
func (d *Device) ends(err error) {
	d.mu.Lock()
	d.err = err
	d.mu.Unlock()
	close(d.over)
}

func done(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

var errTest = errors.New("the network is gone")

func TestAFrameThatCameBeforeTheEndCounts(t *testing.T) {
	t.Parallel()
	for range often {
		p, wanted := quiet(), stream{"ada", media.Microphone}
		p.tally.open(wanted)
		p.over(errTest)
		if _, err := p.WaitFirstFrame(done(t)); err != nil {
			t.Fatal(err)
		}
		if err := p.WaitFrames(done(t), "ada", media.Microphone, 0); err != nil {
			t.Fatal(err)
		}
	}
}

func TestNoFrameComes(t *testing.T) {
	t.Parallel()
	p := quiet()
	if _, err := p.WaitFirstFrame(done(t)); !errors.Is(err, context.Canceled) {
		t.Errorf("when nobody waits any more: %v", err)
	}
	p.over(errTest)
	if _, err := p.WaitFirstFrame(t.Context()); !errors.Is(err, errTest) {
		t.Errorf("when the connection is over: %v", err)
	}
}

// The first error that ends a connection is the reason. Errors that follow from it are
// not.
func TestTheFirstErrorIsTheReason(t *testing.T) {
	t.Parallel()
	p := quiet()
	if p.Err() != nil {
		t.Errorf("before the end: %v", p.Err())
	}
	p.over(errTest)
	p.over(errors.New("read from a closed socket"))
	if !errors.Is(p.Err(), errTest) {
		t.Errorf("the reason is %v", p.Err())
	}
}

func TestAMoveThatWasCompleteBeforeTheEndCounts(t *testing.T) {
	t.Parallel()
	for range often {
		d := still()
		d.moves <- Arrival{Place: "red"}
		d.ends(errTest)
		if a, err := d.WaitMove(done(t)); err != nil || a.Place != "red" {
			t.Fatalf("%+v, %v", a, err)
		}
		if _, err := d.WaitMove(t.Context()); !errors.Is(err, errTest) {
			t.Fatalf("the second move: %v", err)
		}
	}
}

func TestWaitPlaceReturnsOnceTheDeviceIsThere(t *testing.T) {
	t.Parallel()
	for range often {
		d := still()
		d.comesTo("red")
		d.ends(errTest)
		if a, err := d.WaitPlace(done(t), "red"); err != nil || a.At.IsZero() {
			t.Fatalf("the device is there already: %+v, %v", a, err)
		}
		if _, err := d.WaitPlace(t.Context(), "blue"); !errors.Is(err, errTest) {
			t.Fatalf("the device will never be there: %v", err)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		d := still()
		arrived := make(chan error)
		go func() {
			_, err := d.WaitPlace(t.Context(), "blue")
			arrived <- err
		}()
		synctest.Wait()  // until it waits
		d.comesTo("red") // on the way
		d.comesTo("blue")
		if err := <-arrived; err != nil {
			t.Error(err)
		}
		if _, err := d.WaitPlace(done(t), ""); !errors.Is(err, context.Canceled) {
			t.Errorf("nobody waits any more: %v", err)
		}
	})
}

// A device that moves waits for its first frame in the next room.
func TestTheFirstFrameOfADeviceThatMoves(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, next := still(), quiet()
		before := d.Participant()
		came := make(chan error)
		go func() {
			_, err := d.WaitFirstFrame(t.Context())
			came <- err
		}()
		synctest.Wait() // until it waits
		if d.arrived(next, "red"); before == d.Participant() {
			t.Fatal("the device has not moved")
		}
		before.over(errors.New("left"))
		next.tally.open(stream{"ada", media.Microphone})
		if err := <-came; err != nil {
			t.Error(err)
		}
	})
}

func TestWhatTheServiceSaidBeforeTheEndCounts(t *testing.T) {
	t.Parallel()
	for range often {
		d := still()
		if err := d.told(t.Context(), []byte(`{"session": null}`)); err != nil {
			t.Fatal(err)
		}
		if err := d.told(t.Context(), []byte(`{"session": null}`)); err != nil {
			t.Fatal(err) // the service repeats it at each change
		}
		d.ends(errTest)
		if err := d.WaitInside(done(t)); err != nil {
			t.Fatal(err)
		}
	}
	d := still()
	d.ends(errTest)
	if err := d.WaitInside(t.Context()); !errors.Is(err, errTest) || d.Inside() {
		t.Errorf("the service has said nothing: %v", err)
	}
}

func TestLostSaysWhyADeviceIsNoLongerConnected(t *testing.T) {
	t.Parallel()
	d := still()
	if err := d.Lost(); err != nil {
		t.Errorf("the device is connected: %v", err)
	}
	d.Participant().over(errTest)
	if err := d.Lost(); !errors.Is(err, errTest) || !strings.Contains(err.Error(), "media connection") {
		t.Errorf("without its connection: %v", err)
	}
	d = still()
	d.ends(errTest)
	if err := d.Lost(); !errors.Is(err, errTest) || !strings.Contains(err.Error(), "stream") {
		t.Errorf("without its stream: %v", err)
	}
	d.o.Bare = true
	if err := d.Lost(); err != nil {
		t.Errorf("a media server alone has no stream: %v", err)
	}
}

// unanswered is a publisher whose media server says nothing.
func unanswered(t *testing.T) (p *publisher, gone chan struct{}) {
	t.Helper()
	key, err := frameKey("a passphrase")
	if err != nil {
		t.Fatal(err)
	}
	p, err = newPublisher(key, network{}, func(*livekit.SignalRequest) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.end)
	gone = make(chan struct{})
	p.gone = gone
	return p, gone
}

// An answer that cannot come any more is not waited for.
func TestPublishingEndsWithTheConnection(t *testing.T) {
	t.Parallel()
	p, gone := unanswered(t)
	asked := false
	p.send = func(*livekit.SignalRequest) error { // and then nobody answers
		if !asked {
			asked = true
			close(gone)
		}
		return nil
	}
	if _, err := p.publish(t.Context(), t.Context(), media.Microphone, "microphone", false); !asked || !errors.Is(err, errGone) {
		t.Errorf("publish, which has announced its track (%t): %v", asked, err)
	}
	if err := p.negotiate(t.Context()); !errors.Is(err, errGone) {
		t.Errorf("negotiate: %v", err)
	}
}

// The answer to an offer that nobody waited for is not taken for the answer to the next
// offer.
func TestAnAnswerThatCameTooLate(t *testing.T) {
	t.Parallel()
	p, _ := unanswered(t)
	p.settled <- nil
	if err := p.negotiate(done(t)); !errors.Is(err, context.Canceled) {
		t.Errorf("the old answer was taken: %v", err)
	}
}

// The service ends the connection to the former room while a device moves.
func TestADeviceOnItsWayIsNotLost(t *testing.T) {
	t.Parallel()
	d := still()
	d.now.goneError = errors.New("sent away: PARTICIPANT_REMOVED")
	d.setMoving(true)
	if err := d.Lost(); err != nil {
		t.Errorf("on its way it is lost: %v", err)
	}
	d.setMoving(false)
	if err := d.Lost(); err == nil || !strings.Contains(err.Error(), "PARTICIPANT_REMOVED") {
		t.Errorf("without a connection, and not on its way, it is lost: %v", err)
	}
}
