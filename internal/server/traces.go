package server

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/conclave-rooms/conclave/internal/config"
	"github.com/conclave-rooms/conclave/internal/rest"
)

// traces sends traces of requests, and of people who join, to a collector. A span
// names the route, the status and the code of a refusal, and nothing that a caller
// sent: no path, no name, no token. Package db adds a span for each transaction.
type traces struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
}

// lastExport bounds the last export when the service stops.
const lastExport = 2 * time.Second

// startTraces connects to the collector. It returns nil if none is configured; the
// methods of nil do nothing.
func (s *Server) startTraces(ctx context.Context, c config.Traces, version string) (*traces, error) {
	if c.OTLPEndpoint == "" {
		return nil, nil //nolint:nilnil // traces are off
	}
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(strings.TrimSuffix(c.OTLPEndpoint, "/")+"/v1/traces"))
	if err != nil {
		return nil, fmt.Errorf("send traces to --otlp-endpoint: %w", err)
	}
	// Otherwise the library writes to standard error by itself.
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { s.log.WarnContext(ctx, "traces could not be sent", "error", err) }))
	t := newTraces(exporter, c.TraceShare, version)
	s.closers = append(s.closers, func() error {
		ctx, cancel := context.WithTimeout(context.Background(), lastExport)
		defer cancel()
		return t.provider.Shutdown(ctx)
	})
	return t, nil
}

func newTraces(exporter sdk.SpanExporter, share float64, version string) *traces {
	provider := sdk.NewTracerProvider(
		sdk.WithBatcher(exporter), sdk.WithSampler(sdk.TraceIDRatioBased(share)),
		sdk.WithResource(resource.NewSchemaless(attribute.String("service.name", "conclave"), attribute.String("service.version", version))),
	)
	return &traces{provider: provider, tracer: provider.Tracer("conclave")}
}

// wrap traces the requests of a handler. Streams are not traced, because they last for
// hours, and of a WebSocket only the way in: joined ends its span.
func (t *traces) wrap(next http.Handler) http.Handler {
	if t == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !traced(r) {
			next.ServeHTTP(w, r)
			return
		}
		ctx, span := t.tracer.Start(r.Context(), "request", trace.WithSpanKind(trace.SpanKindServer))
		defer span.End()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// traced says whether requests to a path are traced.
func traced(r *http.Request) bool {
	path := r.URL.Path
	if strings.HasSuffix(path, "/events") && strings.HasPrefix(path, "/meet/v1") {
		return false
	}
	for _, prefix := range []string{"/api/v1/", "/meet/v1/", "/account/v1/", "/rtc"} {
		if strings.HasPrefix(path, prefix) {
			return true
		}
	}
	return false
}

// answered describes the span of a request that the edge has answered.
func answered(ctx context.Context, x rest.Observation) {
	span := trace.SpanFromContext(ctx)
	if !span.IsRecording() {
		return
	}
	span.SetName(x.Method + " " + x.Route)
	span.SetAttributes(attribute.String("http.request.method", x.Method), attribute.String("http.route", x.Route), attribute.Int("http.response.status_code", x.Status))
	if x.Status >= http.StatusInternalServerError {
		span.SetStatus(codes.Error, "")
	}
}

// joined ends the span of a request to connect.
func joined(ctx context.Context, outcome string) {
	span := trace.SpanFromContext(ctx)
	if !span.IsRecording() {
		return
	}
	span.SetName("join")
	span.SetAttributes(attribute.String("conclave.outcome", outcome))
	if outcome == "failed" {
		span.SetStatus(codes.Error, "")
	}
	span.End()
}

// refusedWith notes the code of a refusal.
func refusedWith(ctx context.Context, code string) {
	trace.SpanFromContext(ctx).SetAttributes(attribute.String("conclave.refusal", code))
}
