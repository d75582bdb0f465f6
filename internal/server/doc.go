// Package server puts the service together: wire.go builds every feature and
// every reaction between features on one page, http.go lays out the one
// address, server.go starts and stops it all.
//
//	/api/v1    the API, for keys
//	/meet/v1   what people's devices ask, with tickets
//	/rtc       signalling, through the gate to the media server
//	/docs      the API reference
//	/healthz /readyz /metrics
//	/  /{code} /assets/...   the meeting interface
package server
