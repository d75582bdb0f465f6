package live

import (
	"context"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/fault"
)

const (
	// heartbeatEvery keeps the stream alive through proxies; a device that
	// hears nothing for 40 s connects again.
	heartbeatEvery = 15 * time.Second
	// settleFor gathers changes that come close together into one message.
	settleFor = 40 * time.Millisecond
)

// endElsewhere ends the stream of a device whose ticket was replaced, because
// another device joined with the same link.
const endElsewhere = "elsewhere"

// Follow tells the holder of a ticket what happens, until their seat is over,
// the device goes, or the service stops.
func (s *Service) Follow(ctx context.Context, ticket string, st *stream) error {
	parts, end, seat, err := s.snapshot(ctx, ticket)
	if err != nil {
		return err
	}
	wake, cancel := s.Hub.Subscribe(Topic(seat.RoomID))
	defer cancel()
	beat := time.NewTicker(heartbeatEvery)
	defer beat.Stop()
	for {
		if err := st.send(parts); err != nil {
			return nil // the device is gone, which is how streams end
		}
		if end != "" {
			_ = st.last("end", map[string]string{"reason": end})
			return nil
		}
		woken, err := s.await(ctx, st, wake, beat.C)
		if err != nil || !woken {
			return nil
		}
		parts, end, _, err = s.snapshot(ctx, ticket)
		if fault.HasCode(err, CodeTicketInvalid) {
			parts, end, err = nil, endElsewhere, nil
		}
		if err != nil {
			return err
		}
	}
}

// await waits for something to change; false when there is nothing to wait
// for any more.
func (s *Service) await(ctx context.Context, st *stream, wake <-chan struct{}, beat <-chan time.Time) (bool, error) {
	for {
		select {
		case <-ctx.Done():
			return false, nil
		case <-s.Draining:
			return false, st.last("restarting", map[string]string{"message": "The service is restarting. You will be back in a moment."})
		case <-beat:
			if err := st.heartbeat(); err != nil {
				return false, err
			}
		case <-wake:
			select {
			case <-ctx.Done():
				return false, nil
			case <-time.After(settleFor):
				return true, nil
			}
		}
	}
}

// snapshot reads everything the holder of a ticket is told.
func (s *Service) snapshot(ctx context.Context, ticket string) (parts []part, end string, seat Seat, err error) {
	err = s.DB.Read(ctx, func(tx *db.Tx) error {
		found, r, err := s.AnyByTicket(ctx, tx, ticket)
		if err != nil {
			return err
		}
		seat = found
		if end = endOf(seat, r); end != "" {
			return nil
		}
		meeting, err := runningMeeting(ctx, tx, r.ID)
		if err != nil {
			return err
		}
		in, err := seatsIn(ctx, tx, r.ID)
		if err != nil {
			return err
		}
		parts = partsFor(seat, r, meeting, in, s.PublicURL)
		return nil
	})
	return parts, end, seat, err
}
