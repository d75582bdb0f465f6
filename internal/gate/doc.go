// Package gate stands in front of the media server. Everybody's signalling
// passes here, and nothing else of the media server can be reached.
//
//	device ──/rtc──► gate ──► media server (loopback, or far away)
//	                  │
//	                  └─ Admit: may this connection be made now, and as whom?
//
// The token a device brings only says who it claims to be. Whether that person
// may be in the room now is decided by Admit, from the database, on every
// connection; the token that goes on to the media server is made for that
// connection alone. So a media token that leaked or outlived a removal opens
// nothing, and those that the media server re-issues stay here.
//
// A refusal is answered 401 or 403 (503 when it is us) with a sentence as
// text, never 404: LiveKit's client takes a 404 for an old server and tries
// another path. After a failed upgrade the client asks again at .../validate,
// because a browser hides the answer to a failed upgrade from it. That
// question goes to Ask, which decides as Admit does and changes nothing; the
// media server is not asked. Every answer is the gate's own and may be read by
// pages of every origin, whose WebSockets are let in too: whoever holds a
// token may use it from anywhere, and there are no cookies here.
//
// Verify looks at the token's signature first, which costs next to nothing.
// From an address where too many tokens were nobody's, no more of those are
// answered for a while; a good one is, because many people share the address
// of an office or a proxy. Whoever has a good token is counted as themselves,
// with every try to connect. Both are answered 429, after which LiveKit's
// client tries again later, whereas a 401 or 403 would make it give up.
//
// Messages are relayed one by one, not bytes: closing, pings and pongs mean
// the same on both sides. A client's message is decoded and written anew from
// the fields and values that LiveKit's clients use, because some that they do
// not use end the media server's process (docs/decisions/0014). Kinds of
// requests that are not known are dropped; a message that no honest client
// sends, because of its size, its number or a value, ends the connection. Who
// may do what is not decided there, the media server's token says that.
//
//	address.go    the address of a connection, and what people may say of themselves
//	join.go       the request to join that newer clients put into the address
//	requests.go   messages, and the gate's own answers to some
//	tracks.go     tracks that are announced
//	receiving.go  tracks of others, and the state of a client that comes back
//	sdp.go        session descriptions
//	limits.go     the numbers
//
// What the media server says is passed on as it is, but for its tokens.
package gate
