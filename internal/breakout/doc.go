// Package breakout splits a running meeting into rooms of their own.
//
// A session opens rooms, deals people out or lets them choose, and closes:
//
//	          POST breakouts               POST breakouts/end, warn: true
//	(none) --------------------> open -------------------------------> closing
//	                              |                                       |
//	        POST breakouts/end,   |  the time is over, the meeting ends,  |
//	        or                    |  or a day has passed                  |
//	                              +-------------------> ended <-----------+
//
// A room has one session at a time. A session may open before anybody is there.
// People who come later are in the main room, unassigned.
//
// A session assigns persons: the part of an identity before the dot. A person is
// assigned to a room of the session, or to none, which decides where they may be.
// The place of each device's seat (package seat) says where the device has to be
// now. It follows the assignment:
//
//	               assigned, auto_join; or they join
//	main room  -----------------------------------------> their breakout
//	           <-----------------------------------------
//	   sent back, their room is removed, the session closes; or they return,
//	   where they may
//
// Hosts and co-hosts may go anywhere, for as long as they are hosts. A visit does
// not assign them.
//
// Each breakout is a media room with a key of its own. Only devices whose place is
// there get the key. Package live keeps the media room, refuses people who belong
// elsewhere, and disconnects people who stay where they do not belong any more. A
// move does not count as leaving or joining.
package breakout
