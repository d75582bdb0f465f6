// Package livekit is the media server that ships: LiveKit, either running
// inside this process (Embed) or somewhere else (Connect). Both give a *Server,
// which speaks LiveKit's room API over HTTP; embedding only adds the life of
// the process around it.
//
// # Embedded
//
// Embed starts LiveKit on a loopback port that only this process knows. People
// reach it through package gate and nothing else: its room API, its WHIP and
// agent endpoints must never be exposed. Sound and pictures do not pass the
// gate; they arrive on one UDP port (and one TCP port for networks that block
// UDP), encrypted before they left the device.
//
// Three things of LiveKit belong to the whole process and cannot be had twice:
// its logger, its Prometheus metrics (on the default registry, named
// livekit_*), and its answer to a panic of its own workers, which is to exit.
// Stopping is bounded but not spotless: some fifty goroutines stay, which
// matters to tests and to nobody else.
//
// # What a room is
//
// Rooms are made by us, never by whoever connects, and are closed by us. A
// room outlives its last person by a minute (DepartureTimeout), for a reason:
// while the room is there with the same generation, an empty list of
// participants means that everybody left. A room that is missing, or has
// another generation, means that the media server lost it, and people are
// about to come back.
//
//	EnsureRoom ──► empty ──► people ──► empty ──► gone (DepartureTimeout)
//	                 │          ▲         │
//	                 │          └─────────┘
//	                 └──► gone (EmptyTimeout)            CloseRoom: gone at once
//
// The generation is LiveKit's room sid.
//
// # Hints
//
// LiveKit posts webhooks from memory and loses them when it must. They are
// checked, translated to hints and dropped, oldest first, when nobody reads
// them: whoever listens looks at the lists anyway.
package livekit
