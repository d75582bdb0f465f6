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
	used   float64   // the part of its quota that was used last: 1 is all of it
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
	d := c.window.take(q, n, now)
	c.until, c.used = now.Add(keep(q)), 1-float64(d.Remaining)/float64(q.Count)
	return d, nil
}

// looked is how many subjects makeRoom looks at.
const looked = 8

// makeRoom removes a subject when there are too many: of a few, the one that has used
// the smallest part of its quota. Somebody who causes many subjects then displaces
// those, and not the ones that are beyond a limit. Looking at all of them would cost
// every request more than the removed subject gains.
func (m *Memory) makeRoom() {
	if len(m.subjects) < mostSubjects {
		return
	}
	var least string
	n := 0
	for subject, c := range m.subjects { // it begins anywhere
		if n == 0 || c.used < m.subjects[least].used {
			least = subject
		}
		if n++; n == looked {
			break
		}
	}
	delete(m.subjects, least)
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
