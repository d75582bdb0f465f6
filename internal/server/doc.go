// Package server puts the service together: wire.go builds every feature and
// connects them on one page, http.go lays out the paths, server.go starts and
// stops everything.
//
//	/api/v1    the API, for keys
//	/meet/v1   the meeting protocol, for people's devices with tickets
//	/rtc       signalling, through the gate to the media server
//	/docs      the API reference
//	/healthz /readyz /metrics
//	/  /{code} /assets/...   the meeting interface
//	/.well-known/conclave-assets.json   the digests of its files
package server
