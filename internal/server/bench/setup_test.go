package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/config"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/identity"
	"github.com/conclave-rooms/conclave/internal/media/fake"
	"github.com/conclave-rooms/conclave/internal/schema"
	"github.com/conclave-rooms/conclave/internal/server"
)

// rig is a service as an operator runs it, with its background work and the
// real clock, but with a media server in memory.
type rig struct {
	*server.Server

	media   *fake.Server
	config  config.Serve
	address string
}

// each runs a benchmark on a fresh service on each database.
func each(b *testing.B, run func(b *testing.B, r *rig)) {
	for _, engine := range []db.Engine{db.SQLite, db.PostgreSQL} {
		b.Run(string(engine), func(b *testing.B) { run(b, start(b, dbtest.Config(b, engine))) })
	}
}

// start runs a service until the end of the benchmark.
func start(b testing.TB, where db.Config) *rig {
	b.Helper()
	return startWith(b, where, "")
}

// startWith runs one with recordings in a bucket.
func startWith(b testing.TB, where db.Config, blobURL string) *rig {
	b.Helper()
	r := &rig{media: fake.New(time.Now), address: freeAddress(b, "tcp")}
	r.config = config.Serve{
		Data:    config.Data{Data: where.Dir, DatabaseURL: where.URL, PublicURL: "http://" + r.address},
		BlobURL: blobURL, Listener: config.Listener{Listen: r.address}, RateLimits: "off", StopTimeout: 10 * time.Second, WebhooksAllowPrivate: true, Calendars: config.Calendars{CalendarsAllowPrivate: true},
	}
	var err error
	if r.Server, err = server.New(b.Context(), r.config, logger(b), server.Options{Media: r.media}); err != nil {
		b.Fatal(err)
	}
	running, stop := context.WithCancel(context.Background())
	up, done := make(chan struct{}), make(chan error, 1)
	go func() { done <- r.Run(running, func() { close(up) }) }()
	b.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			b.Errorf("the service ended with: %v", err)
		}
	})
	select {
	case <-up:
	case err := <-done:
		done <- err
		b.Fatal("the service did not start")
	}
	return r
}

// logger logs as much as by default, with the system call that this costs, to a
// place that nobody reads.
func logger(b testing.TB) *slog.Logger {
	b.Helper()
	f, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = f.Close() })
	return slog.New(slog.NewTextHandler(f, nil))
}

// freeAddress finds a free port on loopback.
func freeAddress(b testing.TB, network string) string {
	b.Helper()
	if network == "udp" {
		c, err := net.ListenPacket(network, "127.0.0.1:0")
		if err != nil {
			b.Fatal(err)
		}
		defer func() { _ = c.Close() }()
		return c.LocalAddr().String()
	}
	l, err := net.Listen(network, "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

// workspace makes a workspace, a principal in it, and a key.
func (r *rig) workspace(b testing.TB) (auth.Principal, string) {
	b.Helper()
	w, owner, err := r.Identity.CreateWorkspace(b.Context(), "Bench", "owner@example.com")
	if err != nil {
		b.Fatal(err)
	}
	key, _, err := r.Identity.CreateKey(b.Context(), identity.KeyRequest{WorkspaceID: w.ID, Scopes: api.Scopes()})
	if err != nil {
		b.Fatal(err)
	}
	return auth.Principal{WorkspaceID: w.ID, AccountID: owner.ID, ManagesAll: true}, key
}

// rooms makes rooms and returns the id of the last one.
func (r *rig) rooms(b testing.TB, p auth.Principal, n int) string {
	b.Helper()
	id := ""
	for i := range n {
		made, err := r.Rooms.Create(b.Context(), p, schema.Filled(api.RoomCreate{Name: fmt.Sprintf("Room %d", i+1)}), "meeting")
		if err != nil {
			b.Fatal(err)
		}
		id = made.ID
	}
	return id
}

// call sends one request that is not measured, and reads the answer.
func (r *rig) call(b testing.TB, method, path, bearer, body string, out any) {
	b.Helper()
	text, status := ask(b, r.address, method, path, bearer, body)
	if status/100 != 2 {
		b.Fatalf("%s %s: %d %s", method, path, status, text)
	}
	if out == nil {
		return
	}
	if err := json.Unmarshal(text, out); err != nil {
		b.Fatalf("%s %s: %v in %s", method, path, err, text)
	}
}

func ask(b testing.TB, address, method, path, bearer, body string) ([]byte, int) {
	b.Helper()
	req, err := http.NewRequestWithContext(b.Context(), method, "http://"+address+path, strings.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+bearer)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	if err != nil {
		b.Fatalf("%s %s: %v", method, path, err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		b.Fatalf("%s %s: %v", method, path, err)
	}
	return text, res.StatusCode
}
