package server_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/config"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/media/fake"
	"github.com/conclave-rooms/conclave/internal/server"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// metricsOf are the values of the metrics, by their series.
func metricsOf(t *testing.T, h http.Handler) map[string]float64 {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/metrics", http.NoBody)
	r.RemoteAddr = "127.0.0.1:1"
	answer := httptest.NewRecorder()
	h.ServeHTTP(answer, r)
	values := map[string]float64{}
	for line := range strings.SplitSeq(answer.Body.String(), "\n") {
		series, value := cutLast(line)
		if v, err := strconv.ParseFloat(value, 64); err == nil && !strings.HasPrefix(line, "#") {
			values[series] = v
		}
	}
	return values
}

// cutLast cuts a line at its last space.
func cutLast(line string) (before, after string) {
	i := strings.LastIndexByte(line, ' ')
	return line[:max(i, 0)], line[i+1:]
}

// shows checks what the metrics say: "name 1", or "no name" for one without a value.
func shows(t *testing.T, h http.Handler, lines ...string) {
	t.Helper()
	values := metricsOf(t, h)
	for _, line := range lines {
		if name, none := strings.CutPrefix(line, "no "); none {
			if value, ok := values[name]; ok {
				t.Errorf("%s is %v, want no value", name, value)
			}
			continue
		}
		series, value := cutLast(line)
		want, err := strconv.ParseFloat(value, 64)
		if got, ok := values[series]; err != nil || !ok || got != want {
			t.Errorf("%s is %v (there: %v), want %s", series, got, ok, value)
		}
	}
}

// counted is a service with a room, whose metrics a test reads. The census is taken
// again when five seconds have passed.
type counted struct {
	*servertest.Service
	t    *testing.T
	key  string
	room api.Room
}

func newCounted(t *testing.T, where db.Config) *counted {
	t.Helper()
	c := &counted{Service: servertest.Start(t, where, servertest.Options{AllowPrivate: true}), t: t}
	c.key = c.Key(c.Workspace("acme", "owner@acme.example"), api.Scopes()...)
	c.post("/api/v1/rooms", `{"name": "Weekly"}`, &c.room)
	return c
}

func (c *counted) post(path, body string, out any) {
	c.t.Helper()
	a := c.Send(servertest.Request{Method: http.MethodPost, Path: path, Bearer: c.key, Body: body})
	if err := json.Unmarshal(a.Body, out); err != nil || a.Status/100 != 2 {
		c.t.Fatalf("%s: %d %s", path, a.Status, a.Body)
	}
}

// enters lets somebody in, and returns their identity.
func (c *counted) enters(name string) string {
	c.t.Helper()
	var token api.RoomToken
	c.post("/api/v1/rooms/"+c.room.ID+"/tokens", fmt.Sprintf(`{"name": %q}`, name), &token)
	upstream, held, err := c.Joins.LetThrough(c.t.Context(), token.Token)
	if err == nil {
		_, err = c.Media.Connect(upstream)
	}
	if err != nil {
		c.t.Fatal(err)
	}
	c.Settle()
	return held.Identity
}

func (c *counted) shows(lines ...string) {
	c.t.Helper()
	shows(c.t, c.Handler(), lines...)
}

// The numbers of meetings and people change as people come and go.
func TestTheMetricsFollowAMeeting(t *testing.T) {
	t.Parallel()
	c := newCounted(t, dbtest.Config(t, db.SQLite))
	c.shows("conclave_meetings 0", `conclave_people{state="in"} 0`, `conclave_people{state="lost"} 0`, `conclave_build_info{version="test"} 1`)
	ada, bob := c.enters("Ada"), c.enters("Bob")
	c.Pass(time.Minute)
	c.shows("conclave_meetings 1", `conclave_people{state="in"} 2`, `conclave_people{state="lost"} 0`)
	if err := c.Media.Vanish(c.room.ID, ada); err != nil {
		t.Fatal(err)
	}
	c.Settle()
	c.shows(`conclave_people{state="in"} 2`) // the last census is kept for a moment
	c.Advance(5 * time.Second)
	c.shows("conclave_meetings 1", `conclave_people{state="in"} 1`, `conclave_people{state="lost"} 1`)
	if err := c.Media.Leave(c.room.ID, bob); err != nil {
		t.Fatal(err)
	}
	c.Settle()
	c.Advance(10 * time.Second)
	c.shows("conclave_meetings 0", `conclave_people{state="in"} 0`, `conclave_people{state="lost"} 0`)
}

// A recording counts from its beginning to its end.
func TestTheMetricOfRecordings(t *testing.T) {
	t.Parallel()
	c := newCounted(t, dbtest.Config(t, db.SQLite))
	c.shows("conclave_recordings 0")
	recording := c.Record(c.key, c.room.ID)
	c.Pass(5 * time.Second)
	c.shows("conclave_recordings 1")
	for _, r := range []servertest.Request{
		recording.Part(0, strings.Repeat("x", 100)),
		{Method: http.MethodPost, Path: "/meet/v1/recordings/" + recording.ID + "/finish", Bearer: recording.Secret, Body: `{"parts": 1}`},
	} {
		if a := c.Send(r); a.Status/100 != 2 {
			t.Fatalf("%s: %d %s", r.Path, a.Status, a.Body)
		}
	}
	c.Pass(5 * time.Second)
	c.shows("conclave_recordings 0")
	deleted := c.Record(c.key, c.room.ID)
	if a := c.Send(servertest.Request{Method: http.MethodDelete, Path: "/api/v1/recordings/" + deleted.ID, Bearer: c.key}); a.Status/100 != 2 {
		t.Fatalf("delete the recording: %d %s", a.Status, a.Body)
	}
	c.Pass(5 * time.Second)
	c.shows("conclave_recordings 0")
}

// Jobs are counted while they are due and nobody has taken them: not one that was
// done, and not one that waits for its next attempt.
func TestTheMetricsOfAQueue(t *testing.T) {
	t.Parallel()
	c := newCounted(t, dbtest.Config(t, db.SQLite))
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }))
	defer shop.Close()
	c.post("/api/v1/webhooks", fmt.Sprintf(`{"url": %q, "events": ["room.created"]}`, shop.URL), &struct{}{})
	const due, oldest = `conclave_jobs_due{queue="webhook"}`, `conclave_jobs_oldest_seconds{queue="webhook"}`
	c.shows("no "+due, "no "+oldest)
	c.post("/api/v1/rooms", `{"name": "First"}`, &struct{}{})
	c.Pass(7 * time.Second)
	c.shows(due+" 1", oldest+" 7")
	c.post("/api/v1/rooms", `{"name": "Second"}`, &struct{}{})
	c.Pass(5 * time.Second)
	c.shows(due+" 2", oldest+" 12")

	c.Settle() // both are attempted, and fail
	c.Pass(5 * time.Second)
	c.shows("no "+due, "no "+oldest, `conclave_webhook_attempt_duration_seconds_count{outcome="http_error"} 2`)
	c.Pass(time.Minute)
	c.shows(due + " 2") // their next attempt is due
}

// A job that is being done is not due; those that wait for it are.
func TestTheMetricsOfABusyQueue(t *testing.T) {
	t.Parallel()
	c := newCounted(t, dbtest.Config(t, db.SQLite))
	const atOnce, waiting = 4, 3 // deliveries to one endpoint
	asked, answer := make(chan struct{}, atOnce+waiting), make(chan struct{})
	shop := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		asked <- struct{}{}
		<-answer
	}))
	defer shop.Close()
	c.post("/api/v1/webhooks", fmt.Sprintf(`{"url": %q, "events": ["room.created"]}`, shop.URL), &struct{}{})
	for i := range atOnce + waiting {
		c.post("/api/v1/rooms", fmt.Sprintf(`{"name": "Room %d"}`, i), &struct{}{})
	}
	c.Pass(9 * time.Second)
	settled := make(chan error, 1)
	go func() { settled <- c.Webhooks.Jobs.Settle(t.Context()) }()
	for range atOnce {
		<-asked
	}
	c.shows(fmt.Sprintf(`conclave_jobs_due{queue="webhook"} %d`, waiting), `conclave_jobs_oldest_seconds{queue="webhook"} 9`)
	close(answer)
	if err := <-settled; err != nil {
		t.Fatal(err)
	}
	c.Pass(5 * time.Second)
	c.shows(`no conclave_jobs_due{queue="webhook"}`, fmt.Sprintf(`conclave_webhook_attempt_duration_seconds_count{outcome="succeeded"} %d`, atOnce+waiting))
}

// The metric of the certificate is the time when the one that is served expires.
func TestTheMetricOfTheCertificate(t *testing.T) {
	t.Parallel()
	cert, key, trust := certify(t)
	r := startAs(t, server.Options{Media: fake.New(time.Now)}, func(c *config.Serve) {
		c.PublicURL = strings.Replace(c.PublicURL, "http:", "https:", 1)
		c.TLSCert, c.TLSKey, c.TURNTLS = cert, key, "off"
	})
	r.client = trusting(trust)
	res := get(t, r.client, r.url+"/healthz", &strings.Builder{})
	shows(t, r.service.Handler(), fmt.Sprint("conclave_certificate_expiry_timestamp_seconds ", res.TLS.PeerCertificates[0].NotAfter.Unix()))
	r.token(t, r.room(t, nil), "Ada", "participant") // secrets that the log must not have
}

// Errors of the database are counted by class, and repetitions too. Refusals are no
// errors of the database.
func TestTheMetricsOfDatabaseErrors(t *testing.T) {
	t.Parallel()
	wire, where := dbtest.NewWire(t)
	s := servertest.Start(t, where, servertest.Options{})
	write := func(statement string) error {
		return s.DB().WriteLoosely(t.Context(), func(tx *db.Tx) error {
			_, err := tx.Exec(t.Context(), statement)
			return err
		})
	}
	raise := func(code string) error {
		return write("DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '" + code + "'; END $$")
	}
	const class = "conclave_database_errors_total"
	for _, step := range []struct {
		name string
		do   func() error
		then []string
	}{
		{"a refusal", func() error {
			return s.DB().Write(t.Context(), func(*db.Tx) error { return errors.New("refused") })
		}, []string{`no ` + class + `{class="statement"}`, `no ` + class + `{class="unavailable"}`, `no ` + class + `{class="conflict"}`, "conclave_database_repetitions_total 0"}},
		{"a wrong statement", func() error { return write("SELECT nothing FROM nowhere") }, []string{class + `{class="statement"} 1`}},
		{"a full disk", func() error { return raise("53100") }, []string{class + `{class="unavailable"} 1`}},
		{"a conflict, each time", func() error { return raise("40001") }, []string{class + `{class="conflict"} 1`, "conclave_database_repetitions_total 11"}},
		{"a network that breaks during the commit", func() error {
			go func() {
				<-wire.Held
				wire.Cut()
			}()
			return s.DB().Write(t.Context(), func(tx *db.Tx) error {
				wire.HoldNextCommit()
				_, err := tx.Exec(t.Context(), "UPDATE published SET value = value")
				return err
			})
		}, []string{class + `{class="unknown_outcome"} 1`, class + `{class="statement"} 1`}},
	} {
		if err := step.do(); err == nil {
			t.Fatalf("%s: no error", step.name)
		}
		shows(t, s.Handler(), step.then...)
	}
}
