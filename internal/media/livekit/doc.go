// Package livekit is the media server that ships: LiveKit, running either in a
// child process (Embed) or somewhere else (Connect). Both give a *Server,
// which speaks LiveKit's room API over HTTP; embedding adds the process and
// its life.
//
// # Embedded
//
// Embed starts this very program again as the media server, on a loopback port
// that only the service knows. People reach it through package gate and nothing
// else: its room API, its WHIP and agent endpoints must never be exposed. Sound
// and pictures do not pass the gate; they arrive on one UDP port (and one TCP
// port for networks that block UDP), encrypted before they left the device.
//
// A packet that makes LiveKit panic ends the process it runs in. That is why it
// has one of its own, which is started again whenever it ends:
//
//	Embed ──► child answers ──────────────────────────► Stop: its input is closed
//	            │        ▲                              and it stops
//	   it ends, │        │ it answers, on the same ports
//	   or hangs │        │
//	            ▼        │
//	          start another one; after a start that failed, wait a little longer
//
// Parent and child speak over pipes (words.go). Every program and every test
// binary that embeds a media server calls RunIfChild before anything else.
// child.go is the child's side, process.go the parent's side of one child,
// and supervise.go what outlives it. The child ends with its parent, however
// that ends.
//
// Three things of LiveKit belong to a whole process and cannot be had twice:
// its logger, its Prometheus metrics (on the default registry, named
// livekit_*), and its answer to a panic of its own workers, which is to exit.
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
