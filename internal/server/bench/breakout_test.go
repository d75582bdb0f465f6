package bench

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"syscall"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/config"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/media"
	"github.com/conclave-rooms/conclave/internal/media/mediaclient"
	"github.com/conclave-rooms/conclave/internal/server"
)

// liveKit starts a service with an embedded LiveKit.
func liveKit(b *testing.B) *rig {
	b.Helper()
	return liveKitOn(b, dbtest.Config(b, db.SQLite))
}

// liveKitOn starts one on a database.
func liveKitOn(b *testing.B, where db.Config) *rig {
	b.Helper()
	r := &rig{address: freeAddress(b, "tcp")}
	r.config = config.Serve{
		Data: config.Data{Data: where.Dir, DatabaseURL: where.URL, PublicURL: "http://" + r.address}, Listener: config.Listener{Listen: r.address}, RateLimits: "off",
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

// device connects a device to a meeting.
func (r *rig) device(b *testing.B, roomID, key, name string, sends ...media.Source) *mediaclient.Device {
	b.Helper()
	var token api.RoomToken
	r.call(b, http.MethodPost, "/api/v1/rooms/"+roomID+"/tokens", key, fmt.Sprintf(`{"name": %q, "user_id": %q}`, name, name), &token)
	d, err := mediaclient.Enter(b.Context(), mediaclient.DeviceOptions{Service: "http://" + r.address, Token: token, Sends: sends})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(d.Stop)
	return d
}

// BenchmarkBreakoutMove measures how long a move from one room to another
// takes: from the request to the first decrypted frame of the person who speaks
// in the next room. The media server, both devices and their streams are real.
func BenchmarkBreakoutMove(b *testing.B) {
	r := liveKit(b)
	p, key := r.workspace(b)
	roomID := r.rooms(b, p, 1)
	speaker, other := r.device(b, roomID, key, "speaker", media.Microphone), r.device(b, roomID, key, "other", media.Microphone)
	listener := r.device(b, roomID, key, "listener")
	r.call(b, http.MethodGet, "/api/v1/rooms/"+roomID+"/participants", key, "", nil) // this notices that all of them are in
	var s api.BreakoutSession
	r.call(b, http.MethodPost, "/api/v1/rooms/"+roomID+"/breakouts", key,
		`{"rooms": 2, "assign": "manual", "placements": [{"participant": "api_speaker", "room": 0}, {"participant": "api_other", "room": 1}]}`, &s)
	for _, d := range []*mediaclient.Device{speaker, other} {
		if _, err := d.WaitMove(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	t := &team{calls: []func() error{nil}}
	to := 0
	t.calls[0] = func() error {
		body := fmt.Sprintf(`{"participant": "api_listener", "breakout_id": %q}`, s.Rooms[to].ID)
		r.call(b, http.MethodPost, "/api/v1/rooms/"+roomID+"/breakouts/assignments", key, body, nil)
		if _, err := listener.WaitMove(b.Context()); err != nil {
			return err
		}
		heard := []*mediaclient.Device{speaker, other}[to]
		to = 1 - to
		return listener.Participant().WaitFrames(b.Context(), heard.Participant().Identity(), media.Microphone, 1)
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
// rooms: the time from the request until the last device is connected to its
// room, and the processor time of the whole process meanwhile, which includes
// the fifty devices. Every second round brings them back to the main room.
func BenchmarkBreakoutsOpen(b *testing.B) {
	const people = 50
	r := liveKit(b)
	p, key := r.workspace(b)
	roomID := r.rooms(b, p, 1)
	devices := make([]*mediaclient.Device, people)
	for i := range devices {
		devices[i] = r.device(b, roomID, key, fmt.Sprintf("p%d", i))
	}
	r.call(b, http.MethodGet, "/api/v1/rooms/"+roomID+"/participants", key, "", nil) // this notices that all of them are in
	var apart, together []time.Duration
	var used time.Duration
	all := func(began time.Time) time.Duration {
		last := began
		for _, d := range devices {
			arrival, err := d.WaitMove(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			if arrival.At.After(last) {
				last = arrival.At
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

// processorTime is the processor time that this process has used.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
