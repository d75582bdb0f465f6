package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// Words that callers invent make no series: otherwise a stranger could fill the
// memory of the service and of what reads its metrics.
func TestWordsOfCallersMakeNoSeries(t *testing.T) {
	t.Parallel()
	h := servertest.Start(t, dbtest.Config(t, db.SQLite), servertest.Options{}).Handler()
	ask := func(method, path string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), method, "http://localhost"+path, http.NoBody)
		r.RemoteAddr = "127.0.0.1:1"
		answer := httptest.NewRecorder()
		h.ServeHTTP(answer, r)
		return answer
	}
	series := func() map[string]bool {
		found := map[string]bool{}
		for line := range strings.SplitSeq(ask(http.MethodGet, "/metrics").Body.String(), "\n") {
			if strings.HasPrefix(line, "conclave_") {
				found[line[:strings.LastIndexByte(line, ' ')]] = true
			}
		}
		return found
	}
	makeUp := func(i int) {
		for _, prefix := range []string{"/api/v1", "/meet/v1", "/account/v1"} {
			ask(fmt.Sprintf("BREW%d", i), fmt.Sprintf("%s/session", prefix))
			ask(fmt.Sprintf("BREW%d", i), fmt.Sprintf("%s/made-up-%d", prefix, i))
			ask(http.MethodGet, fmt.Sprintf("%s/made-up-%d", prefix, i))
			ask(http.MethodGet, fmt.Sprintf("%s/rooms/made-up-%d", prefix, i))
			ask(http.MethodDelete, fmt.Sprintf("%s/people/made-up-%d", prefix, i))
		}
		ask(fmt.Sprintf("BREW%d", i), fmt.Sprintf("/made-up-%d", i))
		ask(http.MethodGet, fmt.Sprintf("/rtc/made-up-%d", i))
	}
	makeUp(0)
	before := series()
	if len(before) == 0 {
		t.Fatal("there are no metrics")
	}
	for i := range 100 {
		makeUp(i + 1)
	}
	for name := range series() {
		if !before[name] {
			t.Errorf("a new series: %s", name)
		}
		if strings.Contains(name, "made-up") || strings.Contains(name, "BREW") {
			t.Errorf("a caller's word: %s", name)
		}
	}
}

// What the metrics say of a meeting: its people, those who wait, and how they came in.
func TestTheMetricsOfAMeeting(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		s := servertest.Start(t, where, servertest.Options{})
		key := s.Key(s.Workspace("acme", "owner@acme.example"), api.Scopes()...)
		post := func(path, bearer, body string, out any) {
			t.Helper()
			a := s.Send(servertest.Request{Method: http.MethodPost, Path: path, Bearer: bearer, Body: body})
			if err := json.Unmarshal(a.Body, out); err != nil || a.Status/100 != 2 {
				t.Fatalf("%s: %d %s", path, a.Status, a.Body)
			}
		}
		var room api.Room
		post("/api/v1/rooms", key, `{"name": "Weekly", "settings": {"admission": "knock"}}`, &room)
		for _, name := range []string{"Ada", "Bob"} {
			var token api.RoomToken
			post("/api/v1/rooms/"+room.ID+"/tokens", key, fmt.Sprintf(`{"name": %q}`, name), &token)
			upstream, _, err := s.Joins.LetThrough(t.Context(), token.Token)
			if err == nil {
				_, err = s.Media.Connect(upstream)
			}
			if err != nil {
				t.Fatal(err)
			}
			s.Settle()
		}
		post("/meet/v1/join", "", fmt.Sprintf(`{"code": %q, "name": "Eve"}`, room.Code), &struct{}{})
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/metrics", http.NoBody)
		r.RemoteAddr = "127.0.0.1:1"
		answer := httptest.NewRecorder()
		s.Handler().ServeHTTP(answer, r)
		for _, line := range []string{
			"conclave_meetings 1", `conclave_people{state="in"} 2`, `conclave_people{state="waiting"} 1`, `conclave_people{state="lost"} 0`, "conclave_recordings 0",
			`conclave_http_requests_total{method="POST",route="/api/v1/rooms",status="201"} 1`, "conclave_draining 0",
		} {
			if !strings.Contains(answer.Body.String(), "\n"+line+"\n") {
				t.Errorf("the metrics do not say %s", line)
			}
		}
		for _, name := range []string{"conclave_database_transaction_duration_seconds_count", "conclave_comparison_lag_seconds_count"} {
			if !regexp.MustCompile(`(?m)^` + name + `(\{[^}]*\})? [1-9]`).MatchString(answer.Body.String()) {
				t.Errorf("%s counted nothing", name)
			}
		}
	})
}

// The metrics of the media server and of the processes that the dashboard shows
// exist.
func TestMetricsOfTheMediaServerAndOfProcessesExist(t *testing.T) {
	t.Parallel()
	dashboard, err := os.ReadFile("../../deploy/grafana/conclave.json")
	if err != nil {
		t.Fatal(err)
	}
	r := start(t)
	room := r.room(t, nil)
	r.hear(t, r.meets(t, room, "Ada", "host"), r.meets(t, room, "Bob", "participant"))
	names := regexp.MustCompile(`\b(?:livekit|process)_[a-z_]+`).FindAllString(string(dashboard), -1)
	if len(names) < 4 {
		t.Fatalf("the dashboard names only %q", names)
	}
	for _, name := range names {
		r.within(t, patience, "there is "+name, func() bool { // LiveKit counts packets once a second
			var metrics strings.Builder
			get(t, r.client, r.url+"/metrics", &metrics)
			text := metrics.String()
			return strings.Contains(text, "\n"+name+"{") || strings.Contains(text, "\n"+name+" ")
		})
	}
	shows(t, r.service.Handler(), `conclave_join_duration_seconds_count{outcome="entered"} 2`, "conclave_gate_connections 2", "conclave_media_up 1",
		"conclave_media_restarts_total 0", `conclave_http_request_duration_seconds_count{method="POST",route="/api/v1/rooms"} 1`)
}
