package server

import (
	"encoding/json"
	"log/slog"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/VictoriaMetrics/metricsql"

	"github.com/conclave-rooms/conclave/internal/media/livekit"
)

// everyFamily is what a service can show: with an embedded media server and TLS.
func everyFamily() map[string]family {
	s := &Server{metrics: newMetrics(), embedded: &livekit.Embedded{}, log: slog.New(slog.DiscardHandler)}
	s.config.TLSCert, s.config.TLSKey = "cert.pem", "key.pem"
	s.measure("1")
	s.metrics.countRelays(func() int { return 0 })
	all := map[string]family{}
	for _, f := range s.metrics.families {
		all[f.name] = f
	}
	return all
}

// The page about the metrics has each of them, with the words of /metrics.
func TestTheTableOfMetrics(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/reference/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, f := range everyFamily() {
		labels := "-"
		if len(f.labels) > 0 {
			labels = "`" + strings.Join(f.labels, "`, `") + "`"
		}
		want = append(want, "| `"+f.name+"` | "+f.kind+" | "+labels+" | "+f.help+" |")
	}
	var got []string
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "| `conclave_") {
			got = append(got, strings.TrimSpace(line))
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("the table should have these rows:\n%s", strings.Join(want, "\n"))
	}
}

// What names of ours look like in expressions.
var (
	ours   = regexp.MustCompile(`\bconclave_[a-z_]+`)
	series = regexp.MustCompile(`(conclave_[a-z_]+)\{([^}]*)\}`)
	labels = regexp.MustCompile(`([a-z_]+)\s*(?:=~|!~|!=|=)`)
)

// Every expression of the dashboard and of the alerts can be read, and names metrics
// and labels that exist.
func TestTheDashboardAndTheAlerts(t *testing.T) {
	t.Parallel()
	all := everyFamily()
	for file, least := range map[string]int{"grafana/conclave.json": 30, "prometheus/alerts.yml": 12} {
		text, err := os.ReadFile("../../deploy/" + file)
		if err != nil {
			t.Fatal(err)
		}
		expressions := expressionsIn(t, file, text)
		if len(expressions) < least {
			t.Errorf("%s: found %d expressions, which cannot be all", file, len(expressions))
		}
		for _, e := range expressions {
			read := strings.NewReplacer("$__rate_interval", "5m", "$job", "conclave").Replace(e)
			if _, err := metricsql.Parse(read); err != nil {
				t.Errorf("%s: %s: %v", file, e, err)
			}
			for _, name := range ours.FindAllString(e, -1) {
				if _, ok := familyOf(all, name); !ok {
					t.Errorf("%s: %s names %s, which does not exist", file, e, name)
				}
			}
			for _, match := range series.FindAllStringSubmatch(e, -1) {
				f, _ := familyOf(all, match[1])
				for _, label := range labels.FindAllStringSubmatch(match[2], -1) {
					if label[1] != "job" && !slices.Contains(f.labels, label[1]) {
						t.Errorf("%s: %s: %s has no label %s", file, e, match[1], label[1])
					}
				}
			}
		}
	}
}

// familyOf finds the metric of a series: histograms have three.
func familyOf(all map[string]family, name string) (family, bool) {
	if f, ok := all[name]; ok {
		return f, f.kind != "histogram"
	}
	for _, end := range []string{"_bucket", "_sum", "_count"} {
		if base, found := strings.CutSuffix(name, end); found {
			f, ok := all[base]
			return f, ok && f.kind == "histogram"
		}
	}
	return family{}, false
}

// expressionsIn lists the expressions of a file.
func expressionsIn(t *testing.T, file string, text []byte) (all []string) {
	t.Helper()
	if strings.HasSuffix(file, ".yml") {
		for line := range strings.Lines(string(text)) {
			if e, found := strings.CutPrefix(strings.TrimSpace(line), "expr: "); found {
				all = append(all, e)
			}
		}
		return all
	}
	var dashboard struct {
		Panels []struct {
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(text, &dashboard); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	for _, p := range dashboard.Panels {
		for _, target := range p.Targets {
			all = append(all, target.Expr)
		}
	}
	return all
}
