package servertest

import (
	"log/slog"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/config"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/schema"
	"github.com/conclave-rooms/conclave/internal/server"
)

// Bare makes a service that does no work in the background and follows the real clock,
// with one room, and the owner of its workspace.
func Bare(t *testing.T, where db.Config, o server.Options) (*server.Server, auth.Principal, room.Room) {
	t.Helper()
	c := config.Serve{
		Data: config.Data{Data: where.Dir, DatabaseURL: where.URL, PublicURL: "https://meet.example.com"}, RateLimits: "off", StopTimeout: time.Second,
	}
	s, err := server.New(t.Context(), c, slog.New(slog.DiscardHandler), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	p, r := NewRoom(t, s, api.RoomCreate{Name: "Room"}, room.TypeMeeting)
	return s, p, r
}

// NewRoom makes a workspace with one room, and returns the workspace's owner, too.
func NewRoom(t *testing.T, s *server.Server, create api.RoomCreate, kind string) (auth.Principal, room.Room) {
	t.Helper()
	w, owner, err := s.Identity.CreateWorkspace(t.Context(), "Acme", "owner@acme.example")
	if err != nil {
		t.Fatal(err)
	}
	p := auth.Principal{WorkspaceID: w.ID, AccountID: owner.ID, ManagesAll: true}
	r, err := s.Rooms.Create(t.Context(), p, schema.Filled(create), kind)
	if err != nil {
		t.Fatal(err)
	}
	return p, r
}
