package load

import (
	"slices"
	"testing"
	"time"
)

func TestLimits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		limits             Limits
		report             Report
		exceeded, unjudged []string
	}{
		"a p95 at its limit": {
			limits: Limits{JoinP95: 200 * time.Millisecond}, report: of(Summary{Step: "join", Count: 20, P95: 200}),
		},
		"a p95 past its limit": {
			limits:   Limits{FirstFrameP95: 200 * time.Millisecond},
			report:   of(Summary{Step: "first_frame", Count: 20, P95: 200.6}),
			exceeded: []string{"first_frame: p95 is 201 ms, more than 200 ms"},
		},
		"one unlucky person of 19": {
			limits: Limits{JoinP95: time.Second}, report: of(Summary{Step: "join", Count: 19, P95: 9000}),
			unjudged: []string{"join: a 95th percentile needs 20 times, and there were 19"},
		},
		"nobody to be measured": {
			limits: Limits{FirstFrameP95: time.Second}, report: of(),
			unjudged: []string{"first_frame: a 95th percentile needs 20 times, and there were 0"},
		},
		"5 in 100 fail": {
			limits: Limits{JoinP95: time.Second}, report: of(Summary{Step: "join", Count: 19, Failed: 1, P95: 10}),
		},
		"more than 5 in 100 fail": {
			limits: Limits{JoinP95: time.Second}, report: of(Summary{Step: "join", Count: 18, Failed: 2, P95: 10}),
			exceeded: []string{"join: 2 of 20 failed, more than 5 in 100"},
		},
		"a loss at its limit": {limits: Limits{Loss: ptr(1.0)}, report: Report{Media: Media{Loss: 1}}},
		"a loss where none is allowed": {
			limits: Limits{Loss: ptr(0.0)}, report: Report{Media: Media{Loss: 0.01}},
			exceeded: []string{"loss: 0.01 %, more than 0.00 %"},
		},
		"failures at their limit": {
			limits: Limits{Failures: ptr(2)}, report: of(Summary{Step: "vote", Failed: 1}, Summary{Step: "poll", Failed: 1}),
		},
		"failures past their limit": {
			limits: Limits{Failures: ptr(0)}, report: of(Summary{Step: "stay", Failed: 1}),
			exceeded: []string{"failures: 1, more than 0"},
		},
		"costs of all processes at their limits": {
			limits: Limits{CPU: 3, Memory: 30}, report: Report{Processes: []Process{{PerHead: 1, PerPlace: 10}, {PerHead: 2, PerPlace: 20}}},
		},
		"costs past their limits": {
			limits: Limits{CPU: 2.9, Memory: 29}, report: Report{Processes: []Process{{PerHead: 1, PerPlace: 10}, {PerHead: 2, PerPlace: 20}}},
			exceeded: []string{"CPU: 3.00 millicores a person, more than 2.90", "memory: 30.00 kB a person, more than 29.00"},
		},
		"costs that are not known": {
			limits: Limits{CPU: 1}, report: Report{Unread: "the metrics answer 403"},
			exceeded: []string{"CPU: not known: the metrics answer 403"},
		},
		"no limits": {report: Report{Media: Media{Loss: 100}, Steps: []Summary{{Step: "join", Failed: 9}}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			exceeded, unjudged := c.limits.compare(c.report)
			if !slices.Equal(exceeded, c.exceeded) || !slices.Equal(unjudged, c.unjudged) {
				t.Errorf("exceeded %q, want %q; not judged %q, want %q", exceeded, c.exceeded, unjudged, c.unjudged)
			}
		})
	}
}

func of(steps ...Summary) Report { return Report{Steps: steps} }
