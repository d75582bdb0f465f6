package webhook_test

import (
	"net/http"
	"testing"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// A secret that cannot be opened, because its master key is lost, can be replaced
// as long as the rotation does not keep it.
func TestASecretThatDoesNotOpenIsReplaced(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, dbtest.Config(t, db.SQLite), servertest.Options{})
	key := s.Key(s.Workspace("acme", "owner@acme.example"), api.Scopes()...)
	hook := endpointAt(t, s, key, "https://hooks.example.com")
	err := s.DB().Write(t.Context(), func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), `UPDATE webhook_endpoint SET secret = 'v1.00000000.lost'`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		body   string
		status int
	}{
		{`{"expire_previous_in": 60}`, http.StatusInternalServerError},
		{`{"expire_previous_in": 0}`, http.StatusOK},
		{`{"expire_previous_in": 60}`, http.StatusOK}, // the new secret opens
	} {
		a := s.Send(servertest.Request{Method: http.MethodPost, Path: "/api/v1/webhooks/" + hook.ID + "/rotate-secret", Bearer: key, Body: c.body})
		if a.Status != c.status {
			t.Errorf("%s: %d %s, want %d", c.body, a.Status, a.Body, c.status)
		}
	}
}
