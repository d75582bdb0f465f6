package server_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// A database that swallows everything holds nobody up: callers learn after some
// seconds that they should come back, and the service goes on once it answers.
func TestADatabaseThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	road, where := dbtest.NewRoad(t)
	s := servertest.Start(t, where, servertest.Options{})
	key := s.Key(s.Workspace("acme", "owner@acme.example"), api.Scopes()...)
	list := servertest.Request{Method: http.MethodGet, Path: "/api/v1/rooms", Bearer: key}
	create := servertest.Request{Method: http.MethodPost, Path: "/api/v1/rooms", Bearer: key, Body: `{"name": "Weekly"}`}
	if a := s.Send(create); a.Status != http.StatusCreated {
		t.Fatalf("making a room: %d %s", a.Status, a.Body)
	}
	road.Close()
	wantUnavailable(t, s.Send(list))
	wantUnavailable(t, s.Send(create))
	road.Reopen()
	if a := s.Send(create); a.Status != http.StatusCreated {
		t.Errorf("making a room afterwards: %d %s", a.Status, a.Body)
	}
	if a := s.Send(list); a.Status != http.StatusOK {
		t.Errorf("listing rooms afterwards: %d %s", a.Status, a.Body)
	}
}

// A full disk refuses what has to be written, with a sentence; what is there can
// be read, and writing works again once there is space.
func TestADatabaseWithoutSpace(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, dbtest.Config(t, db.SQLite), servertest.Options{})
	key := s.Key(s.Workspace("acme", "owner@acme.example"), api.Scopes()...)
	allow := func(pages int) {
		err := s.DB().Write(t.Context(), func(tx *db.Tx) error {
			_, err := tx.Exec(t.Context(), fmt.Sprintf("PRAGMA max_page_count = %d", pages))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	create := servertest.Request{
		Method: http.MethodPost, Path: "/api/v1/rooms", Bearer: key,
		Body: `{"name": "` + strings.Repeat("x", 80) + `"}`,
	}
	allow(1) // as many as there are
	a := s.Send(create)
	for range 1000 {
		if a.Status == http.StatusCreated {
			a = s.Send(create)
		}
	}
	wantUnavailable(t, a)
	if a := s.Send(servertest.Request{Method: http.MethodGet, Path: "/api/v1/rooms", Bearer: key}); a.Status != http.StatusOK {
		t.Errorf("listing rooms: %d %s", a.Status, a.Body)
	}
	allow(1 << 20)
	if a := s.Send(create); a.Status != http.StatusCreated {
		t.Errorf("making a room with space: %d %s", a.Status, a.Body)
	}
}

// Where nothing can be written, the service is not ready.
func TestADataDirectoryThatTakesNothing(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		s := servertest.Start(t, where, servertest.Options{})
		if err := os.MkdirAll(filepath.Join(where.Dir, ".probe", "in the way"), 0o700); err != nil {
			t.Fatal(err)
		}
		a := s.Send(servertest.Request{Method: http.MethodGet, Path: "/readyz"})
		if a.Status != http.StatusServiceUnavailable || !strings.Contains(string(a.Body), `"database":"unavailable"`) {
			t.Errorf("/readyz: %d %s", a.Status, a.Body)
		}
	})
}

func wantUnavailable(t *testing.T, a servertest.Answer) {
	t.Helper()
	if a.Status != http.StatusServiceUnavailable || a.Code() != api.CodeServiceUnavailable || a.Header.Get("Retry-After") == "" {
		t.Errorf("%d %s, Retry-After %q; want service_unavailable", a.Status, a.Body, a.Header.Get("Retry-After"))
	}
}
