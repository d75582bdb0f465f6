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

func TestTheShareOfTracesIsFromZeroToOne(t *testing.T) {
	t.Parallel()
	for share, good := range map[float64]bool{-0.01: false, 0: true, 0.25: true, 1: true, 1.01: false} {
		for _, endpoint := range []string{"", "http://localhost:4318"} {
			err := (config.Traces{OTLPEndpoint: endpoint, TraceShare: share}).Check()
			if (err == nil) != good {
				t.Errorf("share %v with endpoint %q: %v", share, endpoint, err)
			}
		}
	}
}
