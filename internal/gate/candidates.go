package gate

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"github.com/livekit/protocol/livekit"
)

// trickle filters what a client says about where it can be reached, one address at a
// time. The media server needs none of these addresses: the client checks the way to
// it, and the checks show where they come from. It would send packets to each of them,
// also to machines of others and into networks that only it can reach
// (docs/decisions/0040). So only two things pass: that the client has no more
// addresses, and which relay of the service it uses.
func (q *requests) trickle(said *livekit.TrickleRequest) (*livekit.TrickleRequest, error) {
	if q.candidates++; q.candidates > maxCandidates {
		return nil, errTooManyCandidates
	}
	if len(said.GetCandidateInit()) > maxCandidate {
		return nil, errTooLarge
	}
	if err := known(livekit.SignalTarget_name, said.GetTarget()); err != nil {
		return nil, err
	}
	var candidate struct {
		Candidate string `json:"candidate"`
	}
	if json.Unmarshal([]byte(said.GetCandidateInit()), &candidate) != nil && !said.GetFinal() {
		return nil, nil //nolint:nilnil // nothing is left of it
	}
	kept := &livekit.TrickleRequest{CandidateInit: noMoreCandidates, Target: said.GetTarget(), Final: said.GetFinal()}
	if candidate.Candidate == "" || said.GetFinal() {
		return kept, nil
	}
	at, priority, ok := relayIn(candidate.Candidate)
	if !ok || q.relays == nil || !q.relays(at) {
		return nil, nil //nolint:nilnil // nothing is left of it
	}
	kept.CandidateInit = relayedThrough(at, priority)
	return kept, nil
}

// noMoreCandidates says that there are no more addresses, as JSON (W3C WebRTC,
// RTCIceCandidateInit).
const noMoreCandidates = `{"candidate":""}`

// relayIn is the address of a relay and its priority, in a candidate that is one (RFC
// 8839, section 5.1).
func relayIn(candidate string) (at netip.AddrPort, priority uint32, ok bool) {
	words := strings.Fields(strings.TrimPrefix(candidate, "candidate:"))
	if len(words) < 8 || !strings.EqualFold(words[2], "udp") || words[6] != "typ" || words[7] != "relay" {
		return netip.AddrPort{}, 0, false
	}
	address, err := netip.ParseAddr(words[4])
	port, errPort := strconv.ParseUint(words[5], 10, 16)
	wanted, errPriority := strconv.ParseUint(words[3], 10, 32)
	return netip.AddrPortFrom(address.Unmap(), uint16(port)), min(uint32(wanted), mostOfRelays), errors.Join(err, errPort, errPriority) == nil
}

// mostOfRelays is the highest priority that a browser gives to a relay: that of one over
// UDP.
const mostOfRelays = 3<<24 - 1

// relayedThrough is a candidate that says which relay the client uses. A media server
// that does not know it takes the client for one that it reaches straight: it prefers
// this way to TCP, which is straight, and after a failure it offers only TCP, which a
// network that needs a relay does not pass.
func relayedThrough(at netip.AddrPort, priority uint32) string {
	return fmt.Sprintf(`{"candidate":"candidate:relay 1 udp %d %s %d typ relay raddr 0.0.0.0 rport 0","sdpMLineIndex":0}`, priority, at.Addr(), at.Port())
}
