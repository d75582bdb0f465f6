// Package bench measures the service. `make bench` runs it, on both databases:
//
//   - BenchmarkAPI: requests a second and how long they take, over HTTP on
//     loopback, beside a handler that does the same SQL and nothing else. Both
//     are asked in turns in one run, so that what else the machine does hits
//     both; "x-floor" is the share of the bare handler's rate that is left.
//   - BenchmarkFanOut: from a change of a room's settings to the last device
//     that follows the meeting having it.
//   - BenchmarkSync: one comparison of a meeting with the media server.
//   - BenchmarkAdmit, BenchmarkRelay: what the gate in front of the media
//     server costs, by connection and by message.
//   - BenchmarkWebhook: from the commit of an event to its request reaching the
//     endpoint, how many deliveries a second, and how little dead endpoints
//     disturb the living.
//   - BenchmarkBreakoutMove, BenchmarkBreakoutsOpen: one person's way to another
//     media room, and that of fifty at once, with LiveKit and real devices.
//   - BenchmarkMeetings: lists of a calendar with 100,000 scheduled meetings and
//     10,000 endless series.
//   - BenchmarkRecordingUpload, BenchmarkRecordingDownload: parts of recordings,
//     into files and into a bucket, beside files written and read by hand.
//   - BenchmarkStart: from exec to ready, and the memory of an idle service, of
//     the built binary with its media server.
//
// The clients run in the same process, or at least on the same machine: what
// they cost is part of every figure. docs/explanation/performance.md tells what
// came out and what it means.
package bench
