package main_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/load"
)

// A load with everything that people can do: nothing fails, every kind of step
// happens, and nothing of it is left behind.
func TestLoad(t *testing.T) {
	t.Parallel()
	where := dbtest.Config(t, db.SQLite)
	_, key := newKey(t, where)
	p := start(t, "serve", where, "--webhooks-allow-private", "--rate-limits", "off")
	args := []string{"load", "--url", p.url, "--key", key, "--json"}
	r := command(t, append(args, "--rooms", "2", "--people", "3", "--cameras", "1", "--join-rate", "4", "--hold", "4s", "--churn", "30", "--knocks", "30", "--breakouts", "2", "--polls",
		"--webhooks", "127.0.0.1:0", "--max-failures", "0", "--max-loss", "5", "--max-cpu", "1000", "--max-memory", "100000")...)
	var report load.Report
	if err := json.Unmarshal([]byte(r.stdout), &report); err != nil || r.status != 0 {
		t.Fatalf("status %d: %v\n%s%s", r.status, err, r.stdout, r.stderr)
	}
	for step, least := range map[string]int{
		"token": 6, "join": 6, "first_frame": 1, "admit": 1, "to_breakout": 2, "from_breakout": 2, "poll": 2, "vote": 6, "webhook": 12, "leave": 6,
	} {
		i := slices.IndexFunc(report.Steps, func(s load.Summary) bool { return s.Step == step })
		if i < 0 || report.Steps[i].Count < least || report.Steps[i].P50 <= 0 {
			t.Errorf("%s: want at least %d that took some time\n%s", step, least, r.stdout)
		}
	}
	if report.Inside != 6 || report.Media.FramesASecond < 100 {
		t.Errorf("%d people received %.0f frames a second: six would receive 730", report.Inside, report.Media.FramesASecond)
	}
	if len(report.Processes) != 2 || report.Processes[0].Name != "service" || report.Processes[1].PerHead <= 0 {
		t.Errorf("the processes are %+v, %s", report.Processes, report.Unread)
	}
	var rooms api.List[api.Room]
	p.get("/api/v1/rooms", key, &rooms)
	var endpoints api.List[api.WebhookEndpoint]
	p.get("/api/v1/webhooks", key, &endpoints)
	if len(rooms.Data)+len(endpoints.Data) != 0 {
		t.Errorf("left behind: %v, %v", rooms.Data, endpoints.Data)
	}

	r = command(t, append(args, "--rooms", "10", "--people", "2", "--cameras", "0", "--microphones", "0", "--join-rate", "0", "--hold", "0s", "--max-join-p95", "1us")...)
	if r.status != 1 || !strings.Contains(r.stderr, "the run exceeded its limits: join: p95 is") {
		t.Errorf("nobody joins within a microsecond: status %d, %s", r.status, r.stderr)
	}
	r = command(t, append(args, "--churn", "NaN")...)
	if r.status != 1 || !strings.Contains(r.stderr, "churn and knocks have rates from 0 (none) to 60000 a minute, not NaN and 0") {
		t.Errorf("a churn that is not a number: status %d, %s", r.status, r.stderr)
	}
	p.stop()
	r = command(t, args...)
	if r.status != 1 || !strings.Contains(r.stderr, "make a room") {
		t.Errorf("without a service: status %d, %s", r.status, r.stderr)
	}
}

// Ctrl+C ends a load early, and prints the report of what was measured until then.
func TestAnInterruptedLoadPrintsItsReport(t *testing.T) {
	t.Parallel()
	where := dbtest.Config(t, db.SQLite)
	_, key := newKey(t, where)
	p := start(t, "serve", where, "--rate-limits", "off")
	running := exec.Command(binary, "load", "--url", p.url, "--key", key, "--json", "--people", "2", "--hold", "1h", "--polls", "--max-failures", "0")
	running.Env = environment()
	var out bytes.Buffer
	says := &lines{wants: regexp.MustCompile(`They stay for (1h)`), found: make(chan []string, 1)}
	running.Stdout = &out
	errs, err := running.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := running.Start(); err != nil {
		t.Fatal(err)
	}
	said := make(chan struct{})
	go func() { defer close(said); says.read(errs) }()
	t.Cleanup(func() { _ = running.Process.Kill() })
	select {
	case <-says.found:
	case <-time.After(patience):
		t.Fatalf("nobody is in:\n%s", says)
	}
	if err := running.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	<-said
	_ = running.Wait() // its status is compared below
	var report load.Report
	if err := json.Unmarshal(out.Bytes(), &report); err != nil || running.ProcessState.ExitCode() != 1 || !strings.HasSuffix(says.String(), "conclave: interrupted") {
		t.Fatalf("status %d: %v\n%s%s", running.ProcessState.ExitCode(), err, out.String(), says)
	}
	joined := slices.IndexFunc(report.Steps, func(s load.Summary) bool { return s.Step == "join" && s.Count == 2 && s.Failed == 0 })
	if !report.Interrupted || report.Inside != 2 || joined < 0 || len(report.Failures) != 0 || len(report.Processes) != 2 {
		t.Errorf("the report is %+v", report)
	}
	var rooms api.List[api.Room]
	p.get("/api/v1/rooms", key, &rooms)
	if len(rooms.Data) != 0 {
		t.Errorf("left behind: %v", rooms.Data)
	}
}
