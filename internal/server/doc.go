// Package server puts the service together: wire.go builds every feature and
// connects them on one page, http.go lays out the paths, server.go starts and
// stops everything.
//
//	/api/v1      the API, for keys
//	/account/v1  signing in, and what people do with their own account
//	/meet/v1     the meeting protocol, for people's devices with tickets
//	/rtc         signalling, through the gate to the media server
//	/calendar/   feeds, for calendar programs
//	/docs        the API reference
//	/livekit/webhook  what the media server says has changed
//	/healthz /readyz /metrics
//	/  /{code} /assets/...   the meeting interface
//	/.well-known/conclave-assets.json   the digests of its files
package server
