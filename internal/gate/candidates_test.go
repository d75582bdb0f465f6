package gate

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/livekit/protocol/livekit"
)

// What is left of a candidate when the service has a relay at 192.0.2.7:4444; "": nothing.
func TestCandidates(t *testing.T) {
	t.Parallel()
	const relayed = `{"candidate":"candidate:relay 1 udp 41885695 192.0.2.7 4444 typ relay raddr 0.0.0.0 rport 0","sdpMLineIndex":0}`
	for name, c := range map[string]struct {
		in, out string
		final   bool
	}{
		"an address":                 {in: "candidate:1 1 udp 2130706431 192.0.2.1 4000 typ host"},
		"an address of the relay":    {in: "candidate:1 1 udp 2130706431 192.0.2.7 22 typ host"},
		"seen by another":            {in: "candidate:1 1 udp 1694498815 192.0.2.7 22 typ srflx raddr 10.0.0.1 rport 22"},
		"over TCP":                   {in: "candidate:1 1 tcp 1518280447 10.0.0.1 9 typ host tcptype active"},
		"a name":                     {in: "candidate:1 1 udp 2113937151 7a5b0a3c.local 4000 typ host"},
		"the relay":                  {in: "candidate:1 1 udp 41885695 192.0.2.7 4444 typ relay raddr 10.0.0.1 rport 4000", out: relayed},
		"the relay without a prefix": {in: "1 1 UDP 41885695 192.0.2.7 4444 typ relay", out: relayed},
		"the relay as IPv6":          {in: "candidate:1 1 udp 41885695 ::ffff:192.0.2.7 4444 typ relay", out: relayed},
		"the relay over TCP":         {in: "candidate:1 1 tcp 41885695 192.0.2.7 4444 typ relay"},
		"another relay":              {in: "candidate:1 1 udp 41885695 192.0.2.8 4444 typ relay"},
		"a relay without an address": {in: "candidate:1 1 udp 41885695 relay.example 4444 typ relay"},
		"another port":               {in: "candidate:1 1 udp 41885695 192.0.2.7 22 typ relay"},
		"no port":                    {in: "candidate:1 1 udp 41885695 192.0.2.7 70000 typ relay"},
		"no priority":                {in: "candidate:1 1 udp high 192.0.2.7 4444 typ relay"},
		"an excessive priority":      {in: "candidate:1 1 udp 2130706431 192.0.2.7 4444 typ relay", out: strings.Replace(relayed, "41885695", "50331647", 1)},
		"half a relay":               {in: "candidate:1 1 udp 41885695 192.0.2.7 4444 typ"},
		"the end":                    {in: "", out: noMoreCandidates},
		"an address that is the end": {in: "candidate:1 1 udp 2130706431 192.0.2.1 4000 typ host", final: true, out: noMoreCandidates},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := requests{relays: func(a netip.AddrPort) bool { return a == netip.MustParseAddrPort("192.0.2.7:4444") }}
			said := &livekit.TrickleRequest{CandidateInit: `{"sdpMid":"0","candidate":"` + c.in + `"}`, Target: livekit.SignalTarget_SUBSCRIBER, Final: c.final}
			got, err := q.trickle(said)
			if err != nil || got.GetCandidateInit() != c.out {
				t.Errorf("got %v, %v; want %q", got, err, c.out)
			}
			if got != nil && (got.GetTarget() != said.GetTarget() || got.GetFinal() != c.final) {
				t.Errorf("got %v of %v", got, said)
			}
			if got, err := new(requests).trickle(said); err != nil || strings.Contains(got.GetCandidateInit(), "192.0.2") {
				t.Errorf("without relays: got %v, %v", got, err)
			}
		})
	}
}
