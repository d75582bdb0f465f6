package load

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/media"
	"github.com/conclave-rooms/conclave/internal/media/mediaclient"
)

const (
	// voteFor bounds a poll.
	voteFor = 30 * time.Second
	// between is the time between two sessions of breakouts, and two polls.
	between = 5 * time.Second
	// visitorStays is how long a visitor who was let in stays.
	visitorStays = 5 * time.Second
)

// hold lets the meetings go on, with everything that people do meanwhile. It returns
// when all of that is complete.
func (r *run) hold(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, r.o.Hold)
	defer cancel()
	var doing sync.WaitGroup
	r.often(ctx, &doing, r.o.Churn, r.replaceSomebody)
	r.often(ctx, &doing, r.o.Knocks, r.somebodyKnocks)
	for _, room := range r.rooms {
		if r.o.Breakouts > 0 {
			doing.Go(func() { repeat(ctx, func() { r.breakOut(ctx, room) }) })
		}
		if r.o.Polls {
			doing.Go(func() { repeat(ctx, func() { r.poll(ctx, room) }) })
		}
	}
	<-ctx.Done()
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		r.o.Say("Interrupted: what was begun is finished, which may take a minute, and then the report follows. Interrupt again to end at once; then rooms stay.")
	}
	doing.Wait()
}

// often does something aMinute times a minute, without waiting for earlier runs of it.
func (r *run) often(ctx context.Context, doing *sync.WaitGroup, aMinute float64, do func(context.Context)) {
	if aMinute == 0 {
		return
	}
	every := time.NewTicker(interval(time.Minute, aMinute))
	doing.Go(func() {
		defer every.Stop()
		for {
			select {
			case <-every.C:
				doing.Go(func() { do(context.WithoutCancel(ctx)) })
			case <-ctx.Done():
				return
			}
		}
	})
}

// repeat does something again and again, one run after the other.
func repeat(ctx context.Context, do func()) {
	for {
		do()
		select {
		case <-time.After(between):
		case <-ctx.Done():
			return
		}
	}
}

// replaceSomebody lets a person leave and a new one come. Hosts stay.
func (r *run) replaceSomebody(ctx context.Context) {
	room := r.rooms[rand.IntN(len(r.rooms))]
	p := room.people[1+rand.IntN(len(room.people)-1)]
	if !p.leave(ctx) {
		return // being replaced already, or never came in
	}
	if p.getToken(ctx) == nil {
		p.join(ctx)
	}
}

// somebodyKnocks lets a visitor come by the link of a room, and a host let them in.
func (r *run) somebodyKnocks(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, joinFor)
	defer cancel()
	room := r.rooms[rand.IntN(len(r.rooms))]
	var decided time.Time
	waits := func(identity string) {
		decided = time.Now()
		err := r.api.do(ctx, http.MethodPost, "/api/v1/rooms/"+room.ID+"/waiting/"+identity, api.WaitingDecision{Decision: "admit"}, nil)
		if err != nil {
			r.fail(letIn, err)
			cancel()
		}
	}
	o := mediaclient.DeviceOptions{Service: r.o.Service, Sends: []media.Source{media.Microphone}, Keys: &r.keys, Direct: true, Here: true}
	d, err := mediaclient.Knock(ctx, o, room.Code, "Visitor", waits)
	switch {
	case errors.Is(err, context.Canceled):
		return // reported above
	case err != nil:
		r.fail(letIn, err)
		return
	}
	r.add(letIn, d.ConnectedAt().Sub(decided))
	select {
	case <-time.After(visitorStays):
	case <-ctx.Done():
	}
	r.left(d)
	if err := d.Leave(context.WithoutCancel(ctx)); err != nil {
		r.fail(leaving, err)
	}
}

// poll asks a question, lets everybody vote, and takes the poll away.
func (r *run) poll(ctx context.Context, in *room) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), voteFor)
	defer cancel()
	began := time.Now()
	var asked api.Poll
	err := r.api.do(ctx, http.MethodPost, "/api/v1/rooms/"+in.ID+"/polls", api.PollCreate{Question: "Shall we go on?", Options: []string{"Yes", "No"}}, &asked)
	if err != nil {
		r.fail(asking, err)
		return
	}
	r.add(asking, time.Since(began))
	var votes sync.WaitGroup
	for i, p := range in.people {
		d := p.in()
		if d == nil {
			continue
		}
		votes.Go(func() {
			err := d.WaitInside(ctx) // those who have just come may not vote before
			began := time.Now()
			if err == nil {
				choice := map[string]any{"options": []string{asked.Options[i%len(asked.Options)].ID}}
				err = d.Send(ctx, http.MethodPost, "/meet/v1/polls/"+asked.ID+"/vote", choice)
			}
			switch {
			case p.in() != d: // left meanwhile
			case err != nil:
				r.fail(voting, err)
			default:
				r.add(voting, time.Since(began))
			}
		})
	}
	votes.Wait()
	if err := r.api.do(ctx, http.MethodDelete, "/api/v1/polls/"+asked.ID, nil, nil); err != nil {
		r.fail(asking, fmt.Errorf("delete the poll: %w", err))
	}
}
