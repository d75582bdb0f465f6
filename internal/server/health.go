package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"
)

// health is the state of one part of the service: "ok", or what is wrong.
type health struct {
	Status string            `json:"status"`
	Parts  map[string]string `json:"parts,omitempty"`
}

// alive answers /healthz: the process runs and serves.
func (s *Server) alive(w http.ResponseWriter, _ *http.Request) {
	writeHealth(w, http.StatusOK, health{Status: "ok"})
}

// readyTimeout bounds the checks of /readyz.
const readyTimeout = 2 * time.Second

// ready answers /readyz: the database, the media server and the background work
// answer, and the service is not stopping. Details of a failure go to the log
// and not to the caller.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), readyTimeout)
	defer cancel()
	h, status := health{Status: "ok", Parts: map[string]string{}}, http.StatusOK
	media := func(ctx context.Context) error { return errors.Join(s.claimed.Held(), s.media.Ready(ctx)) }
	jobs := func(ctx context.Context) error { return errors.Join(s.Live.Ready(ctx), s.Webhooks.Jobs.Ready(ctx)) }
	for name, ask := range map[string]func(context.Context) error{"database": s.db.Ping, "media": media, "jobs": jobs} {
		h.Parts[name] = "ok"
		if err := ask(ctx); err != nil {
			h.Status, h.Parts[name], status = "unavailable", "unavailable", http.StatusServiceUnavailable
			s.log.WarnContext(ctx, "not ready", "part", name, "error", err)
		}
	}
	if s.draining.Load() {
		h.Status, status = "stopping", http.StatusServiceUnavailable
	}
	writeHealth(w, status, h)
}

func writeHealth(w http.ResponseWriter, status int, h health) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(h) // the client may be gone
}
