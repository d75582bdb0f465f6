// Package mediaroom keeps what the database remembers of media rooms: which breakouts
// have one, and the end-to-end passphrases of rooms with standard encryption.
//
// A room's main media room always exists for the service, and a breakout's from Open
// until Close. The media server has them only while somebody is there. Package live
// makes the two agree, and forgets a closed breakout when its media room is gone.
//
// A passphrase is made with the first token for its media room, and kept sealed. The
// main one stays as long as a meeting runs or a token that carries it is valid: who is
// in hears who comes. A breakout's is forgotten when the breakout closes, because nobody
// may enter it any more. Strict rooms have none.
package mediaroom
