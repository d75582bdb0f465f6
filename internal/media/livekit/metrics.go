package livekit

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"google.golang.org/protobuf/proto"
)

// askTimeout bounds a question to the child; Prometheus itself waits ten seconds
// for a page.
const askTimeout = 2 * time.Second

// label marks metrics with the process they belong to.
func label(family *dto.MetricFamily) {
	for _, metric := range family.Metric {
		metric.Label = append(metric.Label, &dto.LabelPair{Name: proto.String("process"), Value: proto.String("media")})
	}
}

// Gather asks the child for its metrics. It makes an Embedded a
// prometheus.Gatherer. It returns none while the child is down.
func (e *Embedded) Gather() ([]*dto.MetricFamily, error) {
	c := e.running()
	if c == nil {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), askTimeout)
	defer cancel()
	text, err := c.metrics(ctx)
	if errors.Is(err, errEnded) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("ask the media server for metrics: %w", err)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("read the media server's metrics: %w", err)
	}
	var out []*dto.MetricFamily
	for _, name := range slices.Sorted(maps.Keys(families)) {
		out = append(out, families[name])
	}
	return out, nil
}

// People is the number of people in the rooms of the media server; 0 while it does not
// answer. LiveKit's own gauge of them is not used: it goes on counting people whose room
// Redis lost while they were in it, and a node that drains would wait for them.
func (e *Embedded) People(ctx context.Context) int {
	c := e.running()
	if c == nil {
		return 0
	}
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	people, err := c.people(ctx)
	if err != nil {
		return 0
	}
	return people
}
