package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/config"
	"github.com/conclave-rooms/conclave/internal/media"
	"github.com/conclave-rooms/conclave/internal/media/mediatest"
	"github.com/conclave-rooms/conclave/internal/server"
)

// device is somebody's device on the real media server: it follows its stream
// and goes where the stream says it has to be.
type device struct {
	rig    *rig
	ticket string

	mu    sync.Mutex
	at    string // the breakout; "" is the main room
	now   *mediatest.Participant
	moved chan time.Time // when it was connected where it was sent
}

// liveKit starts a service with LiveKit in the process.
func liveKit(b *testing.B) *rig {
	b.Helper()
	r := &rig{address: freeAddress(b, "tcp")}
	r.config = config.Serve{
		Data: config.Data{Data: b.TempDir(), PublicURL: "http://" + r.address}, Listen: r.address, RateLimits: "off",
		StopTimeout: 10 * time.Second, MediaNodeIP: "127.0.0.1",
	}
	var err error
	if r.Server, err = server.New(b.Context(), r.config, slog.New(slog.DiscardHandler), server.Options{}); err != nil {
		b.Fatal(err)
	}
	running, stop := context.WithCancel(context.Background())
	up, done := make(chan struct{}), make(chan error, 1)
	go func() { done <- r.Run(running, func() { close(up) }) }()
	b.Cleanup(func() { stop(); <-done })
	<-up
	return r
}

// device brings a device in.
func (r *rig) device(b *testing.B, roomID, key, name string) *device {
	b.Helper()
	var token api.RoomToken
	r.call(b, http.MethodPost, "/api/v1/rooms/"+roomID+"/tokens", key, fmt.Sprintf(`{"name": %q, "user_id": %q}`, name, name), &token)
	var seat struct{ Ticket string }
	r.call(b, http.MethodPost, "/meet/v1/tickets", "", fmt.Sprintf(`{"token": %q}`, token.Token), &seat)
	d := &device{rig: r, ticket: seat.Ticket, moved: make(chan time.Time, 16)}
	d.now = mediatest.Join(b, mediatest.Options{URL: token.ServerURL, Token: token.Token, Passphrase: token.E2EEPassphrase})
	go d.follow(b)
	return d
}

// follow reads the stream of events until the benchmark is over.
func (d *device) follow(b *testing.B) {
	req, err := http.NewRequestWithContext(b.Context(), http.MethodGet, "http://"+d.rig.address+"/meet/v1/events", http.NoBody)
	if err != nil {
		return
	}
	req.Header.Set("Authorization", "Bearer "+d.ticket)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return
	}
	defer func() { _ = res.Body.Close() }()
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 1<<20)
	for about := ""; lines.Scan(); {
		field, value, _ := strings.Cut(lines.Text(), ": ")
		switch {
		case field == "event":
			about = value
		case field == "data" && about == "breakouts":
			var told struct {
				Session *struct {
					You struct{ Place *string }
				}
			}
			if json.Unmarshal([]byte(value), &told) == nil {
				place := ""
				if told.Session != nil && told.Session.You.Place != nil {
					place = *told.Session.You.Place
				}
				d.goTo(b, place)
			}
		}
	}
}

// goTo connects to another media room, and then leaves the one before.
func (d *device) goTo(b *testing.B, place string) {
	if d.at == place || b.Context().Err() != nil {
		return
	}
	body, status := ask(b, d.rig.address, http.MethodPost, "/meet/v1/token", d.ticket, "")
	var token api.RoomToken
	if err := json.Unmarshal(body, &token); err != nil || status != http.StatusOK {
		b.Errorf("a media token: %d %s", status, body)
		return
	}
	ctx, cancel := context.WithTimeout(b.Context(), 30*time.Second)
	defer cancel()
	next, err := mediatest.Connect(ctx, mediatest.Options{URL: token.ServerURL, Token: token.Token, Passphrase: token.E2EEPassphrase})
	if err != nil {
		b.Errorf("move: %v", err)
		return
	}
	d.mu.Lock()
	old := d.now
	d.at, d.now = place, next
	d.mu.Unlock()
	d.moved <- time.Now()
	old.Disconnect()
}

func (d *device) participant() *mediatest.Participant {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.now
}

// BenchmarkBreakoutMove measures how long somebody is under way who is sent
// from one room to another: from the request to the first decrypted frame of
// whoever speaks in the next one. The media server, both devices and their
// streams are real.
func BenchmarkBreakoutMove(b *testing.B) {
	r := liveKit(b)
	p, key := r.workspace(b)
	roomID := r.rooms(b, p, 1)
	speaker, listener := r.device(b, roomID, key, "speaker"), r.device(b, roomID, key, "listener")
	other := r.device(b, roomID, key, "other")
	r.call(b, http.MethodGet, "/api/v1/rooms/"+roomID+"/participants", key, "", nil) // sees that all of them are in
	var s api.BreakoutSession
	r.call(b, http.MethodPost, "/api/v1/rooms/"+roomID+"/breakouts", key,
		`{"rooms": 2, "assign": "manual", "placements": [{"participant": "api_speaker", "room": 0}, {"participant": "api_other", "room": 1}]}`, &s)
	for _, d := range []*device{speaker, other} {
		<-d.moved
		if _, err := d.participant().Publish(b.Context(), media.Microphone); err != nil {
			b.Fatal(err)
		}
	}
	t := &team{calls: []func() error{nil}}
	to := 0
	t.calls[0] = func() error {
		body := fmt.Sprintf(`{"participant": "api_listener", "breakout_id": %q}`, s.Rooms[to].ID)
		r.call(b, http.MethodPost, "/api/v1/rooms/"+roomID+"/breakouts/assignments", key, body, nil)
		<-listener.moved
		heard := []*device{speaker, other}[to]
		to = 1 - to
		return listener.participant().WaitFrames(b.Context(), heard.participant().Identity(), media.Microphone, 1)
	}
	b.ResetTimer()
	if err := t.work(b.N); err != nil {
		b.Fatal(err)
	}
	b.StopTimer()
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(millis(percentile(t.took, 0.5)), "p50-ms")
	b.ReportMetric(millis(percentile(t.took, 0.95)), "p95-ms")
	b.ReportMetric(millis(percentile(t.took, 1)), "max-ms")
}

// BenchmarkBreakoutsOpen measures a meeting of fifty that is split into ten
// rooms: from the request to the last device being connected where it was
// sent, and the processor time that the whole process used meanwhile, the
// fifty devices included. Every second round brings them back to the main room.
func BenchmarkBreakoutsOpen(b *testing.B) {
	const people = 50
	r := liveKit(b)
	p, key := r.workspace(b)
	roomID := r.rooms(b, p, 1)
	devices := make([]*device, people)
	for i := range devices {
		devices[i] = r.device(b, roomID, key, fmt.Sprintf("p%d", i))
	}
	r.call(b, http.MethodGet, "/api/v1/rooms/"+roomID+"/participants", key, "", nil) // sees that all of them are in
	var apart, together []time.Duration
	var used time.Duration
	all := func(began time.Time) time.Duration {
		last := began
		for _, d := range devices {
			if at := <-d.moved; at.After(last) {
				last = at
			}
		}
		return last.Sub(began)
	}
	b.ResetTimer()
	for range b.N {
		before, began := processorTime(b), time.Now()
		r.call(b, http.MethodPost, "/api/v1/rooms/"+roomID+"/breakouts", key, `{"rooms": 10}`, nil)
		apart = append(apart, all(began))
		used += processorTime(b) - before
		began = time.Now()
		r.call(b, http.MethodPost, "/api/v1/rooms/"+roomID+"/breakouts/end", key, `{}`, nil)
		together = append(together, all(began))
	}
	b.StopTimer()
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(millis(percentile(apart, 0.5)), "open-last-ms")
	b.ReportMetric(millis(percentile(together, 0.5)), "end-last-ms")
	b.ReportMetric(millis(used)/float64(b.N), "cpu-ms/open")
}

// processorTime is what this process has used of the processors.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
