package load

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// step is something that a run measures.
type step string

// The steps, in the order in which reports show them.
const (
	joining      step = "join"        // from the request for a ticket until the media connection is up
	firstFrame   step = "first_frame" // from the same request until a frame of somebody else could be decrypted
	letIn        step = "admit"       // from the host's decision until the visitor's media connection is up
	movingOut    step = "to_breakout" // from the request until the person is connected there
	movingBack   step = "from_breakout"
	voting       step = "vote"
	asking       step = "poll"
	beingTold    step = "webhook" // from the event until it is received
	makingTokens step = "token"
	staying      step = "stay" // fails for people whose connection is lost while the meetings go on
	leaving      step = "leave"
)

var steps = []step{makingTokens, joining, firstFrame, letIn, movingOut, movingBack, asking, voting, beingTold, staying, leaving} //nolint:gochecknoglobals // a list of constants

// examples is how many failures are shown in full.
const examples = 5

// measures gathers what a run sees.
type measures struct {
	mu       sync.Mutex
	took     map[step][]time.Duration
	failures map[step]int
	examples []string
}

func newMeasures() *measures {
	return &measures{took: map[step][]time.Duration{}, failures: map[step]int{}}
}

func (m *measures) add(s step, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.took[s] = append(m.took[s], took)
}

func (m *measures) fail(s step, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failures[s]++
	if len(m.examples) < examples {
		m.examples = append(m.examples, fmt.Sprintf("%s: %v", s, err))
	}
}

// firstFailures are the first of the failures.
func (m *measures) firstFailures() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]string{}, m.examples...)
}

// Summary is how long a step took.
type Summary struct {
	Step   string  `json:"step"`
	Count  int     `json:"count"`
	Failed int     `json:"failed"`
	P50    float64 `json:"p50_ms"`
	P95    float64 `json:"p95_ms"`
	P99    float64 `json:"p99_ms"`
	Max    float64 `json:"max_ms"`
}

// summaries describes every step that happened.
func (m *measures) summaries() []Summary {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []Summary
	for _, s := range steps {
		took := slices.Sorted(slices.Values(m.took[s]))
		if len(took) == 0 && m.failures[s] == 0 {
			continue
		}
		all = append(all, Summary{
			Step: string(s), Count: len(took), Failed: m.failures[s],
			P50: percentile(took, 50), P95: percentile(took, 95), P99: percentile(took, 99), Max: percentile(took, 100),
		})
	}
	return all
}

// percentile returns, in milliseconds, the smallest of the sorted times that is not
// less than a share of them, in percent (nearest rank).
func percentile(sorted []time.Duration, share int) float64 {
	if len(sorted) == 0 {
		return 0
	}
	rank := (len(sorted)*share + 99) / 100
	return float64(sorted[max(rank, 1)-1].Microseconds()) / 1000
}
