package config_test

import (
	"strings"
	"testing"

	"github.com/conclave-rooms/conclave/internal/config"
)

// The refusal does not repeat the address, because what does not belong there may
// be a secret.
func TestAnEndpointOfTracesIsAnAddressWithoutAQuery(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "http://localhost:4318", "https://collector.example.com/otlp"} {
		if err := (config.Traces{OTLPEndpoint: text, TraceShare: 1}).Check(); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, text := range []string{"localhost:4318", "grpc://secret", "https://", "https://collector.example.com?key=secret", "https://ada:sec%ret@collector.example.com:port"} {
		err := (config.Traces{OTLPEndpoint: text, TraceShare: 1}).Check()
		if err == nil || !strings.Contains(err.Error(), "--otlp-endpoint") || strings.Contains(err.Error(), "sec") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
