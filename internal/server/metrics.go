package server

import (
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are what an operator watches. The embedded media server has its own
// in its process; /metrics shows both.
type metrics struct {
	registry    *prometheus.Registry
	requests    *prometheus.CounterVec
	duration    *prometheus.HistogramVec
	connections prometheus.Gauge
	webhooks    *prometheus.HistogramVec
	restarts    prometheus.Counter
}

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "conclave_http_requests_total", Help: "Requests, by route and status.",
		}, []string{"method", "route", "status"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "conclave_http_request_duration_seconds", Help: "How long requests took, by route.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10},
		}, []string{"method", "route"}),
		connections: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "conclave_gate_connections", Help: "Open signalling connections at the gate.",
		}),
	}
	m.webhooks = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "conclave_webhook_attempt_duration_seconds", Help: "How long attempts to deliver webhooks took, by outcome.",
		Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
	}, []string{"outcome"})
	m.restarts = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "conclave_media_restarts_total", Help: "How often the embedded media server ended by itself, or hung, and was started again.",
	})
	m.registry.MustRegister(m.requests, m.duration, m.connections, m.webhooks, m.restarts)
	return m
}

// countRelays shows how many allocations the TURN server has.
func (m *metrics) countRelays(allocations func() int) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "conclave_turn_allocations", Help: "Allocations of the TURN server: devices' ways to the media server through it.",
	}, func() float64 { return float64(allocations()) }))
}

// request counts one request of the edge.
func (m *metrics) request(method, route string, status int, took time.Duration) {
	m.requests.WithLabelValues(method, route, strconv.Itoa(status)).Inc()
	m.duration.WithLabelValues(method, route).Observe(took.Seconds())
}

// attempted counts an attempt to deliver a webhook.
func (m *metrics) attempted(outcome string, took time.Duration) {
	if outcome == "" {
		outcome = "succeeded"
	}
	m.webhooks.WithLabelValues(outcome).Observe(took.Seconds())
}

func (s *Server) metricsHandler() http.Handler {
	mux := http.NewServeMux()
	all := prometheus.Gatherers{s.metrics.registry, prometheus.DefaultGatherer}
	if s.embedded != nil {
		all = append(all, s.embedded)
	}
	// The other metrics are shown even if the media server has none.
	mux.Handle("GET /metrics", promhttp.HandlerFor(all, promhttp.HandlerOpts{
		ErrorHandling: promhttp.ContinueOnError, ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
	}))
	return mux
}
