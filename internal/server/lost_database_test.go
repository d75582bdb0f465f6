package server_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/config"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/server"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// When the machine of the database is lost without a word and another one has its
// place, the background work goes on there. Its transactions have no time limit of their
// own, so they must not wait for the lost machine.
func TestBackgroundWorkGoesOnWhenADatabaseIsLostWithoutAWord(t *testing.T) {
	t.Parallel()
	delivered := make(chan string, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		delivered <- r.Header.Get("Webhook-Id")
	}))
	t.Cleanup(receiver.Close)
	road, where := dbtest.NewRoad(t)
	r := startAs(t, server.Options{}, func(c *config.Serve) {
		c.DatabaseURL = quickly(t, where.URL)
		c.WebhooksAllowPrivate = true
	})
	r.api(t, http.MethodPost, "/webhooks", map[string]any{"url": receiver.URL, "events": []string{"room.created"}}, nil)
	r.token(t, r.room(t, nil), "Ada", "host")
	receives(t, delivered, "before the loss")
	road.Cut()
	r.within(t, time.Minute, "a room can be made after the loss", func() bool {
		return r.call(t, http.MethodPost, "/api/v1/rooms", r.key, map[string]any{"name": "Room"}, nil) == http.StatusCreated
	})
	receives(t, delivered, "after the loss")
	r.answersReady(t, http.StatusOK, `"jobs":"ok"`)
}

// quickly makes the service notice after ten seconds that an answer does not come.
func quickly(t *testing.T, databaseURL string) string {
	t.Helper()
	u, err := url.Parse(databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set("statement_timeout", "5s")
	u.RawQuery = q.Encode()
	return u.String()
}

// receives waits for a webhook. A commit that hangs is given up after half a minute, and
// other steps after ten seconds each; on a busy machine each of them takes longer. TCP
// would need a quarter of an hour.
func receives(t *testing.T, delivered <-chan string, when string) {
	t.Helper()
	select {
	case <-delivered:
	case <-time.After(3 * time.Minute):
		t.Fatalf("no webhook was delivered %s", when)
	}
}

// Where the network loses only what the database answers, the service cannot know whether
// a commit succeeded, and says neither that nothing happened nor that it did. The same
// request with the same Idempotency-Key is held back for a minute, and makes nothing twice.
func TestACommitWhoseAnswerIsLostIsNotRepeatedAtOnce(t *testing.T) {
	t.Parallel()
	road, where := dbtest.NewRoad(t)
	s := servertest.Start(t, where, servertest.Options{})
	create := servertest.Request{
		Method: http.MethodPost, Path: "/api/v1/rooms", Bearer: s.Key(s.Workspace("acme", "owner@acme.example"), api.Scopes()...),
		Body: `{"name": "Once"}`, Header: http.Header{"Idempotency-Key": {"first"}},
	}
	road.LoseAnswersTo("Once", "commit")
	if a := s.Send(create); a.Code() != api.CodeInternalError {
		t.Errorf("a commit without an answer: %d %s", a.Status, a.Body)
	}
	road.LoseAnswersTo()
	if a := s.Send(create); a.Code() != api.CodeIdempotencyKeyInUse {
		t.Errorf("the same request again: %d %s", a.Status, a.Body)
	}
	if n := s.Count("room WHERE name = 'Once'"); n != 1 {
		t.Errorf("there are %d rooms, want 1", n)
	}
}
