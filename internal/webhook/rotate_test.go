package webhook_test

import (
	"net/http"
	"testing"
	"time"

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

// The previous secret of an endpoint is deleted once it has expired.
func TestAnExpiredSecretIsDeleted(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		s := servertest.Start(t, where, servertest.Options{})
		key := s.Key(s.Workspace("acme", "owner@acme.example"), api.Scopes()...)
		hook := endpointAt(t, s, key, "https://hooks.example.com")
		a := s.Send(servertest.Request{Method: http.MethodPost, Path: "/api/v1/webhooks/" + hook.ID + "/rotate-secret", Bearer: key, Body: `{"expire_previous_in": 60}`})
		if a.Status != http.StatusOK {
			t.Fatalf("rotate a secret: %d %s", a.Status, a.Body)
		}
		wants := func(when string, want int) {
			t.Helper()
			s.Forget()
			if n := s.Count(`webhook_endpoint WHERE previous_secret IS NOT NULL`); n != want {
				t.Errorf("%s there are %d previous secrets, want %d", when, n, want)
			}
		}
		s.Advance(59 * time.Second)
		wants("before it expires", 1)
		s.Advance(time.Second)
		wants("after it has expired", 0)
	})
}
