package load

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/conclave-rooms/conclave/api"
)

// mailFor is how long a run waits for its last webhooks.
const mailFor = 30 * time.Second

// mailbox compares the people who were in with the webhooks that tell of them.
type mailbox struct {
	mu       sync.Mutex
	expected []string            // identities
	came     map[letter]struct{} // also of people who are not expected yet
	changed  chan struct{}       // closed and replaced when something comes; nil: nobody waits
}

// letter is an event of a person.
type letter struct {
	event    api.EventType
	identity string
}

// expect adds a person who was in, and leaves now.
func (m *mailbox) expect(identity string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.expected = append(m.expected, identity)
}

// received takes a webhook, which may come more than once.
func (m *mailbox) received(event api.EventType, identity string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.came == nil {
		m.came = map[letter]struct{}{}
	}
	m.came[letter{event, identity}] = struct{}{}
	if m.changed != nil {
		close(m.changed)
		m.changed = nil
	}
}

// missing lists what has not come, and returns a channel that is closed when more has.
func (m *mailbox) missing() (letters []letter, changed <-chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, identity := range m.expected {
		for _, event := range []api.EventType{api.EventParticipantJoined, api.EventParticipantLeft} {
			if _, ok := m.came[letter{event, identity}]; !ok {
				letters = append(letters, letter{event, identity})
			}
		}
	}
	if m.changed == nil {
		m.changed = make(chan struct{})
	}
	return letters, m.changed
}

// waitForWebhooks waits for the webhooks of everybody who has left, and reports those
// that do not come.
func (r *run) waitForWebhooks(ctx context.Context) {
	if r.o.Webhooks == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, mailFor)
	defer cancel()
	for ended := false; ; {
		letters, changed := r.mail.missing()
		if len(letters) == 0 {
			return
		}
		if ended {
			for _, l := range letters {
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
