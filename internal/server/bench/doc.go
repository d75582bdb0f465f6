// Package bench measures the service. `make bench` runs it, on both databases:
//
//   - BenchmarkAPI: requests a second and how long they take, over HTTP on
//     loopback, beside a handler that does the same SQL and nothing else. Both
//     take turns in one run, so that other load on the machine affects both;
//     "x-floor" is the share of the bare handler's rate that the service reaches.
//   - BenchmarkGrowth: the same questions to a small service and to one that holds
//     a hundred or a thousand times as much, in turns; it fails when the large one
//     takes much longer.
//   - BenchmarkFanOut: from a change of a room's settings until the last device
//     that follows the meeting has it.
//   - BenchmarkSync: one comparison of a meeting with the media server.
//   - BenchmarkJoin: a join, beside one to LiveKit alone.
//   - BenchmarkLetThrough, BenchmarkRelay: the cost of the gate in front of the media
//     server, by connection and by message.
//   - BenchmarkWebhook: from the commit of an event until its request reaches the
//     endpoint, how many deliveries a second, and how little dead endpoints
//     delay the others.
//   - BenchmarkNotify: commits with wake-ups for other nodes, beside the same
//     commits without, and how long a wake-up takes.
//   - BenchmarkBreakoutMove, BenchmarkBreakoutsOpen: the move of one person to
//     another media room, and of fifty at once, with LiveKit and real devices.
//   - BenchmarkMeetings: lists of a calendar with 100,000 scheduled meetings and
//     10,000 endless series.
//   - BenchmarkCalendars: writing meetings to a connected calendar.
//   - BenchmarkWebinar: a change among a thousand viewers.
//   - BenchmarkWaitingRoom: two thousand people who wait, and are admitted at once.
//   - BenchmarkVotes: a thousand votes in one poll.
//   - BenchmarkRetention: making rooms while a quarter of a million events are deleted.
//   - BenchmarkRecordingUpload, BenchmarkRecordingDownload: parts of recordings,
//     with files and with a bucket, beside plain reads and writes of files.
//   - BenchmarkStart: from exec to ready, and the memory of an idle service, of
//     the built binary with its media server.
//
// The clients run in the same process, or at least on the same machine, so
// every figure includes their cost. docs/explanation/performance.md gives the
// results and explains them.
package bench
