package load

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/media/mediaclient"
)

// preparers is how many requests prepare a run at the same time.
const preparers = 8

// run is one run.
type run struct {
	*measures

	o     Options
	api   *caller
	host  host
	rooms []*room
	keys  mediaclient.Keys

	webhooks webhookCheck

	mu   sync.Mutex
	gone mediaclient.Reception // of people who have left
}

// room is a room with its people.
type room struct {
	api.Room

	people []*person
}

// Run carries out a load. It returns an error when the load could not be put on the
// service at all; what failed for single people is in the report. When ctx ends
// while the meetings go on, they end early, and the report says so.
func Run(ctx context.Context, o Options) (Report, error) {
	if err := o.check(); err != nil {
		return Report{}, err
	}
	r := &run{measures: newMeasures(), o: o, api: newCaller(&o)}
	var err error
	if r.host, err = hostOf(&o, r.api); err != nil {
		return Report{}, err
	}
	defer r.cleanUp(context.WithoutCancel(ctx))
	if o.Webhooks != "" {
		stop, err := r.receive(ctx)
		defer stop()
		if err != nil {
			return Report{}, err
		}
	}
	if err := r.prepare(ctx); err != nil {
		return Report{}, err
	}
	before := r.usage(ctx)
	began := time.Now()
	r.o.Say("%d people join %s.", o.Rooms*o.People, roomCount(o.Rooms))
	r.everybodyJoins(ctx)
	if ctx.Err() != nil {
		r.everybodyLeaves(ctx)
		return Report{}, ctx.Err() //nolint:wrapcheck // interrupted
	}
	if r.inside() == 0 {
		return Report{}, fmt.Errorf("nobody could join: %s", strings.Join(r.firstFailures(), "; "))
	}
	held, seen := time.Now(), r.reception()
	atRest := r.usage(ctx)
	r.o.Say("%d of them are in after %s. They stay for %s.", r.inside(), held.Sub(began).Round(time.Millisecond), o.Hold)
	r.hold(ctx)
	waiting := ctx // ends the wait for webhooks
	if ctx.Err() != nil {
		waiting = context.WithoutCancel(ctx)
	}
	return r.finish(ctx, waiting, span{before, atRest, began, held, seen}), nil
}

// span is what was seen before the meetings ended.
type span struct {
	before, atRest usage
	began, held    time.Time // when people began to join, and when they were in
	seen           mediaclient.Reception
}

// finish lets everybody leave, and makes the report. The end of waiting ends the wait for
// webhooks.
func (r *run) finish(ctx, waiting context.Context, s span) Report {
	r.lookForLost()
	report := Report{Rooms: r.o.Rooms, People: r.o.People, Inside: r.inside(), Joined: s.held.Sub(s.began).Seconds(), Held: time.Since(s.held).Seconds()}
	report.Media = received(s.seen, r.reception(), time.Since(s.held))
	report.Processes, report.Unread = compare(s.before, s.atRest, r.usage(context.WithoutCancel(ctx)), s.held.Sub(s.began), time.Since(s.held), r.inside())
	r.o.Say("Everybody leaves.")
	r.everybodyLeaves(ctx)
	r.waitForWebhooks(waiting)
	report.Interrupted = ctx.Err() != nil
	report.Steps, report.Failures = r.summaries(), r.firstFailures()
	report.Exceeded, report.Unjudged = r.o.Limits.compare(report)
	return report
}

// prepare makes the rooms, and a media token for everybody.
func (r *run) prepare(ctx context.Context) error {
	r.o.Say("Making %s, and media tokens for %d people.", roomCount(r.o.Rooms), r.o.Rooms*r.o.People)
	for n := range r.o.Rooms {
		made := &room{}
		var err error
		if made.Room, err = r.host.makeRoom(ctx, n+1); err != nil {
			return fmt.Errorf("make a room: %w", err)
		}
		r.rooms = append(r.rooms, made)
		for i := range r.o.People {
			made.people = append(made.people, newPerson(r, made, i))
		}
	}
	work := make(chan *person)
	failed := make(chan error, preparers)
	var working sync.WaitGroup
	for range preparers {
		working.Go(func() {
			for p := range work {
				if err := p.getToken(ctx); err != nil {
					select {
					case failed <- err:
					default:
					}
				}
			}
		})
	}
	for _, p := range r.everybody() {
		work <- p
	}
	close(work)
	working.Wait()
	select {
	case err := <-failed:
		return fmt.Errorf("make media tokens: %w", err)
	default:
		return nil
	}
}

// everybody lists all people in the order in which they join: the first of each
// room, then the second of each room, and so on.
func (r *run) everybody() []*person {
	var all []*person
	for i := range r.o.People {
		for _, room := range r.rooms {
			all = append(all, room.people[i])
		}
	}
	return all
}

// everybodyJoins returns when everybody is in, or could not come in.
func (r *run) everybodyJoins(ctx context.Context) {
	var joining sync.WaitGroup
	pace := r.pace()
	defer pace.Stop()
	for _, p := range r.everybody() {
		if r.o.JoinRate > 0 {
			select {
			case <-pace.C:
			case <-ctx.Done():
			}
		}
		if ctx.Err() != nil {
			break
		}
		joining.Go(func() { p.join(ctx) })
	}
	joining.Wait()
}

// pace ticks as often as people join.
func (r *run) pace() *time.Ticker {
	if r.o.JoinRate == 0 {
		return time.NewTicker(time.Hour) // nobody waits for it
	}
	return time.NewTicker(interval(time.Second, r.o.JoinRate))
}

func (r *run) everybodyLeaves(ctx context.Context) {
	var leaving sync.WaitGroup
	for _, p := range r.everybody() {
		leaving.Go(func() { p.leave(context.WithoutCancel(ctx)) })
	}
	leaving.Wait()
}

// inside is how many people are in.
func (r *run) inside() int {
	n := 0
	for _, p := range r.everybody() {
		if d := p.in(); d != nil && d.Lost() == nil {
			n++
		}
	}
	return n
}

// lookForLost reports the people who did not leave, and are not there any more.
func (r *run) lookForLost() {
	for _, p := range r.everybody() {
		if d := p.in(); d != nil {
			if err := d.Lost(); err != nil {
				r.fail(staying, err)
			}
		}
	}
}

// reception is what everybody has received so far, also those who have left.
func (r *run) reception() mediaclient.Reception {
	r.mu.Lock()
	sum := r.gone
	r.mu.Unlock()
	for _, p := range r.everybody() {
		if d := p.in(); d != nil {
			sum = sum.Plus(d.Reception())
		}
	}
	return sum
}

// left counts what a person who leaves has received, and expects the webhooks
// about them.
func (r *run) left(d *mediaclient.Device) {
	if d.Inside() {
		r.webhooks.expect(d.Participant().Identity())
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gone = r.gone.Plus(d.Reception())
}

// cleanUp deletes the rooms.
func (r *run) cleanUp(ctx context.Context) {
	for _, room := range r.rooms {
		if err := r.host.deleteRoom(ctx, room.ID); err != nil {
			r.o.Say("The room %s could not be deleted: %v", room.ID, err)
		}
	}
}
