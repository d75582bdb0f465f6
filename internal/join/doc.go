// Package join is every way in.
//
//	media token      POST /api/v1/rooms/{id}/tokens       -> gate
//	join link        POST /api/v1/rooms/{id}/join-links   -> pre-join -> gate
//	the room's link  /{code}                              -> pre-join -> gate
//
// A person with the room's own link is a guest, or the account that is signed in
// (service_who.go). An account is one person on all its devices. To the room it
// is one of its hosts, a member of its workspace, or an outsider.
//
// The same pure function, Door, judges everybody twice: when they ask (so that the
// pre-join page can say it) and when their connection reaches the gate (so that
// nothing decided earlier can be out of date). Those whom it lets through get a
// seat, or theirs back (service_enter.go); the others a place in the line, or a
// refusal. The gate takes a
// client's token as a proof of who it is, never of what it may do: what it may
// do is worked out there and then, and handed to the media server in another
// token, which the client never sees.
//
// Where the room asks for it, people with its own link wait before the door,
// with a seat already (the identity is the one they will have inside) and a
// stream of events that says when they may enter:
//
//	          before_host: wait            a host joins
//	comes  ----------------------> early ---------------> in, or knocking
//	  |
//	  |  admission: knock, or an outsider in a members' room
//	  +--------------------------> waiting --- admit ---> in
//	                                  |  \
//	                          an hour |   deny
//	                                  v     v
//	                              expired  denied      (may ask again; after the
//	                                                    second denial no more)
//
// That is why a removed identity is dead although its token is still valid,
// and why people who are in come back after their token has expired.
package join
