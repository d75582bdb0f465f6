package load

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// The metrics that every process of the service has, named by Prometheus's library.
const (
	processorTime = "process_cpu_seconds_total"
	memory        = "process_resident_memory_bytes"
)

// process is what one process of the service has used.
type process struct {
	seconds float64 // of processor time
	bytes   float64 // of memory, now
}

// usage is what the processes of the service have used so far, by their names.
type usage struct {
	processes map[string]process
	err       error // why it is not known
}

// usage reads the metrics of the service.
func (r *run) usage(ctx context.Context) usage {
	u := usage{processes: map[string]process{}}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.o.Metrics, http.NoBody)
	if err != nil {
		return usage{err: fmt.Errorf("address the metrics: %w", err)}
	}
	res, err := r.api.client.Do(req)
	if err != nil {
		return usage{err: fmt.Errorf("read the metrics: %w", err)}
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return usage{err: fmt.Errorf("%s answers %s; say with --metrics where the metrics are", r.o.Metrics, res.Status)}
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(res.Body)
	if err != nil {
		return usage{err: fmt.Errorf("read the metrics: %w", err)}
	}
	for _, m := range families[processorTime].GetMetric() {
		p := u.processes[nameOf(m)]
		p.seconds = m.GetCounter().GetValue()
		u.processes[nameOf(m)] = p
	}
	for _, m := range families[memory].GetMetric() {
		p := u.processes[nameOf(m)]
		p.bytes = m.GetGauge().GetValue()
		u.processes[nameOf(m)] = p
	}
	if len(u.processes) == 0 {
		u.err = errors.New("the metrics name no process")
	}
	return u
}

// nameOf returns the process that a metric belongs to. Metrics of the media server have
// a label that names it.
func nameOf(m *dto.Metric) string {
	for _, l := range m.GetLabel() {
		if l.GetName() == "process" {
			return l.GetValue()
		}
	}
	return "service"
}

// Process is what a process of the service used.
type Process struct {
	Name     string  `json:"name"`
	Joining  float64 `json:"joining_cores"`     // processor cores while people joined
	Holding  float64 `json:"holding_cores"`     // while the meetings went on
	PerJoin  float64 `json:"cpu_ms_per_join"`   // processor time for each person who joined
	PerHead  float64 `json:"millicores_person"` // thousandths of a core for each person, while the meetings went on
	Memory   float64 `json:"memory_mb"`         // at the end
	PerPlace float64 `json:"memory_kb_person"`  // what came in addition since the start, for each person
}

// compare says what each process used between three readings. If one of them failed,
// it says why nothing is known.
func compare(before, joined, after usage, joinedIn, heldFor time.Duration, people int) (all []Process, unread string) {
	if err := errors.Join(before.err, joined.err, after.err); err != nil {
		return nil, err.Error()
	}
	people = max(people, 1) // nobody may be left
	for name, end := range after.processes {
		start, middle := before.processes[name], joined.processes[name]
		joining, holding := middle.seconds-start.seconds, end.seconds-middle.seconds
		all = append(all, Process{
			Name: name, Joining: joining / joinedIn.Seconds(), Holding: holding / heldFor.Seconds(),
			PerJoin: 1e3 * joining / float64(people), PerHead: 1e3 * holding / heldFor.Seconds() / float64(people),
			Memory: end.bytes / 1e6, PerPlace: (end.bytes - start.bytes) / 1e3 / float64(people),
		})
	}
	slices.SortFunc(all, func(a, b Process) int { return strings.Compare(b.Name, a.Name) })
	return all, ""
}
