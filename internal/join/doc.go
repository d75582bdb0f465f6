// Package join lets people into rooms, by every way in.
//
//	media token      POST /api/v1/rooms/{id}/tokens       -> gate
//	join link        POST /api/v1/rooms/{id}/join-links   -> pre-join -> gate
//	the room's link  /{code}                              -> pre-join -> gate
//
// A person with the room's own link is a guest, or the account that is signed in
// (service_who.go). An account is one person on all its devices. To the room it
// is one of its hosts, a member of its workspace, or an outsider.
//
// The same pure function, Door, judges everybody twice: when they ask, so that the
// pre-join page can show the answer, and when their connection reaches the gate, so
// that no decision is out of date. People who may enter get a seat, or get
// their seat back (service_enter.go). Other people get a place in the line, or
// a refusal. The gate takes a client's token as a proof of who the person is, never of
// what they may do. Their rights are worked out at this moment, and sent to the
// media server in another token, which the client never sees. So the gate
// refuses a removed identity whose token is still valid, and people who are in
// can come back after their token has expired.
//
// Where the room asks for it, people with its own link wait in the line. They
// have a seat already, with the identity that they will have inside, and a stream
// of events that says when they may enter:
//
//	          before_host: wait            a host joins
//	comes  ----------------------> early ---------------> in, or knocking
//	  |
//	  |  admission: knock, or an outsider in a members' room
//	  +--------------------------> waiting --- admit ---> in
//	                                  |  \
//	                          an hour |   deny
//	                                  v     v
//	                              expired  denied      (may ask again; after the second
//	                                                    denial only in the next meeting)
package join
