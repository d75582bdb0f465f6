package main_test

import (
	"strings"
	"testing"

	"github.com/conclave-rooms/conclave/internal/db"
)

// A health check of a container asks the service beside it.
func TestHealth(t *testing.T) {
	t.Parallel()
	p := start(t, "serve", db.Config{Dir: t.TempDir()})
	listen := strings.TrimPrefix(p.url, "http://")
	if r := command(t, "health", "--listen", listen); r.status != 0 || !strings.Contains(r.stdout, `"status":"ok"`) {
		t.Errorf("while it serves: status %d, %s%s", r.status, r.stdout, r.stderr)
	}
	p.stop()
	if r := command(t, "health", "--listen", listen); r.status != 1 || !strings.Contains(r.stderr, "does not answer") {
		t.Errorf("after it stopped: status %d, %s%s", r.status, r.stdout, r.stderr)
	}
}
