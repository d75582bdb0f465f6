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
// A wait that fails because the person left meanwhile, or is alone, is not a failure of
// the service. So before code reports a failure of something that it waited for, it
// checks that the person is still there.
package load
