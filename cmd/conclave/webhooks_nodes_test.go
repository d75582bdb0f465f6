package main_test

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
)

// Two nodes share a PostgreSQL. One is killed while its request is on the wire:
// the other one sends the request again, as the same event.
func TestAnotherNodeRepeatsTheDeliveryOfAKilledNode(t *testing.T) {
	t.Parallel()
	where := dbtest.Config(t, db.PostgreSQL)
	_, key := newKey(t, where)
	address, begun, release := stalled(t)
	// Nodes on one database must share their media; nobody meets here.
	media := []string{"--webhooks-allow-private", "--media-url", "ws://127.0.0.1:9", "--media-api-key", "key", "--media-api-secret", "secret"}
	killed := start(t, "serve", where, media...)
	other := start(t, "serve", named(t, where, "other"), media...)
	killed.call(http.MethodPost, "/api/v1/webhooks", key, fmt.Sprintf(`{"url": %q, "events": ["*"]}`, address))
	other.pause(where, "other") // otherwise it might be the one that finds the delivery
	killed.call(http.MethodPost, "/api/v1/rooms", key, `{"name": "Room"}`)
	first := within(t, begun, "the delivery")
	other.signal(syscall.SIGCONT)
	killed.signal(syscall.SIGKILL)
	since := time.Now()
	killed.wait()
	close(release)
	if again := within(t, begun, "the delivery by the other node"); again != first {
		t.Errorf("the event %s came first, and %s from the other node", first, again)
	}
	t.Logf("the other node took over after %s; ten seconds are promised", time.Since(since).Round(100*time.Millisecond))
	other.stop()
	read(t, where, `SELECT status, CAST(attempts AS TEXT) FROM webhook_delivery`, func(status, attempts string) {
		if status != "succeeded" || attempts != "1" {
			t.Errorf("the delivery is %s after %s attempts", status, attempts)
		}
	})
}

// named gives the connections to a PostgreSQL a name, so that they can be found
// there.
func named(t *testing.T, where db.Config, name string) db.Config {
	t.Helper()
	u, err := url.Parse(where.URL)
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	query.Set("application_name", name)
	u.RawQuery = query.Encode()
	where.URL = u.String()
	return where
}

func (p *process) signal(s os.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

// pause stops a process until SIGCONT, at a moment when its connections are in
// no transaction, so that it blocks nobody.
func (p *process) pause(where db.Config, name string) {
	p.t.Helper()
	eventually(p.t, p, "the process stands still between two transactions", func() bool {
		p.signal(syscall.SIGSTOP)
		eventually(p.t, p, "the process stands still", p.stands)
		open := 0
		read(p.t, where, fmt.Sprintf(`SELECT state, '' FROM pg_stat_activity WHERE application_name = '%s' AND state <> 'idle'`, name), func(string, string) { open++ })
		if open > 0 {
			p.signal(syscall.SIGCONT)
		}
		return open == 0
	})
}

// stands says whether all threads of a process are stopped.
func (p *process) stands() bool {
	p.t.Helper()
	stats, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", p.cmd.Process.Pid))
	if err != nil || len(stats) == 0 {
		p.t.Fatalf("the threads of the process: %v, %v", stats, err)
	}
	for _, file := range stats {
		text, err := os.ReadFile(file)
		if err != nil {
			return false // the thread has just ended
		}
		// The state follows the name, which is in brackets and may contain
		// anything.
		after := string(text)[strings.LastIndexByte(string(text), ')')+1:]
		if !strings.HasPrefix(after, " T") {
			return false
		}
	}
	return true
}
