// Package mirror keeps people's own calendars in step with the meetings they
// scheduled.
//
// When a person connects a calendar, this makes a connection, which belongs to the
// account and covers all its workspaces. From then on every meeting that a key of the
// account schedules is written to the calendar, changed there, and removed there. Each
// meeting and connection have one row, a mirror, and while the mirror is pending, one
// job (package job) with the same id.
//
//	meeting changes             the calendar has it
//	---------------> wanted > done -----------------> wanted = done
//	                     ^    |                            |
//	                     +----+ fails: again later         | meeting changes
//	                     ^                                 |
//	                     +---------------------------------+
//
// Changed runs in the transaction of the change and only counts: it raises wanted by
// one. The job reads the meeting when it runs. So several quick changes may need only
// one write, and an older state is never written after a newer one. The job then sets
// done to the value of wanted that it had read. If the meeting has changed meanwhile,
// wanted is greater than done, and the job is queued again in the same transaction.
//
// The service may be killed at any point. Until the calendar was written, the job is
// still queued. If the service is killed after the write but before it is recorded,
// the job writes the same entry again, and package calendar finds the existing one.
//
// # Connections
//
//	             access ended               connected again
//	connected ----------------> revoked ----------------------> connected
//	    |     seven days of failures                                ^
//	    +-------------------------> unreachable --------------------+
//	    |
//	    | Disconnect                     entries ahead are removed
//	    +-------------> leaving -----------------------------------> gone
//
// A failure of the whole calendar pauses its connection for a growing time, or for as
// long as the provider asks, and its jobs wait. Nothing is lost while a connection is
// revoked or unreachable: mirrors keep counting, and connecting again writes what is
// missing.
//
// A job called fill checks all meetings of a connection. It runs after connecting, to
// add upcoming meetings; after the account joined or left a workspace; after many
// meetings changed together, because their room was deleted; and while the connection
// is leaving. A mirror stores the sequence of the meeting that was last written, so
// fill can tell that the mirror is behind.
//
// rules.go decides, as a pure function of the meeting and the connection, what is done
// to an entry.
package mirror
