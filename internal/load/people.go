package load

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/media"
	"github.com/conclave-rooms/conclave/internal/media/mediaclient"
)

// joinFor bounds an attempt to join, and the wait for the first frame.
const joinFor = 30 * time.Second

// person is one person of a room. The first one is its host.
type person struct {
	run   *run
	room  *room
	name  string
	role  string
	sends []media.Source

	mu     sync.Mutex // guards the fields below
	token  api.RoomToken
	device *mediaclient.Device // nil while the person is not in
}

func newPerson(r *run, in *room, i int) *person {
	p := &person{run: r, room: in, name: fmt.Sprintf("Person %d", i+1), role: string(api.RoleParticipant)}
	if i == 0 {
		p.role = string(api.RoleHost)
	}
	if i < r.o.Microphones {
		p.sends = append(p.sends, media.Microphone)
	}
	if i < r.o.Cameras {
		p.sends = append(p.sends, media.Camera)
	}
	return p
}

// in is the person's device; nil while they are not in.
func (p *person) in() *mediaclient.Device {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.device
}

// getToken gets a media token for a new person.
func (p *person) getToken(ctx context.Context) error {
	began := time.Now()
	token, err := p.run.host.token(ctx, p.room.ID, p.name, p.role)
	if err != nil {
		p.run.fail(makingTokens, err)
		return err
	}
	p.run.add(makingTokens, time.Since(began))
	p.mu.Lock()
	defer p.mu.Unlock()
	p.token = token
	return nil
}

// join brings the person in, and waits for the first frame of somebody else, if
// others are sending.
func (p *person) join(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, joinFor)
	defer cancel()
	others := p.room.sending()
	p.mu.Lock()
	token := p.token
	p.mu.Unlock()
	began := time.Now()
	bare := p.run.o.Bare != nil
	d, err := mediaclient.Enter(ctx, mediaclient.DeviceOptions{Service: p.run.o.Service, Token: token, Sends: p.sends, Keys: &p.run.keys, Direct: true, Here: !bare, Bare: bare})
	if err != nil {
		p.run.fail(joining, err)
		return
	}
	p.run.add(joining, d.ConnectedAt().Sub(began))
	p.mu.Lock()
	p.device = d
	p.mu.Unlock()
	if !others {
		return
	}
	at, err := d.WaitFirstFrame(ctx)
	switch {
	case err == nil:
		p.run.add(firstFrame, at.Sub(began))
	case p.in() == d && p.room.sendsBeside(d):
		p.run.fail(firstFrame, err)
	default: // they left before, or were alone in their place
	}
}

// leave gives the person's seat up, and says whether they had one.
func (p *person) leave(ctx context.Context) bool {
	p.mu.Lock()
	d := p.device
	p.device = nil
	p.mu.Unlock()
	if d == nil {
		return false
	}
	began := time.Now()
	p.run.left(d)
	if err := d.Leave(ctx); err != nil {
		p.run.fail(leaving, err)
	} else {
		p.run.add(leaving, time.Since(began))
	}
	return true
}

// sending says whether somebody in the room sends.
func (r *room) sending() bool {
	return slices.ContainsFunc(r.people, func(p *person) bool { return len(p.sends) > 0 && p.in() != nil })
}

// sendsBeside says whether somebody sends in the place where a device is.
func (r *room) sendsBeside(d *mediaclient.Device) bool {
	return slices.ContainsFunc(r.people, func(p *person) bool {
		other := p.in()
		return len(p.sends) > 0 && other != nil && other != d && other.Place() == d.Place()
	})
}
