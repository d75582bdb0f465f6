package config

import (
	"errors"
	"net/url"
)

// Traces says where traces of requests go.
type Traces struct {
	OTLPEndpoint string  `name:"otlp-endpoint" help:"OpenTelemetry collector (OTLP over HTTP) that gets traces of requests and of people who join, such as http://localhost:4318; default: none." placeholder:"URL"`
	TraceShare   float64 `help:"Share of the requests and joins that is traced, from 0 to 1." default:"1" placeholder:"SHARE"`
}

// Check refuses what cannot work.
func (t Traces) Check() error {
	if !(t.TraceShare >= 0 && t.TraceShare <= 1) { // refuses NaN, too
		return errors.New("--trace-share must be from 0 to 1")
	}
	if t.OTLPEndpoint == "" {
		return nil
	}
	if u, err := url.Parse(t.OTLPEndpoint); err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.RawQuery != "" {
		return errors.New("--otlp-endpoint must be an address such as http://localhost:4318, without a query") // a query may be a secret
	}
	return nil
}
