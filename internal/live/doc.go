// Package live is the meeting that runs in a room, and the people in it.
//
// A meeting starts when the first person is in and closes ten seconds after
// the last one left, at once when it is ended or its room is deleted. Every
// person has a seat, a row that a reload, a lost network and a restart of the
// service bring back:
//
//	         the gate lets      the media        the connection is gone,
//	         it through         server shows it  or the page was closed
//	  (none) -----------> new ---------------> in ----------------------> lost
//	                       ^                   | ^                          |
//	                       | a valid token or  | +--------------------------+
//	                       | link is used      | comes back: same role, same hand
//	                       |  again            |
//	                     left <----------------+----> removed (dead for good)
//	                            says goodbye
//
//	when the meeting ends, in and lost become over
//
// The media server knows who is connected and forgets everything else; the
// database remembers. Sync makes the two agree: it looks at the media rooms of
// one room, works out what that means (plan, a pure function) and writes the
// changes and their events in one transaction. Everything that may have
// changed something - a hint of the media server, a request, a timer, a start -
// merely causes a Sync, so lost, late and repeated hints cannot make the event
// log wrong: whoever joined leaves exactly once.
//
// On one node a room is looked at by one Sync at a time, which tells the media
// server what it found before the next one looks. Looks of two nodes may cross:
// before a plan is carried out, the transaction reads the room's state again,
// and drops the plan if it was made for another one. Who has to leave a media room, and what somebody
// may do, asks for their own seat only, which is read again before the media
// server is told: however much else changes, nobody stays or keeps a right
// because of that. What somebody may do is compared with what the
// media server shows, so whatever it was told last, and by whom, it is told
// again until the two agree.
package live
