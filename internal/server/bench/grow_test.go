package bench

import (
	"context"
	"flag"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/config"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/media/fake"
	"github.com/conclave-rooms/conclave/internal/seat"
	"github.com/conclave-rooms/conclave/internal/server"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

var (
	growRows  = flag.Int("grow.rows", 100_000, "rooms, events and deliveries of the large service of BenchmarkGrowth")
	growRooms = flag.Int("grow.rooms", 2_000, "running meetings of the large service of BenchmarkGrowth")
)

// mostGrowth is how much longer a question may take a large service than a small
// one.
const mostGrowth = 1.5

// BenchmarkGrowth asks two services the same, in turns: a small one, and one
// that holds many times as much. It fails when the large one takes much longer.
// Neither does background work.
func BenchmarkGrowth(b *testing.B) {
	for _, engine := range []db.Engine{db.SQLite, db.PostgreSQL} {
		b.Run(string(engine), func(b *testing.B) {
			small := grown(b, engine, servertest.Size{Rooms: 1000, Running: 50, Events: 1000})
			large := grown(b, engine, servertest.Size{Rooms: *growRows, Running: *growRooms, Events: *growRows})
			for i, c := range small.cases() {
				other := large.cases()[i]
				b.Run(c.name, func(b *testing.B) {
					few, many := c.team(b, small), other.team(b, large)
					turns(b, few, many)
					growth := micros(percentile(many.took, 0.5)) / micros(percentile(few.took, 0.5))
					b.ReportMetric(micros(percentile(few.took, 0.5)), "small-p50-µs")
					b.ReportMetric(micros(percentile(many.took, 0.5)), "large-p50-µs")
					b.ReportMetric(growth, "x-small")
					if b.N >= 100 && growth > mostGrowth {
						b.Errorf("%s takes a large service %.2f times as long as a small one", c.name, growth)
					}
				})
			}
		})
	}
}

// growth is a service that holds a certain number of rows.
type growth struct {
	*rig

	key      string
	endpoint string
	room     func(i int) string
	rooms    int
}

// grown fills a service. Its background work does not run: with thousands of
// meetings that no media server knows of, it would have nothing else to do.
func grown(b *testing.B, engine db.Engine, n servertest.Size) *growth {
	b.Helper()
	g := &growth{rig: serveOnly(b, dbtest.Config(b, engine)), rooms: n.Rooms}
	principal, key := g.workspace(b)
	var endpoint struct {
		ID string `json:"id"`
	}
	g.call(b, http.MethodPost, "/api/v1/webhooks", key, `{"url": "http://127.0.0.1:9/", "events": ["*"], "enabled": false}`, &endpoint)
	n.Endpoint = endpoint.ID
	g.key, g.endpoint = key, endpoint.ID
	g.room = servertest.Fill(b, g.DB(), principal.WorkspaceID, principal.AccountID, n, time.Now())
	return g
}

// serveOnly runs a service without its background work.
func serveOnly(b *testing.B, where db.Config) *rig {
	b.Helper()
	listener, err := (&net.ListenConfig{}).Listen(b.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	r := &rig{media: fake.New(time.Now), address: listener.Addr().String()}
	r.config = config.Serve{
		Data: config.Data{Data: where.Dir, DatabaseURL: where.URL, PublicURL: "http://" + r.address}, Listener: config.Listener{Listen: r.address}, RateLimits: "off",
		StopTimeout: 10 * time.Second, WebhooksAllowPrivate: true,
	}
	if r.Server, err = server.New(b.Context(), r.config, logger(b), server.Options{Media: r.media}); err != nil {
		b.Fatal(err)
	}
	web := &http.Server{Handler: r.Handler(), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = web.Serve(listener) }()
	b.Cleanup(func() {
		_ = web.Close()
		r.Close()
	})
	return r
}

// growthCase is a request, or a question to the database that the API asks only
// together with others.
type growthCase struct {
	name, method, path, body string
	do                       func() error
}

func (g *growth) cases() []growthCase {
	running, middle := "/api/v1/rooms/"+g.room(1), "/api/v1/rooms/"+g.room(g.rooms/2)
	return []growthCase{
		{name: "list-rooms", method: http.MethodGet, path: "/api/v1/rooms"},
		{name: "list-rooms-later-page", method: http.MethodGet, path: "/api/v1/rooms?starting_after=" + g.room(g.rooms/2)},
		{name: "get-room", method: http.MethodGet, path: middle},
		{name: "create-room", method: http.MethodPost, path: "/api/v1/rooms", body: `{"name": "Weekly review"}`},
		{name: "create-token", method: http.MethodPost, path: middle + "/tokens", body: `{"name": "Ada"}`},
		{name: "events", method: http.MethodGet, path: "/api/v1/events"},
		{name: "events-common-type", method: http.MethodGet, path: "/api/v1/events?type=participant.joined"},
		{name: "events-rare-type", method: http.MethodGet, path: "/api/v1/events?type=poll.closed"},
		{name: "events-absent-type", method: http.MethodGet, path: "/api/v1/events?type=recording.ready"},
		{name: "participants", method: http.MethodGet, path: running + "/participants"},
		{name: "waiting", method: http.MethodGet, path: running + "/waiting"},
		{name: "webhooks", method: http.MethodGet, path: "/api/v1/webhooks"},
		{name: "webhook-deliveries", method: http.MethodGet, path: "/api/v1/webhooks/" + g.endpoint + "/deliveries"},
		{name: "seats-to-compare", do: g.read(func(ctx context.Context, tx *db.Tx) error {
			_, err := seat.Expected(ctx, tx, g.room(1), time.Now())
			return err
		})},
		{name: "admit-all-guests", do: g.write(func(ctx context.Context, tx *db.Tx) error {
			_, err := seat.AdmitGuests(ctx, tx, g.room(2), time.Now())
			return err
		})},
		{name: "change-of-status", do: g.write(func(ctx context.Context, tx *db.Tx) error {
			_, err := seat.MoveGuests(ctx, tx, g.room(3), seat.Early, seat.LetThrough, time.Now())
			return err
		})},
	}
}

func (g *growth) read(fn func(ctx context.Context, tx *db.Tx) error) func() error {
	return func() error {
		return g.DB().Read(context.Background(), func(tx *db.Tx) error { return fn(context.Background(), tx) })
	}
}

func (g *growth) write(fn func(ctx context.Context, tx *db.Tx) error) func() error {
	return func() error {
		return g.DB().Write(context.Background(), func(tx *db.Tx) error { return fn(context.Background(), tx) })
	}
}

// team is one client that sends the request.
func (c growthCase) team(b *testing.B, g *growth) *team {
	b.Helper()
	if c.do != nil {
		return &team{calls: []func() error{c.do}}
	}
	status := http.StatusOK
	if c.method == http.MethodPost {
		status = http.StatusCreated
	}
	return callers(b, g.address, 1, request(c.method, c.path, g.key, c.body), status)
}
