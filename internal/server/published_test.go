package server_test

import (
	"log/slog"
	"net"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/config"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/media/fake"
	"github.com/conclave-rooms/conclave/internal/node"
	"github.com/conclave-rooms/conclave/internal/server"
)

// A node whose start fails when it is listed already does not stay in the list.
func TestANodeThatDoesNotStartIsNotListed(t *testing.T) {
	t.Parallel()
	where := dbtest.Config(t, db.SQLite)
	d := dbtest.Open(t, where)
	dbtest.Change(t, d, `CREATE TRIGGER refuse_address BEFORE INSERT ON published WHEN NEW.name = 'public_url'
		BEGIN SELECT RAISE(ABORT, 'the address is refused'); END`)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := config.Serve{
		Data:        config.Data{Data: where.Dir, PublicURL: "https://meet.example.com"},
		Listener:    config.Listener{Listen: listener.Addr().String()},
		StopTimeout: time.Second, RateLimits: "off",
	}
	s, err := server.New(t.Context(), c, slog.New(slog.DiscardHandler), server.Options{Media: fake.New(time.Now), Listener: listener})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	if err := s.Run(t.Context(), nil); err == nil {
		t.Fatal("it started without its address")
	}
	nodes, err := (&node.Service{DB: d, Now: d.Now}).List(t.Context())
	if err != nil || len(nodes) != 0 {
		t.Errorf("listed are %+v (%v), want no node", nodes, err)
	}
}
