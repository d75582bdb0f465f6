package live

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/conclave-rooms/conclave/api"
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

// stream tells one device what changes.
type stream struct {
	out   io.Writer
	flush func() error
	sums  map[string]string // of the parts the device has, by name
	order []string
}

// newStream starts from what the device has already, as it said in
// Last-Event-ID.
func newStream(out io.Writer, flush func() error, lastEventID string) *stream {
	st := &stream{out: out, flush: flush, sums: map[string]string{}}
	for pair := range strings.SplitSeq(lastEventID, ",") {
		if name, sum, ok := strings.Cut(pair, ":"); ok {
			st.note(name, sum)
		}
	}
	return st
}

func (st *stream) note(name, sum string) {
	if _, known := st.sums[name]; !known {
		st.order = append(st.order, name)
	}
	st.sums[name] = sum
}

// send writes the parts that differ from what the device has.
func (st *stream) send(parts []part) error {
	for _, p := range parts {
		data, err := json.Marshal(p.Data)
		if err != nil {
			return fmt.Errorf("write %s: %w", p.Name, err)
		}
		hash := sha256.Sum256(data)
		sum := hex.EncodeToString(hash[:6])
		if st.sums[p.Name] == sum {
			continue
		}
		st.note(p.Name, sum)
		if err := st.event(p.Name, data); err != nil {
			return err
		}
	}
	return st.flush()
}

// event writes one event. Its id names every part the device has now.
func (st *stream) event(name string, data []byte) error {
	pairs := make([]string, len(st.order))
	for i, n := range st.order {
		pairs[i] = n + ":" + st.sums[n]
	}
	_, err := fmt.Fprintf(st.out, "event: %s\nid: %s\ndata: %s\n\n", name, strings.Join(pairs, ","), data)
	return err //nolint:wrapcheck // the device is gone; nobody reads the text
}

func (st *stream) last(name string, data any) error {
	text, err := json.Marshal(data)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if err := st.event(name, text); err != nil {
		return err
	}
	return st.flush()
}

func (st *stream) heartbeat() error {
	if _, err := io.WriteString(st.out, ":\n\n"); err != nil {
		return err //nolint:wrapcheck // as in event
	}
	return st.flush()
}

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
			return nil //nolint:nilerr // the device is gone, which is how streams end
		}
		if end != "" {
			_ = st.last("end", map[string]string{"reason": end})
			return nil
		}
		woken, err := s.await(ctx, st, wake, beat.C)
		if err != nil || !woken {
			return nil //nolint:nilerr // as above
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

// handAnswer is a seat after its hand went up or down.
type handAnswer struct {
	Object     string `json:"object" enum:"seat"`
	Identity   string `json:"identity"`
	HandRaised bool   `json:"hand_raised"`
}

// leaveAnswer is a seat that was given up.
type leaveAnswer struct {
	Object   string `json:"object" enum:"seat"`
	Identity string `json:"identity"`
	Left     bool   `json:"left"`
}

// participantList is the list of those who are in.
type participantList = api.List[api.Participant]
