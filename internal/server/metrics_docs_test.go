package server

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/VictoriaMetrics/metricsql"
	"go.yaml.in/yaml/v3"

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

// The form of the service's own metric names in expressions.
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
			parsed, err := metricsql.Parse(read)
			if err != nil {
				t.Errorf("%s: %s: %v", file, e, err)
				continue
			}
			checkGroups(t, all, parsed)
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

// checkGroups fails where an expression groups our metrics by a label that none of
// them has.
func checkGroups(t *testing.T, all map[string]family, e metricsql.Expr) {
	t.Helper()
	metricsql.VisitAll(e, func(part metricsql.Expr) {
		group, ok := part.(*metricsql.AggrFuncExpr)
		if !ok || !strings.EqualFold(group.Modifier.Op, "by") {
			return
		}
		text := string(group.AppendString(nil))
		if !ours.MatchString(text) {
			return // metrics of the media server and of the process
		}
		known := []string{"instance", "job"}
		for _, name := range ours.FindAllString(text, -1) {
			f, _ := familyOf(all, name)
			known = append(known, f.labels...)
			if strings.HasSuffix(name, "_bucket") {
				known = append(known, "le")
			}
		}
		for _, label := range group.Modifier.Args {
			if !slices.Contains(known, label) {
				t.Errorf("%s groups by %s, which it does not have", text, label)
			}
		}
	})
}

// The file of alerts as Prometheus reads it, which knows no other fields.
type alertFile struct {
	Groups []struct {
		Name  string
		Rules []alertRule
	}
}

type alertRule struct {
	Alert, Expr, For string
	Labels           struct{ Severity string }
	Annotations      struct{ Summary, Runbook string }
}

func alertsIn(t *testing.T, file string, text []byte) (all []alertRule) {
	t.Helper()
	read := yaml.NewDecoder(bytes.NewReader(text))
	read.KnownFields(true)
	var alerts alertFile
	if err := read.Decode(&alerts); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	for _, g := range alerts.Groups {
		all = append(all, g.Rules...)
	}
	return all
}

// Every alert says how bad it is, what happens and what to do, and names only labels
// that its expression keeps.
func TestAlertsSayWhatToDo(t *testing.T) {
	t.Parallel()
	const file = "../../deploy/prometheus/alerts.yml"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	shown := regexp.MustCompile(`\$labels\.([a-z_]+)`)
	seen := map[string]bool{}
	for _, a := range alertsIn(t, file, text) {
		if a.Alert == "" || seen[a.Alert] {
			t.Errorf("%q: a name is missing or used twice", a.Alert)
		}
		seen[a.Alert] = true
		if a.Labels.Severity != "critical" && a.Labels.Severity != "warning" {
			t.Errorf("%s: severity %q is neither critical nor warning", a.Alert, a.Labels.Severity)
		}
		if _, err := time.ParseDuration(a.For); err != nil {
			t.Errorf("%s: for: %v", a.Alert, err)
		}
		if a.Annotations.Summary == "" || a.Annotations.Runbook == "" {
			t.Errorf("%s: has no summary or no runbook", a.Alert)
		}
		e, err := metricsql.Parse(a.Expr)
		if err != nil {
			t.Errorf("%s: %v", a.Alert, err)
			continue
		}
		for _, match := range shown.FindAllStringSubmatch(a.Annotations.Summary+a.Annotations.Runbook, -1) {
			if !keeps(e, match[1]) {
				t.Errorf("%s: names the label %s, which its expression drops", a.Alert, match[1])
			}
		}
	}
}

// keeps says whether a label survives all aggregations of an expression.
func keeps(e metricsql.Expr, label string) bool {
	kept := true
	metricsql.VisitAll(e, func(part metricsql.Expr) {
		if group, ok := part.(*metricsql.AggrFuncExpr); ok {
			kept = kept && strings.EqualFold(group.Modifier.Op, "by") && slices.Contains(group.Modifier.Args, label)
		}
	})
	return kept
}

// expressionsIn lists the expressions of a file.
func expressionsIn(t *testing.T, file string, text []byte) (all []string) {
	t.Helper()
	if strings.HasSuffix(file, ".yml") {
		for _, a := range alertsIn(t, file, text) {
			all = append(all, a.Expr)
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
