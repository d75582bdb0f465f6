// Package gate stands in front of the media server. All signalling passes
// through it; nothing else of the media server can be reached.
//
//	device ──/rtc──► gate ──► media server (loopback, or far away)
//	                  │
//	                  └─ LetThrough: may this connection be made now, and by which person?
//
// The token that a device sends only proves its identity. On every connection
// LetThrough decides from the database whether that person may be in the room now.
// The gate then makes a new token for this one connection and shows that one to
// the media server. So a media token that leaked, or was issued before a
// removal, opens nothing, and the tokens that the media server renews never
// leave the gate.
//
// A refusal is answered 401 or 403 (503 when the service is at fault) with a
// sentence as text. It is never 404: LiveKit's client would take the server for
// an old one and try another path. A browser hides the answer to a failed
// upgrade from the client, so the client asks again at .../validate. That
// request goes to Check, which decides like LetThrough, changes nothing and does not
// involve the media server. The gate answers everything itself, and pages of
// every origin may read the answers and open WebSockets: a token works from
// anywhere, and there are no cookies here.
//
// Verify checks the token's signature first, which is cheap. After too many
// invalid tokens from one address, further invalid ones from it are answered
// 429 for a while. Valid tokens are not affected, because many people share the
// address of an office or a proxy. The attempts with a valid token count for
// its identity, and too many of them are answered 429 too. LiveKit's client
// tries again later after a 429, while a 401 or 403 makes it give up.
//
// The gate relays messages, not bytes, so that closes, pings and pongs work
// across it. It decodes each message of a client and writes a new one, with only
// those fields and values that LiveKit's clients use: some others crash the
// media server (docs/decisions/0014). Unknown kinds of requests are dropped. A
// message that no honest client sends, because of its size, number or values,
// ends the connection. The gate does not decide who may do what; the media
// server does, from its token.
//
// Addresses at which a client says that it can be reached do not pass, because the
// media server would send packets to them; it learns the client's address from the
// client's own packets. A client that sends too often is slowed down: the gate reads
// its next message later (docs/decisions/0040).
//
//	address.go    the address of a connection, and the attributes in it
//	join.go       the request to join that newer clients put into the address
//	requests.go   messages, and the gate's own answers to some
//	tracks.go     tracks that are announced
//	receiving.go  tracks of others, and the state of a client that comes back
//	candidates.go addresses at which a client says that it can be reached
//	sdp.go        session descriptions
//	offer.go      the first offer of a newcomer, which waits for tracks of others
//	muting.go     new tracks that were muted before their client noticed
//	pings.go      how soon a client notices that nothing comes any more
//	pace.go       how often a client may send
//	limits.go     the other numbers
//
// Messages of the media server pass unchanged, except for its tokens, the times of pings,
// and what offer.go answers for the client. muting.go repeats one of them.
package gate
