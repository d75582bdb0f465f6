package job

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestResultsAreWrittenTogether has four jobs running, three of them in a lane with
// three slots. They end while the loop gathers.
func TestResultsAreWrittenTogether(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		finished  int            // of the jobs, before
		ready     []string       // the lanes in which a job may be due
		full      []string       // those whose slots are taken, also by other nodes
		most      int            // how many jobs may run; 0: a thousand
		meanwhile func(q *Queue) // after a millisecond
		want      time.Duration  // how long the loop gathers
	}{
		"no result yet":                              {want: 0},
		"one of four":                                {finished: 1, want: gatherFor},
		"all of them":                                {finished: 4, want: 0},
		"the others follow":                          {finished: 1, meanwhile: func(q *Queue) { finish(q, 3) }, want: time.Millisecond},
		"another follows":                            {finished: 1, meanwhile: func(q *Queue) { finish(q, 1) }, want: gatherFor},
		"a lane with a free slot is ready":           {finished: 1, ready: []string{"b"}, want: 0},
		"a lane is ready, and its slots taken":       {finished: 1, ready: []string{"a"}, want: gatherFor},
		"a lane is ready, and others have its slots": {finished: 1, full: []string{"b"}, want: gatherFor},
		"a lane is ready, and no more jobs may run":  {finished: 1, ready: []string{"b"}, most: 4, want: gatherFor},
		"a job is added to a lane that was full":     {finished: 1, full: []string{"b"}, meanwhile: func(q *Queue) { q.wake("b") }, want: time.Millisecond},
		"a job is added to a lane with a slot":       {finished: 1, meanwhile: func(q *Queue) { q.wake("b") }, want: time.Millisecond},
		"a job is added to a lane without one":       {finished: 1, meanwhile: func(q *Queue) { q.wake("a") }, want: gatherFor},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				q := New(Config{Slots: 3, Most: c.most})
				for _, j := range []Job{{ID: "1", Lane: "a"}, {ID: "2", Lane: "a"}, {ID: "3", Lane: "a"}, {ID: "4", Lane: "b"}} {
					q.running[j.ID] = &work{Job: j}
				}
				finish(q, c.finished)
				for _, lane := range c.ready {
					q.ready[lane] = true
				}
				for _, lane := range c.full {
					q.ready[lane] = false
				}
				if c.meanwhile != nil {
					time.AfterFunc(time.Millisecond, func() { c.meanwhile(q) })
				}
				began := time.Now()
				q.gather(t.Context())
				if took := time.Since(began); took != c.want {
					t.Errorf("the loop gathered for %v, want %v", took, c.want)
				}
			})
		})
	}
}

// finish gives n more of the running jobs results.
func finish(q *Queue, n int) {
	q.mu.Lock()
	for id := len(q.finished); n > 0; n-- {
		id++
		q.finished = append(q.finished, q.running[string(rune('0'+id))])
	}
	q.mu.Unlock()
	q.poke()
}
