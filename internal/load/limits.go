package load

import (
	"fmt"
	"slices"
	"time"
)

// fewest is how many measurements a 95th percentile needs. With fewer, it is simply the
// slowest one, which one unlucky person decides.
const fewest = 20

// compare names every limit that a report exceeds, and every limit that could not
// be checked.
func (l Limits) compare(r Report) (exceeded, unjudged []string) {
	v := verdict{exceeded: []string{}, unjudged: []string{}}
	v.percentile(r, joining, l.JoinP95)
	v.percentile(r, firstFrame, l.FirstFrameP95)
	if l.Loss != nil && r.Media.Loss > *l.Loss {
		v.exceeds("loss: %.2f %%, more than %.2f %%", r.Media.Loss, *l.Loss)
	}
	v.costs(r, "CPU", "millicores a person", l.CPU, func(p Process) float64 { return p.PerHead })
	v.costs(r, "memory", "kB a person", l.Memory, func(p Process) float64 { return p.PerPlace })
	failed := 0
	for _, s := range r.Steps {
		failed += s.Failed
	}
	if l.Failures != nil && failed > *l.Failures {
		v.exceeds("failures: %d, more than %d", failed, *l.Failures)
	}
	return v.exceeded, v.unjudged
}

// verdict lists the limits that a report exceeds, and those that could not be compared.
type verdict struct{ exceeded, unjudged []string }

func (v *verdict) exceeds(format string, args ...any) {
	v.exceeded = append(v.exceeded, fmt.Sprintf(format, args...))
}

func (v *verdict) cannotTell(format string, args ...any) {
	v.unjudged = append(v.unjudged, fmt.Sprintf(format, args...))
}

// percentile compares the 95th percentile of a step. A failure counts as longer than
// any limit.
func (v *verdict) percentile(r Report, s step, limit time.Duration) {
	if limit == 0 {
		return
	}
	var took Summary
	if i := slices.IndexFunc(r.Steps, func(x Summary) bool { return x.Step == string(s) }); i >= 0 {
		took = r.Steps[i]
	}
	most, tried := float64(limit.Microseconds())/1000, took.Count+took.Failed
	switch {
	case tried < fewest:
		v.cannotTell("%s: a 95th percentile needs %d times, and there were %d", s, fewest, tried)
	case 20*took.Failed > tried:
		v.exceeds("%s: %d of %d failed, more than 5 in 100", s, took.Failed, tried)
	case took.P95 > most:
		v.exceeds("%s: p95 is %.0f ms, more than %.0f ms", s, took.P95, most)
	}
}

// costs compares what a person costs in all processes of the service.
func (v *verdict) costs(r Report, what, unit string, limit float64, of func(Process) float64) {
	if limit == 0 {
		return
	}
	if len(r.Processes) == 0 {
		v.exceeds("%s: not known: %s", what, r.Unread)
		return
	}
	sum := 0.0
	for _, p := range r.Processes {
		sum += of(p)
	}
	if sum > limit {
		v.exceeds("%s: %.2f %s, more than %.2f", what, sum, unit, limit)
	}
}
