package server

import (
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/job"
	"github.com/conclave-rooms/conclave/internal/recording"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// census counts what the database holds, when the metrics are read. All nodes count
// the same, so its values must not be added up. While the database does not answer,
// it has no values.
type census struct {
	db       *db.DB
	families []family

	mu   sync.Mutex
	at   time.Time
	last []prometheus.Metric
}

const (
	// censusFor is for how long a census is good enough, so that programs that read
	// the metrics often do not burden the database.
	censusFor = 5 * time.Second
	// censusWithin bounds a census; Prometheus itself waits ten seconds for a page.
	censusWithin = 2 * time.Second
)

// takeCensus adds the census to the metrics.
func (m *metrics) takeCensus(d *db.DB) {
	c := &census{db: d, families: []family{
		{"conclave_meetings", "Meetings that run, in the whole service.", "gauge", nil},
		{"conclave_people", "People's connections in the whole service, by state: in a meeting, lost for a moment, or waiting in front of it.", "gauge", []string{"state"}},
		{"conclave_recordings", "Recordings that are being made, in the whole service.", "gauge", nil},
		{"conclave_jobs_due", "Jobs that are due and not taken yet, in the whole service, by queue.", "gauge", []string{"queue"}},
		{"conclave_jobs_oldest_seconds", "For how long the oldest of these jobs has been due.", "gauge", []string{"queue"}},
	}}
	m.registry.MustRegister(c)
	m.families = append(m.families, c.families...)
}

// describe finds the description of one of the metrics.
func (c *census) describe(name string) *prometheus.Desc {
	for _, f := range c.families {
		if f.name == name {
			return prometheus.NewDesc(f.name, f.help, f.labels, nil)
		}
	}
	panic("no metric is called " + name)
}

// Describe lists what a census counts.
func (c *census) Describe(to chan<- *prometheus.Desc) {
	for _, f := range c.families {
		to <- c.describe(f.name)
	}
}

// Collect counts, unless somebody has just done so.
func (c *census) Collect(to chan<- prometheus.Metric) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := c.db.Now(); now.Sub(c.at).Abs() >= censusFor {
		ctx, cancel := context.WithTimeout(context.Background(), censusWithin)
		defer cancel()
		c.at, c.last = now, nil
		if last, err := c.count(ctx, now); err == nil { // an error is counted where it happens
			c.last = last
		}
	}
	for _, m := range c.last {
		to <- m
	}
}

func (c *census) count(ctx context.Context, now time.Time) (all []prometheus.Metric, err error) {
	gauge := func(name string, value float64, labels ...string) {
		all = append(all, prometheus.MustNewConstMetric(c.describe(name), prometheus.GaugeValue, value, labels...))
	}
	err = c.db.Read(ctx, func(tx *db.Tx) error {
		all = nil
		seats, err := seat.Census(ctx, tx)
		if err != nil {
			return err
		}
		gauge("conclave_meetings", float64(seats.Meetings))
		gauge("conclave_people", float64(seats.In), "in")
		gauge("conclave_people", float64(seats.Lost), "lost")
		gauge("conclave_people", float64(seats.Waiting), "waiting")
		recordings, err := recording.Census(ctx, tx)
		if err != nil {
			return err
		}
		gauge("conclave_recordings", float64(recordings))
		queues, err := job.Census(ctx, tx, now)
		if err != nil {
			return err
		}
		for _, q := range queues {
			gauge("conclave_jobs_due", float64(q.Jobs), q.Queue)
			gauge("conclave_jobs_oldest_seconds", now.Sub(q.Oldest).Seconds(), q.Queue)
		}
		return nil
	})
	return all, err
}
