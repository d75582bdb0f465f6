package gate_test

import (
	"testing"

	"github.com/livekit/protocol/livekit"
)

// joinedWith is a message of the media server with which a client joins.
func joinedWith(timeout, interval int32) []byte {
	return write(&livekit.SignalResponse{Message: &livekit.SignalResponse_Join{Join: &livekit.JoinResponse{
		Room: &livekit.Room{Name: "r"}, ServerVersion: "1.13.5", PingTimeout: timeout, PingInterval: interval,
		ServerInfo: &livekit.ServerInfo{Region: "here"}, SifTrailer: []byte("trailer"),
	}}})
}

// The gate tells clients to ping sooner than the media server says, and changes nothing
// else in the message.
func TestClientsPingSooner(t *testing.T) {
	t.Parallel()
	b := setup(t, false)
	conn, upstream := joinsWith(t, b, requestWithOffer())
	send(t, upstream, joinedWith(15, 5))
	wantMessage(t, conn, joinedWith(7, 2))
	send(t, upstream, joinedWith(0, 0)) // no pings
	wantMessage(t, conn, joinedWith(0, 0))
}
