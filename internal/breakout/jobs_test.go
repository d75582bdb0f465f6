package breakout_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// A session that cannot be ended does not delay others.
func TestASessionThatCannotEndDelaysNoOthers(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, dbtest.Config(t, db.SQLite), servertest.Options{})
	key := s.Key(s.Workspace("acme", "owner@acme.example"), api.Scopes()...)
	post := func(path, body string, out any) {
		a := s.Send(servertest.Request{Method: http.MethodPost, Path: path, Bearer: key, Body: body})
		if err := json.Unmarshal(a.Body, out); err != nil || a.Status != http.StatusCreated {
			t.Fatalf("%s: %d %s", path, a.Status, a.Body)
		}
	}
	var rooms [3]api.Room
	for i := range rooms {
		post("/api/v1/rooms", `{"name": "Weekly"}`, &rooms[i])
		post("/api/v1/rooms/"+rooms[i].ID+"/breakouts", `{"rooms": 1}`, &struct{}{})
	}
	sql := func(statement string, args ...any) {
		err := s.DB().Write(t.Context(), func(tx *db.Tx) error {
			_, err := tx.Exec(t.Context(), statement, args...)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	ended := func() (rooms int) {
		for _, e := range s.EventLog() {
			if e.Type == api.EventBreakoutEnded {
				rooms++
			}
		}
		return rooms
	}
	// All are due, and the one that cannot be read comes first.
	sql(`UPDATE breakout_session SET ends_at = started_at, deadline = started_at`)
	sql(`UPDATE breakout_session SET deadline = deadline - 1 WHERE room_id = $1`, rooms[0].ID)
	sql(`UPDATE room SET settings = 'damaged' WHERE id = $1`, rooms[0].ID)
	if err := s.Breakouts.Expire(t.Context()); err == nil || !strings.Contains(err.Error(), rooms[0].ID) {
		t.Errorf("the error is %v", err)
	}
	if n := ended(); n != 2 {
		t.Errorf("%d sessions have ended, want 2", n)
	}
	sql(`UPDATE room SET settings = '{}' WHERE id = $1`, rooms[0].ID)
	if err := s.Breakouts.Expire(t.Context()); err != nil || ended() != 3 {
		t.Errorf("when it can be read again, %d sessions have ended: %v", ended(), err)
	}
}
