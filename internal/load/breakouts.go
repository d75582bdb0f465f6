package load

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/media/mediaclient"
)

// moveFor bounds how long a person may take to move.
const moveFor = 30 * time.Second

// mover is a person who was sent to a place, with the device that they had then.
type mover struct {
	person *person
	device *mediaclient.Device
	place  string
}

// breakOut splits the meeting of a room, and ends that once everybody has arrived.
func (r *run) breakOut(ctx context.Context, in *room) {
	ctx = context.WithoutCancel(ctx)
	here := map[string]mover{} // by their ids in the meeting
	for _, p := range in.people {
		if d := p.in(); d != nil {
			id, _, _ := strings.Cut(d.Participant().Identity(), ".")
			here[id] = mover{person: p, device: d}
		}
	}
	path := "/api/v1/rooms/" + in.ID + "/breakouts"
	began := time.Now()
	var session api.BreakoutSession
	if err := r.api.do(ctx, http.MethodPost, path, map[string]any{"rooms": r.o.Breakouts}, &session); err != nil {
		r.fail(movingOut, err)
		return
	}
	var movers []mover
	for _, breakout := range session.Rooms {
		for _, member := range breakout.Members {
			if m, ok := here[member.ID]; ok {
				m.place = breakout.ID
				movers = append(movers, m)
			}
		}
	}
	out := r.waitFor(ctx, movers, movingOut, began)
	began = time.Now()
	if err := r.api.do(ctx, http.MethodPost, path+"/end", struct{}{}, nil); err != nil {
		r.fail(movingBack, err)
		return
	}
	for i := range out {
		out[i].place = ""
	}
	r.waitFor(ctx, out, movingBack, began)
}

// waitFor waits until people are where they were sent, and returns those who are. Those
// who leave meanwhile do not count.
func (r *run) waitFor(ctx context.Context, movers []mover, s step, began time.Time) (there []mover) {
	ctx, cancel := context.WithTimeout(ctx, moveFor)
	defer cancel()
	var (
		moving sync.WaitGroup
		mu     sync.Mutex
	)
	for _, m := range movers {
		moving.Go(func() {
			arrival, err := m.device.WaitPlace(ctx, m.place)
			switch {
			case m.person.in() != m.device:
			case err != nil:
				r.fail(s, err)
			default:
				r.add(s, arrival.At.Sub(began))
				mu.Lock()
				defer mu.Unlock()
				there = append(there, m)
			}
		})
	}
	moving.Wait()
	return there
}
