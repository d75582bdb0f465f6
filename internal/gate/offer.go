package gate

import (
	"cmp"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
	"github.com/livekit/protocol/livekit"
)

// heldOffer is the offer in a request to join, which the gate keeps back for a moment.
//
// LiveKit would answer it while it still looks for the tracks that the newcomer gets.
// Tracks that miss this answer come with a second one, and the client loses their first
// key frames: LiveKit sends them as soon as it has answered, before the client knows of
// them (docs/decisions/0034). So the gate waits until LiveKit asks for an offer, which it
// does when it has tracks for the newcomer, or until a pause is over: there may be none.
type heldOffer struct {
	description atomic.Pointer[livekit.SessionDescription]
	settled     bool // there is none, or LiveKit has answered it; only the media server's pump uses it
}

// offerPause is how long an offer is kept back at most after LiveKit's answer to the
// request to join, unless Gate.OfferPause is set. On a machine with nothing else to do,
// LiveKit asks for an offer 10 ms after it has the first track
// (fastNegotiationFrequency). Where nobody publishes, a newcomer waits all of it.
const offerPause = 40 * time.Millisecond

func (l *relay) hold(offer *livekit.SessionDescription) {
	l.offer.description.Store(offer)
	l.offer.settled = offer == nil
}

// settleOffer sends the media server the client's offer in time, given what it says to
// the client. The client learns that the media server wants an offer only after its first
// offer was answered. That answer covers everything known by then, and the media server
// asks again for what is missing.
func (l *relay) settleOffer(what *passage) {
	switch {
	case l.offer.settled:
	case what.joined:
		time.AfterFunc(cmp.Or(l.gate.OfferPause, offerPause), l.sendOffer)
	case what.asksForOffer:
		l.sendOffer()
		what.forward = nil
	case what.answered:
		l.offer.settled = true
	}
}

// sendOffer sends the client's offer to the media server, unless it was sent before.
func (l *relay) sendOffer() {
	offer := l.offer.description.Swap(nil)
	if offer == nil || l.dismissed.Load() {
		return
	}
	l.write(l.upstream, websocket.BinaryMessage, encode(&livekit.SignalRequest{Message: &livekit.SignalRequest_Offer{Offer: offer}}))
}
