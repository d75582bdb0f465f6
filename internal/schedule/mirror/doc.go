// Package mirror keeps people's own calendars in step with the meetings they
// scheduled.
//
// A person connects a calendar: a connection, which belongs to the account and
// covers all its workspaces. From then on every meeting that a key of the
// account makes is written there, changed there, and removed there. For each
// meeting and connection there is one row, a mirror, and while it has something
// to do one job (package job) with the same id.
//
//	meeting changes             the calendar has it
//	---------------> wanted > done -----------------> wanted = done
//	                     ^    |                            |
//	                     +----+ fails: again later         | meeting changes
//	                     ^                                 |
//	                     +---------------------------------+
//
// Changed runs in the transaction of the change and only counts: wanted grows
// by one. The job reads the meeting as it is when it runs, so that three quick
// changes may cost one write, and never writes an older state after a newer
// one. It then sets done to the count it had read. A change that came meanwhile
// makes wanted greater than done, and the job is promised again in the same
// transaction.
//
// The service may be killed at any point. Before the calendar was written, the
// job is still there. After that, but before it is recorded, the job writes the
// same entry again, and package calendar finds the one that is there.
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
// A failure that concerns the whole calendar pauses its connection for a
// growing time, or for as long as the provider asks; its jobs wait without
// asking. Nothing is lost while a connection is revoked or unreachable: mirrors
// go on counting, and connecting again writes what is missing.
//
// A job called fill goes through all the meetings of a connection: after
// connecting, to add those that lie ahead; after the account joined or left a
// workspace; after very many of its meetings changed together, because their
// room was deleted; and while it is leaving. A mirror keeps the sequence of the
// meeting that was last written, by which fill sees that it is behind.
//
// What becomes of one entry is a pure function of the meeting and the
// connection: rules.go.
package mirror
