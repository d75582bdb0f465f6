package server

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"
)

// measure adds the metrics that other parts are asked for.
func (s *Server) measure(version string) {
	m := s.metrics
	m.takeCensus(s.db)
	m.ask("conclave_streams", "Open streams of events that devices follow at this node.", func() float64 { return float64(s.Stream.Open()) })
	m.ask("conclave_clock_skew_seconds", "By how much this machine's clock is ahead of the database's, if that is more than 2.5 seconds; otherwise 0.",
		func() float64 { return s.db.Skew().Seconds() })
	m.ask("conclave_draining", "1 while this node takes no new people: it stops, an operator drains it, or its clock is wrong.", func() float64 {
		return number(s.stopping.Load() || s.drainReason() != "")
	})
	for part, help := range map[string]string{
		"database": "1 while the service can write to the database and to the data directory, as /readyz says.",
		"media":    "1 while the media server takes people, as /readyz says; 0 also while its Redis does not answer.",
		"jobs":     "1 while the background work goes on, as /readyz says.",
	} {
		m.ask("conclave_"+part+"_ready", help, func() float64 { return number(s.check(context.Background()).Parts[part] == isOK) })
	}
	if s.embedded != nil {
		m.ask("conclave_media_up", "1 while the embedded media server answers, 0 while it is being started again.", func() float64 { return number(s.embedded.Process() != 0) })
	}
	if s.config.EndsTLS() {
		m.ask("conclave_certificate_expiry_timestamp_seconds", "When the certificate that was last presented expires, in seconds since 1970; 0 before the first one.",
			func() float64 { return float64(s.certificateExpiry.Load()) })
	}
	info := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "conclave_build_info", Help: "1, with the version of this node."}, []string{"version"})
	info.WithLabelValues(version).Set(1)
	m.add(info, family{"conclave_build_info", "1, with the version of this node.", "gauge", []string{"version"}})
}

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
