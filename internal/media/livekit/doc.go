// Package livekit is the media server that ships: LiveKit, either in a child
// process (Embed) or run by somebody else (Connect). Both give a *Server, which
// calls LiveKit's room API over HTTP; Embed also manages the process.
//
// # Embedded
//
// Embed starts this same program again as the media server, on a loopback port
// that only the service knows. Clients reach it only through package gate: its
// room API, its WHIP and agent endpoints must never be exposed. Sound and
// pictures do not pass the gate. They arrive on one UDP port (and one TCP port
// for networks that block UDP), encrypted on the sender's device.
//
// A packet that makes LiveKit panic ends the process it runs in. So LiveKit has
// a process of its own, which is started again whenever it ends:
//
//	Embed ──► child answers ──────────────────────────► Stop: its input is closed
//	            │        ▲                              and it stops
//	   it ends, │        │ it answers, on the same ports
//	   or hangs │        │
//	            ▼        │
//	          start another one; after a start that failed, wait a little longer
//
// Parent and child speak over pipes (words.go). Every program and every test
// binary that embeds a media server calls RunIfChild first. child.go is the
// child's side, process.go the parent's side of one child, and supervise.go
// starts one child after another. The child always ends with its parent.
//
// LiveKit has three things once in each process: its logger, its Prometheus
// metrics (in the default registry, named livekit_*), and its reaction to a
// panic of its own workers, which is to exit.
//
// People in a meeting can make LiveKit log as many lines as they like, so lines
// with one text are written only a few times in a second (repeats.go).
//
// # Rooms
//
// The service makes and closes rooms; clients cannot. A connection makes its room if
// that is missing and the token says so (MakesRoom); such tokens never reach clients. A
// room stays for a minute after its last person left (DepartureTimeout), for a reason:
// while the room is there with the same generation, an empty list of participants means
// that everybody left. If the room is missing or has another generation, the media
// server lost it, and people are about to come back.
//
//	               MakesRoom ──┐
//	EnsureRoom ──► empty ──► people ──► empty ──► gone (DepartureTimeout)
//	                 │          ▲         │
//	                 │          └─────────┘
//	                 └──► gone (EmptyTimeout)            CloseRoom: gone at once
//
// The generation is LiveKit's room sid.
//
// In a cluster, Redis says which node holds a room. Each node compares the rooms
// that it holds with Redis (cluster.go):
//
//	Redis says    nothing          this node       another node
//	what happens  it claims the    it stays        it closes the room here, and
//	              room again                       its people connect again
//
// People who are in a meeting need Redis only for signalling, which waits while
// Redis does not answer. A node whose entry in Redis grows old is dead to the others:
// Hooks.Lost tells the service which rooms it had.
//
// # Hints
//
// LiveKit posts webhooks from memory and can lose them. Each one is checked and
// translated to a hint. When nobody reads the hints, the oldest are dropped: a
// reader looks at the lists in any case.
package livekit
