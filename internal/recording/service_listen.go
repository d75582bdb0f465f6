package recording

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
)

// arrival is an upload that is not stored yet.
type arrival struct {
	recordingID string
	secret      string
	heard       time.Time // when the device was last heard
}

// isDue reports whether it is time to record again that the device is there.
func (a *arrival) isDue(now time.Time) bool { return !now.Before(a.heard.Add(hearEvery)) }

// arrivals are the uploads of this node that have arrived and wait for the store.
type arrivals struct {
	mu  sync.Mutex
	all map[*arrival]struct{}
}

func (as *arrivals) add(a *arrival) {
	as.mu.Lock()
	defer as.mu.Unlock()
	if as.all == nil {
		as.all = map[*arrival]struct{}{}
	}
	as.all[a] = struct{}{}
}

func (as *arrivals) remove(a *arrival) {
	as.mu.Lock()
	defer as.mu.Unlock()
	delete(as.all, a)
}

// due returns the uploads for which it is time to record that their device is there.
func (as *arrivals) due(now time.Time) (due []*arrival) {
	as.mu.Lock()
	defer as.mu.Unlock()
	for a := range as.all {
		if a.isDue(now) {
			due = append(due, a)
		}
	}
	return due
}

// heard records when the device of an upload was heard.
func (as *arrivals) heard(a *arrival, now time.Time) {
	as.mu.Lock()
	defer as.mu.Unlock()
	a.heard = now
}

// putHeard stores an arriving body. Until it is stored, or the device has given it up, it
// regularly records that the device is there: listen does while the body arrives, and
// hearWaiting after that.
func (s *Service) putHeard(ctx context.Context, r Recording, key, secret string, body io.Reader) error {
	a := &arrival{recordingID: r.ID, secret: secret, heard: r.HeardAt}
	defer s.arrived.remove(a)
	_, err := s.Blobs.Put(ctx, key, s.listen(ctx, a, body))
	return err
}

func (s *Service) listen(ctx context.Context, a *arrival, body io.Reader) io.Reader {
	isWhole := false
	return readFunc(func(p []byte) (int, error) {
		n, err := body.Read(p)
		if isWhole || err != nil && !errors.Is(err, io.EOF) {
			return n, err
		}
		if now := s.Now(); a.isDue(now) {
			a.heard = now
			if _, err := s.Alive(ctx, a.recordingID, a.secret); err != nil {
				return n, err
			}
		}
		if isWhole = err != nil; isWhole {
			s.arrived.add(a)
		}
		return n, err
	})
}

// hearWaiting records that the devices are there whose uploads wait for the store. They
// cannot say so themselves, because a device sends one thing at a time.
func (s *Service) hearWaiting(ctx context.Context) (err error) {
	now := s.Now()
	for _, a := range s.arrived.due(now) {
		_, failed := s.Alive(ctx, a.recordingID, a.secret)
		if failed != nil && !fault.HasCode(failed, api.CodeRecordingOver) { // then the upload is refused once it is stored
			err = errors.Join(err, fmt.Errorf("hear the device of recording %s: %w", a.recordingID, failed))
			continue
		}
		s.arrived.heard(a, now)
	}
	return err
}

// readFunc is a function that reads.
type readFunc func(p []byte) (int, error)

// Read calls f.
func (f readFunc) Read(p []byte) (int, error) { return f(p) }
