package mediaclient

import (
	"errors"

	"github.com/livekit/protocol/livekit"
)

// Disconnect says goodbye. It may be called again.
func (p *Participant) Disconnect() {
	p.mu.Lock()
	first, present := !p.leaving, p.me != nil
	p.leaving = true
	p.mu.Unlock()
	if !first {
		return
	}
	if present {
		_ = p.signal.send(&livekit.SignalRequest{Message: &livekit.SignalRequest_Leave{
			Leave: &livekit.LeaveRequest{Reason: livekit.DisconnectReason_CLIENT_INITIATED, Action: livekit.LeaveRequest_DISCONNECT},
		}})
	}
	p.over(errors.New("left"))
	p.signal.close()
	if p.pub != nil {
		p.pub.end()
	}
	if p.sub != nil {
		p.sub.end()
	}
	p.wire.remove()
}

// Kill cuts the network without a word: the media server needs some twenty
// seconds to notice.
func (p *Participant) Kill() {
	p.wire.sever()
	p.pub.cut()
	p.sub.cut()
	p.over(errors.New("killed"))
}
