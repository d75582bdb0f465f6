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

// gatherTimeout bounds the request for metrics; Prometheus itself waits ten
// seconds for a page.
const gatherTimeout = 2 * time.Second

// label marks metrics with the process they belong to.
func label(family *dto.MetricFamily) {
	for _, metric := range family.Metric {
		metric.Label = append(metric.Label, &dto.LabelPair{Name: proto.String("process"), Value: proto.String("media")})
	}
}

// Gather asks the child for its metrics. It makes an Embedded a
// prometheus.Gatherer. It returns none while the child is down.
func (e *Embedded) Gather() ([]*dto.MetricFamily, error) {
	families, err := e.gather(context.Background())
	var out []*dto.MetricFamily
	for _, name := range slices.Sorted(maps.Keys(families)) {
		out = append(out, families[name])
	}
	return out, err
}

// gather asks the child, and sorts the answer by names.
func (e *Embedded) gather(ctx context.Context) (map[string]*dto.MetricFamily, error) {
	c := e.running()
	if c == nil {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, gatherTimeout)
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
	return families, nil
}

// People is the number of people whose sound and pictures the media server
// forwards; 0 while it does not answer.
func (e *Embedded) People(ctx context.Context) int {
	families, err := e.gather(ctx)
	if err != nil {
		return 0
	}
	sum := 0.0
	for _, m := range families["livekit_participant_total"].GetMetric() {
		sum += m.GetGauge().GetValue()
	}
	return int(sum)
}
