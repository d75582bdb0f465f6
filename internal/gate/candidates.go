package gate

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"strings"

	"github.com/livekit/protocol/livekit"
)

// trickle filters what a client says about where it can be reached, one address at a
// time. The media server needs none of these addresses: the client checks the way to
// it, and the checks show where they come from. It would send packets to each of them,
// also to machines of others and into networks that only it can reach
// (docs/decisions/0040). So nothing passes but that there are no more addresses, and
// which relay the client uses.
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
	at, ok := relayIn(candidate.Candidate)
	if !ok || q.relays == nil || !q.relays(at) {
		return nil, nil //nolint:nilnil // nothing is left of it
	}
	kept.CandidateInit = relayedThrough(at)
	return kept, nil
}

// noMoreCandidates says that there are no more addresses, as JSON (W3C WebRTC,
// RTCIceCandidateInit).
const noMoreCandidates = `{"candidate":""}`

// relayIn is the address of a relay, in a candidate that is one (RFC 8839, section
// 5.1).
func relayIn(candidate string) (netip.Addr, bool) {
	words := strings.Fields(strings.TrimPrefix(candidate, "candidate:"))
	if len(words) < 8 || !strings.EqualFold(words[2], "udp") || words[6] != "typ" || words[7] != "relay" {
		return netip.Addr{}, false
	}
	at, err := netip.ParseAddr(words[4])
	return at.Unmap(), err == nil
}

// relayedThrough is a candidate that says which relay the client uses. A media server
// that does not know it takes the client for one that it reaches straight, and after a
// failure it offers only TCP, which a network that needs a relay does not pass. It
// compares addresses without ports, and finds the relay's port by the client's checks,
// so the port here is the one for discarding (RFC 863).
func relayedThrough(at netip.Addr) string {
	return fmt.Sprintf(`{"candidate":"candidate:relay 1 udp 1 %s 9 typ relay raddr 0.0.0.0 rport 0","sdpMLineIndex":0}`, at)
}
