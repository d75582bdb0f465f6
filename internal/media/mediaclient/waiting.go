package mediaclient

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// An event counts even if it came before the wait, or exactly when the wait ended:
// each of these looks once more before it returns an error.

// WaitMove waits until the next move is complete: connected, and sending again.
func (d *Device) WaitMove(ctx context.Context) (Arrival, error) {
	var err error
	select {
	case a := <-d.moves:
		return a, nil
	case <-d.over:
		err = fmt.Errorf("the device stopped moving: %w", d.Err())
	case <-ctx.Done():
		err = fmt.Errorf("wait for a move: %w", context.Cause(ctx))
	}
	select {
	case a := <-d.moves:
		return a, nil
	default:
		return Arrival{}, err
	}
}

// WaitPlace waits until the device is in a breakout, or with "" in the main room, and
// says since when. Moves to other places do not matter.
func (d *Device) WaitPlace(ctx context.Context, place string) (Arrival, error) {
	for ended := error(nil); ; {
		d.mu.Lock()
		last, changed := d.last, d.changed
		d.mu.Unlock()
		switch {
		case last.Place == place:
			return last, nil
		case ended != nil:
			return Arrival{}, fmt.Errorf("the device is not where it belongs: %w", ended)
		}
		select {
		case <-changed:
		case <-d.over:
			ended = errors.Join(errors.New("it follows no stream"), d.Err())
		case <-ctx.Done():
			ended = context.Cause(ctx)
		}
	}
}

// WaitInside waits until the service has said that the person is in the meeting. A
// device is connected shortly before that.
func (d *Device) WaitInside(ctx context.Context) error {
	var err error
	select {
	case <-d.inside:
	case <-d.over:
		err = fmt.Errorf("the service has not said that the person is in: %w", d.Err())
	case <-ctx.Done():
		err = fmt.Errorf("the service has not said that the person is in: %w", context.Cause(ctx))
	}
	if d.Inside() {
		return nil
	}
	return err
}

// Inside says whether the service has said that the person is in the meeting.
func (d *Device) Inside() bool {
	select {
	case <-d.inside:
		return true
	default:
		return false
	}
}

// WaitFirstFrame waits until a frame of anybody could be decrypted, and says when
// that was. The device may move meanwhile.
func (d *Device) WaitFirstFrame(ctx context.Context) (time.Time, error) {
	for {
		p := d.Participant()
		at, err := p.WaitFirstFrame(ctx)
		if err == nil || p == d.Participant() {
			return at, err
		}
	}
}

// ConnectedAt is when the device was first connected.
func (d *Device) ConnectedAt() time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.first
}

// Lost is why the device is no longer connected, or no longer follows its stream; nil
// while it does both.
func (d *Device) Lost() error {
	select {
	case <-d.over:
		if !d.o.Bare {
			return fmt.Errorf("the stream: %w", d.Err())
		}
	default:
	}
	d.mu.Lock()
	now, moving := d.now, d.moving
	d.mu.Unlock()
	// The service ends the connection to the room before five seconds after the move,
	// when the next one may not be ready yet.
	if err := now.Err(); err != nil && !moving {
		return fmt.Errorf("the media connection: %w", err)
	}
	return nil
}
