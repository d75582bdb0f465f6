package main_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// reading is what a service needs while it has little to do.
type reading struct {
	at      time.Duration
	figures map[string]float64
}

func (r reading) String() string {
	var said []string
	for _, name := range slices.Sorted(maps.Keys(r.figures)) {
		said = append(said, fmt.Sprintf("%s %.4g", name, r.figures[name]))
	}
	return r.at.Round(time.Second).String() + ": " + strings.Join(said, ", ")
}

// quietFor is how long the service is watched after a round. What was used up is given
// back within seconds, so the lowest figure of that time counts.
const quietFor = 4 * time.Second

// read waits until everybody of a round has gone, and reads what the service needs.
func (s *site) read(at time.Duration) reading {
	s.t.Helper()
	eventually(s.t, s.p, "only the meeting that goes on is left", func() bool {
		m := s.metrics()
		return m["conclave_meetings"] == 1 && m["conclave_gate_connections"] == speakers && m["jobs due"] == 0
	})
	r := reading{at: at, figures: map[string]float64{}}
	look, enough := time.NewTicker(quietFor/20), time.After(quietFor)
	defer look.Stop()
	for watching := true; watching; {
		for name, value := range s.metrics() {
			if lowest, ok := r.figures[name]; !strings.HasPrefix(name, "conclave_") && (!ok || value < lowest) {
				r.figures[name] = value
			}
		}
		select {
		case <-look.C:
		case <-enough:
			watching = false
		}
	}
	lag := s.lag
	s.lag = s.comparisons()
	r.figures["lag in ms"] = 1e3 * (s.lag.seconds - lag.seconds) / max(1, s.lag.number-lag.number)
	for _, table := range live {
		read(s.t, s.where, "SELECT CAST(count(*) AS TEXT), '' FROM "+table, func(rows, _ string) {
			n, err := strconv.Atoi(rows)
			if err != nil {
				s.t.Error(err)
			}
			r.figures["rows of "+table] = float64(n)
		})
	}
	return r
}

// families reads the metrics of the service.
func (s *site) families() map[string]*dto.MetricFamily {
	s.t.Helper()
	status, body := s.p.call(http.MethodGet, "/metrics", "", "")
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(string(body)))
	if err != nil || status != http.StatusOK {
		s.t.Fatalf("read the metrics: %d, %v", status, err)
	}
	return families
}

// metrics are figures of both processes, and those of the whole service.
func (s *site) metrics() map[string]float64 {
	s.t.Helper()
	families, out := s.families(), map[string]float64{}
	for metric, name := range map[string]string{
		"process_resident_memory_bytes": "MB", "go_memstats_next_gc_bytes": "MB of heap", "go_goroutines": "goroutines", "process_open_fds": "files",
	} {
		for _, m := range families[metric].GetMetric() {
			of := "service"
			for _, l := range m.GetLabel() {
				if l.GetName() == "process" {
					of = l.GetValue()
				}
			}
			value := m.GetGauge().GetValue()
			if strings.HasPrefix(name, "MB") {
				value /= 1e6
			}
			out[of+": "+name] = value
		}
	}
	for _, name := range []string{"conclave_meetings", "conclave_gate_connections"} {
		out[name] = families[name].GetMetric()[0].GetGauge().GetValue()
	}
	for _, m := range families["conclave_jobs_due"].GetMetric() {
		out["jobs due"] += m.GetGauge().GetValue()
	}
	return out
}

// comparisons is how many comparisons with the media server there were so far, and the
// sum of their lags.
type comparisons struct{ seconds, number float64 }

func (s *site) comparisons() comparisons {
	s.t.Helper()
	m := s.families()["conclave_comparison_lag_seconds"].GetMetric()[0].GetHistogram()
	return comparisons{m.GetSampleSum(), float64(m.GetSampleCount())}
}

// live are tables, or those rows of them, that belong to what is going on. Tables of
// history, such as events, grow until their retention ends (docs/reference/retention.md).
var live = []string{
	"breakout_media", "group_commit", "group_device", "group_place", "idempotency", "job", "join_link", "node",
	"poll", "poll_ballots", "poll_option", "poll_vote", "poll_voters", "published", "rate_limit", "seat WHERE status IN ('new', 'in', 'lost', 'waiting', 'early')", "seat_alias",
	"webhook_delivery", "webhook_endpoint", "webhook_recovery",
}

// bound is how much larger a figure may be at the end: by a share of it, and by an amount
// in addition.
type bound struct{ share, amount float64 }

// bounds are for each kind of figure. They come from a run of 15 minutes on two cores that
// others used as well (load average 10): what was read after the warm-up, at the end, and
// the highest in between. A leak grows by every round, of which an hour has about ninety.
var bounds = map[string]bound{
	// Media server: 713, 774, 843; service: 63, 63, 71. Two thirds of the media server's are
	// those of the meeting that goes on. LiveKit keeps one for each room and person of its
	// webhooks for 5 to 7.5 minutes after the last, so a short warm-up ends below the level.
	"goroutines": {1.15, 60},
	// Media server: 22, 23, 29; service: 51, 51, 56. Idle connections between the two,
	// and to receivers of webhooks, come and go.
	"files": {1, 15},
	// Media server: 188, 212, 229. In its first rounds it grows, from 129 to 179 and 209 in one
	// run, because it has not met most of its code before.
	"MB": {1.15, 30},
	// 109, 112, 113.
	"service: MB": {1.1, 15},
	// Media server: 94, 98, 146, and in a second run 110, 151, 156; service: 20, 20, 22. It is
	// twice what lived at the last garbage collection, which was at any moment of the round.
	"MB of heap": {1.5, 25},
	// 76, 64, 258, by what else the machine had to do.
	"lag in ms": {2, 250},
	// None grew. One more round than before may just have ended.
	"rows": {1, 5},
}

// exceeds compares with a reading from before.
func (r reading) exceeds(before reading) (complaints []string) {
	for _, name := range slices.Sorted(maps.Keys(r.figures)) {
		kind := name
		if _, after, ok := strings.Cut(name, ": "); ok {
			kind = after
		}
		if strings.HasPrefix(name, "rows of ") {
			kind = "rows"
		}
		b, ok := bounds[name]
		if !ok {
			b, ok = bounds[kind]
		}
		if !ok {
			complaints = append(complaints, name+" has no bound")
			continue
		}
		if most := before.figures[name]*b.share + b.amount; r.figures[name] > most {
			complaints = append(complaints, fmt.Sprintf("%s: %.4g at the end, more than %.4g; it was %.4g after the warm-up", name, r.figures[name], most, before.figures[name]))
		}
	}
	return complaints
}
