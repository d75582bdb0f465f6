// Package load puts a running service under load, and measures it: rooms full of
// people with real, encrypted sound and pictures, who join, leave, knock, move to
// breakouts and vote.
//
// A run (run.go) has three parts. It makes the rooms and a media token for
// everybody; then people join (people.go), which is measured person by person; then
// it holds the meetings for a time, and meanwhile does what it was asked to do
// (activities.go, breakouts.go). At the end it takes the rooms away again.
//
// The people are devices of package mediaclient, all in this process, so it needs
// processor time of its own: on the service's machine the two compete. The API is
// used over HTTP with a key, as an integrator would (api.go), and what the service
// needs is read from its metrics (usage.go). A Report (report.go) says how long
// things took, how many packets were lost and what failed, and which Limits were
// exceeded (limits.go).
//
// An operation that a person ends themselves does not count as a failure of the
// service: they may leave while they wait for something, or be alone. So code that
// waits for a person checks, before it reports a failure, that this person is still
// there to wait for.
package load
