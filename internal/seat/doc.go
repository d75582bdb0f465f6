// Package seat is what the database remembers of the people in a room.
//
// A person has one seat for each device. It is a row that lasts through a reload, a
// lost network and a restart of the service:
//
//	         the gate lets      the media        the connection is gone,
//	         it through         server shows it  or the page was closed
//	  (none) -----------> new ---------------> in ----------------------> lost
//	                       ^                   | ^                          |
//	                       | a valid token or  | +--------------------------+
//	                       | link is used      | comes back: same role, same hand
//	                       |  again            |
//	                     left <----------------+----> removed (refused for good)
//	                            says goodbye
//
//	when the meeting ends, in and lost become over
//
// When more than a thousand people with the room's own link are lost, the seats of those
// who have been gone for longest become left. Hosts do not count.
//
// A seat that is given up before its holder was in is deleted, unless something has to
// be remembered of it (Seat.Traceless).
//
// People who wait in the line have a seat already. Package join explains the
// states waiting, early, denied and expired.
//
// The package holds the rules that judge a seat, as pure functions, and all SQL
// of the tables seat, seat_alias and live_meeting. It decides nothing by itself
// and opens no transaction. Package join lets people in, package live compares
// seats with the media server, and package stream shows them to people's devices.
package seat
