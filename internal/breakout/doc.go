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
// A room has one session at a time. One may open before anybody is there; who
// comes then is in the main room, unassigned.
//
// Everything here is about persons: the part of an identity before the dot. A
// person is assigned to a room of the session, or to none; that decides where
// they may be. Where each of their devices has to be now is the place of its seat
// (package seat), which follows:
//
//	               assigned, auto_join; or they join
//	main room  -----------------------------------------> their breakout
//	           <-----------------------------------------
//	   sent back, their room is removed, the session closes; or they return,
//	   where they may
//
// Hosts and co-hosts may go anywhere, for as long as they are hosts. To visit is
// not to be assigned.
//
// Each breakout is a media room with a key of its own, which only those get
// who are placed there. Package live keeps it, lets nobody in who belongs
// elsewhere, and takes out who stays where they do not belong any more; a move
// is neither a leaving nor a joining.
package breakout
