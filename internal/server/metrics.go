package server

import (
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/live"
)

// metrics are what an operator watches (docs/reference/metrics.md). The embedded
// media server has its own in its process; /metrics shows both.
type metrics struct {
	registry *prometheus.Registry
	families []family

	requests     *prometheus.CounterVec
	duration     *prometheus.HistogramVec
	connections  prometheus.Gauge
	joins        *prometheus.HistogramVec
	refusals     *prometheus.CounterVec
	comparisons  prometheus.Observer
	uncompared   prometheus.Counter
	webhooks     *prometheus.HistogramVec
	restarts     prometheus.Counter
	transactions *prometheus.HistogramVec
	repeats      prometheus.Counter
	failures     *prometheus.CounterVec
}

// family is what is known of a metric before it has a value.
type family struct {
	name, help, kind string
	labels           []string
}

func newMetrics() *metrics {
	m := &metrics{registry: prometheus.NewRegistry()}
	m.requests = m.counters("conclave_http_requests_total", "Requests, by route and status.", "method", "route", "status")
	m.duration = m.histograms("conclave_http_request_duration_seconds", "How long requests took, by route.",
		[]float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10}, "method", "route")
	m.connections = m.gauge("conclave_gate_connections", "Open signalling connections at this node's gate.")
	m.joins = m.histograms("conclave_join_duration_seconds", "How long a connection waited at the gate until it was let through, refused, or failed, by outcome.",
		[]float64{.005, .01, .025, .05, .1, .25, .5, 1, 2, 5, 10, 20}, "outcome")
	m.refusals = m.counters("conclave_join_refusals_total", "Connections that were refused at the gate, by the code of the refusal.", "code")
	m.comparisons = m.histograms("conclave_comparison_lag_seconds", "How long after the first reason for it a meeting had been compared with the media server.",
		[]float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}).WithLabelValues()
	m.uncompared = m.counters("conclave_comparison_failures_total", "Comparisons of a meeting with the media server that failed.").WithLabelValues()
	m.webhooks = m.histograms("conclave_webhook_attempt_duration_seconds", "How long attempts to deliver webhooks took, by outcome.",
		[]float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}, "outcome")
	m.restarts = m.counters("conclave_media_restarts_total", "How often the embedded media server ended by itself, or hung, and was started again.").WithLabelValues()
	m.transactions = m.histograms("conclave_database_transaction_duration_seconds", "How long transactions took, with repetitions, by kind: read or write.",
		[]float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 5, 20}, "kind")
	m.repeats = m.counters("conclave_database_repetitions_total", "How often a transaction ran again because another one was in the way.").WithLabelValues()
	m.failures = m.counters("conclave_database_errors_total", "Transactions that failed because of the database, by class: unavailable, unknown_outcome, conflict, statement.", "class")
	return m
}

func (m *metrics) counters(name, help string, labels ...string) *prometheus.CounterVec {
	v := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	m.add(v, family{name, help, "counter", labels})
	return v
}

func (m *metrics) histograms(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	v := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, labels)
	m.add(v, family{name, help, "histogram", labels})
	return v
}

func (m *metrics) gauge(name, help string) prometheus.Gauge {
	v := prometheus.NewGauge(prometheus.GaugeOpts{Name: name, Help: help})
	m.add(v, family{name, help, "gauge", nil})
	return v
}

// ask adds a gauge whose value is asked for at every scrape.
func (m *metrics) ask(name, help string, value func() float64) {
	m.add(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value), family{name, help, "gauge", nil})
}

func (m *metrics) add(c prometheus.Collector, f family) {
	m.registry.MustRegister(c)
	m.families = append(m.families, f)
}

// countRelays shows how many allocations the TURN server has.
func (m *metrics) countRelays(allocations func() int) {
	m.ask("conclave_turn_allocations", "Allocations of the TURN server: devices' ways to the media server through it.", func() float64 { return float64(allocations()) })
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

// transacted counts a transaction.
func (m *metrics) transacted(t db.Transaction) {
	kind := "read"
	if t.Writes {
		kind = "write"
	}
	m.transactions.WithLabelValues(kind).Observe(t.Took.Seconds())
	m.repeats.Add(float64(t.Tries - 1))
	if t.Failed != db.NoFailure {
		m.failures.WithLabelValues(string(t.Failed)).Inc()
	}
}

// compared counts a comparison of a meeting with the media server.
func (m *metrics) compared(c live.Compared) {
	m.comparisons.Observe(c.After.Seconds())
	if c.Failed {
		m.uncompared.Inc()
	}
}

// metricsHandler answers at --metrics-listen. Balancers ask there, too, whether the
// service takes requests: without TLS, also while it has no certificate yet.
func (s *Server) metricsHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", s.alive)
	mux.HandleFunc("GET /readyz", s.ready)
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
