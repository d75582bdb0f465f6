package load

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/conclave-rooms/conclave/api"
)

// webhooksFor is how long a run waits for its last webhooks.
const webhooksFor = 30 * time.Second

// webhookCheck compares the people who were in with the webhooks that tell of them.
type webhookCheck struct {
	mu       sync.Mutex
	expected []string            // identities
	came     map[notice]struct{} // also of people who are not expected yet
	changed  chan struct{}       // closed and replaced when something comes; nil: nobody waits
}

// notice is an event of a person.
type notice struct {
	event    api.EventType
	identity string
}

// expect adds a person who was in, and leaves now.
func (c *webhookCheck) expect(identity string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.expected = append(c.expected, identity)
}

// received takes a webhook, which may come more than once.
func (c *webhookCheck) received(event api.EventType, identity string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.came == nil {
		c.came = map[notice]struct{}{}
	}
	c.came[notice{event, identity}] = struct{}{}
	if c.changed != nil {
		close(c.changed)
		c.changed = nil
	}
}

// missing lists what has not come, and returns a channel that is closed when more has.
func (c *webhookCheck) missing() (late []notice, changed <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, identity := range c.expected {
		for _, event := range []api.EventType{api.EventParticipantJoined, api.EventParticipantLeft} {
			if _, ok := c.came[notice{event, identity}]; !ok {
				late = append(late, notice{event, identity})
			}
		}
	}
	if c.changed == nil {
		c.changed = make(chan struct{})
	}
	return late, c.changed
}

// waitForWebhooks waits for the webhooks of everybody who has left, and reports those
// that do not come.
func (r *run) waitForWebhooks(ctx context.Context) {
	if r.o.Webhooks == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, webhooksFor)
	defer cancel()
	for ended := false; ; {
		late, changed := r.webhooks.missing()
		if len(late) == 0 {
			return
		}
		if ended {
			for _, l := range late {
				r.fail(beingTold, fmt.Errorf("%s of %s did not come", l.event, l.identity))
			}
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			ended = true
		}
	}
}
