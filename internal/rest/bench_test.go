package rest

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/rest/limit"
)

// BenchmarkEdge compares the edge with a handler that checks nothing: it
// decodes with encoding/json and answers.
func BenchmarkEdge(b *testing.B) {
	const body = `{"name": "Notes", "note": "abc", "paper": {"size": "a5", "ruled": true}, "count": 3}`
	bare := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in padCreate
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		p := aPad()
		p.Name = in.Name
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(p)
	})
	edge := New(Config{Logger: slog.New(slog.DiscardHandler), Now: time.Now, PublicURL: "https://meet.example.com", Limits: Limits{Off: true}})
	Handle(edge.Group("/api/v1", authenticatePads), Op{ID: "createPad", Method: "POST", Path: "/pads", Status: 201},
		func(_ context.Context, in *struct{ Body padCreate }) (pad, error) {
			p := aPad()
			p.Name = in.Body.Name
			return p, nil
		})
	limited := New(Config{Logger: slog.New(slog.DiscardHandler), Now: time.Now, PublicURL: "https://meet.example.com", Limits: Limits{Classes: map[string]Class{
		ClassRequests: {Quota: limit.Quota{Count: 1 << 60, Window: time.Second}, Per: PerCaller, What: "requests"},
	}}})
	Handle(limited.Group("/api/v1", authenticatePads), Op{ID: "createPad", Method: "POST", Path: "/pads", Status: 201},
		func(_ context.Context, in *struct{ Body padCreate }) (pad, error) { return aPad(), nil })
	for _, c := range []struct {
		name    string
		handler http.Handler
	}{{"bare", bare}, {"edge", edge}, {"edge with limits", limited}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r := httptest.NewRequestWithContext(b.Context(), "POST", "/api/v1/pads", strings.NewReader(body))
				r.Header.Set("Authorization", "Bearer all")
				r.Header.Set("Content-Type", "application/json")
				rec := httptest.NewRecorder()
				c.handler.ServeHTTP(rec, r)
				if rec.Code != http.StatusCreated {
					b.Fatal(rec.Code, rec.Body)
				}
			}
		})
	}
}
