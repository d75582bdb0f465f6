package main_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
)

// A collector gets the traces of requests and of people who join, with their
// transactions, and nothing that callers sent. Texts stand in OTLP as they are.
func TestTraces(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		var (
			mu  sync.Mutex
			got bytes.Buffer
		)
		collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil || r.URL.Path != "/v1/traces" {
				t.Errorf("%s: %v", r.URL.Path, err)
			}
			mu.Lock()
			defer mu.Unlock()
			got.Write(body)
		}))
		defer collector.Close()
		_, key := newKey(t, where)
		p := start(t, "serve", where, "--otlp-endpoint", collector.URL)
		var room api.Room
		if status, body := p.call(http.MethodPost, "/api/v1/rooms", key, `{"name": "A secret name"}`); status != http.StatusCreated || json.Unmarshal(body, &room) != nil {
			t.Fatalf("make a room: %d %s", status, body)
		}
		var token api.RoomToken
		if _, body := p.call(http.MethodPost, "/api/v1/rooms/"+room.ID+"/tokens", key, `{"name": "Ada Lovelace"}`); json.Unmarshal(body, &token) != nil {
			t.Fatalf("make a token: %s", body)
		}
		ada := attend(t, p, token)
		soon(t, patience, "Ada is in", func() bool { return ada.back.Load() == 1 })
		ada.goes()
		p.stop()
		mu.Lock()
		defer mu.Unlock()
		for _, text := range []string{"conclave", "POST /api/v1/rooms", "POST /api/v1/rooms/{room_id}/tokens", "join", "entered", "write", "read", string(engineOf(where))} {
			if !bytes.Contains(got.Bytes(), []byte(text)) {
				t.Errorf("the traces do not have %q", text)
			}
		}
		for _, secret := range []string{key, token.Token, token.E2EEPassphrase, "A secret name", "Lovelace", room.ID, room.Code, token.Identity} {
			if bytes.Contains(got.Bytes(), []byte(secret)) {
				t.Errorf("the traces have %q", secret)
			}
		}
	})
}

func engineOf(where db.Config) db.Engine {
	if where.URL != "" {
		return db.PostgreSQL
	}
	return db.SQLite
}
