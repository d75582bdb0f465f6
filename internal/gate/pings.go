package gate

import "google.golang.org/protobuf/encoding/protowire"

// LiveKit tells each client how often it pings, and after how many seconds without any
// message it takes its connection for lost: every 5, and after 15. The gate says less, so
// that people who came in through a node that stands still are back sooner: they notice
// after five to seven seconds. A balancer has to notice earlier, and needs three seconds
// (deploy/compose/haproxy.cfg): a client that comes to the same node again waits in vain.
const (
	pingEvery     = 2
	silenceIsLoss = 7
)

// Fields of LiveKit's JoinResponse with these seconds.
const (
	joinPingTimeout  = 10
	joinPingInterval = 11
)

// pingSooner makes the client that a message of the media server lets join ping sooner.
// Where the message says nothing of pings, neither does the gate.
func pingSooner(message []byte) []byte {
	field, kind, tag := protowire.ConsumeTag(message)
	if field != responseJoin || kind != protowire.BytesType {
		return message
	}
	join, size := protowire.ConsumeBytes(message[tag:])
	if size < 0 {
		return message
	}
	out := protowire.AppendTag(make([]byte, 0, len(message)), field, kind)
	return append(protowire.AppendBytes(out, withPings(join)), message[tag+size:]...)
}

// withPings replaces the two times in a JoinResponse.
func withPings(join []byte) []byte {
	out := make([]byte, 0, len(join))
	for len(join) > 0 {
		field, kind, size := protowire.ConsumeField(join)
		if size < 0 {
			break // the gate does not judge what it cannot read
		}
		switch {
		case field == joinPingTimeout && kind == protowire.VarintType:
			out = protowire.AppendVarint(protowire.AppendTag(out, field, kind), silenceIsLoss)
		case field == joinPingInterval && kind == protowire.VarintType:
			out = protowire.AppendVarint(protowire.AppendTag(out, field, kind), pingEvery)
		default:
			out = append(out, join[:size]...)
		}
		join = join[size:]
	}
	return append(out, join...)
}
