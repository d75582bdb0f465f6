package limit

import (
	"context"
	"sync"
	"time"
)

// mostSubjects bounds how many subjects are stored, in some 60 MB. Without it a
// caller with many addresses could fill the memory.
const mostSubjects = 200_000

// Memory counts within this process.
type Memory struct {
	now func() time.Time

	mu       sync.Mutex
	subjects map[string]*counted
}

type counted struct {
	window window
	until  time.Time // when none of it counts any more
}

// NewMemory makes a limiter for one node.
func NewMemory(now func() time.Time) *Memory {
	return &Memory{now: now, subjects: map[string]*counted{}}
}

// Take counts a request.
func (m *Memory) Take(_ context.Context, subject string, q Quota, n int) (Decision, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	c := m.subjects[subject]
	if c == nil {
		m.makeRoom()
		c = &counted{}
		m.subjects[subject] = c
	}
	c.until = now.Add(keep(q))
	return c.window.take(q, n, now), nil
}

// makeRoom removes any subject when there are too many. Looking for the best
// one would cost every request more than the removed subject gains.
func (m *Memory) makeRoom() {
	if len(m.subjects) < mostSubjects {
		return
	}
	for subject := range m.subjects {
		delete(m.subjects, subject)
		return
	}
}

// Look returns the state of a subject.
func (m *Memory) Look(_ context.Context, subject string, q Quota) (Decision, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.subjects[subject]
	if c == nil {
		c = &counted{}
	}
	return c.window.look(q, m.now()), nil
}

// keep is how long a window matters after its last request.
func keep(q Quota) time.Duration { return q.Window + time.Second }

// Sweep removes what no longer counts.
func (m *Memory) Sweep(context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	for subject, c := range m.subjects {
		if c.until.Before(now) {
			delete(m.subjects, subject)
		}
	}
	return nil
}
