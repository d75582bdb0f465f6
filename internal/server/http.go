package server

import "net/http"

// root lays out all paths. The edge comes first, because it answers unclean
// paths below its prefixes itself.
func (s *Server) root(withMetrics bool) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", s.alive)
	mux.HandleFunc("GET /readyz", s.ready)
	if withMetrics && !s.config.PassedOnUnread() {
		mux.Handle("/metrics", onlyLocal(s.metricsHandler()))
	} else {
		mux.HandleFunc("/metrics", noPage) // not a page of the interface, which answers 200 for all that may be a room
	}
	mux.Handle("/rtc", s.gate)
	mux.Handle("/rtc/", s.gate)
	if s.hints != nil {
		mux.Handle("POST /livekit/webhook", s.hints)
	}
	mux.Handle("/calendar/", s.feedHandler())
	mux.Handle("/docs", s.reference)
	mux.Handle("/docs/", s.reference)
	mux.Handle("/", s.site)
	return s.traces.wrap(s.edge.Wrap(mux))
}
