package mediaclient

import (
	"context"
	"strconv"
)

// OpenChannels opens data channels with names that the media server does not
// know, as a modified client might. It stops at the given number or when the
// connection ends, and returns how many it opened.
func (p *Participant) OpenChannels(ctx context.Context, most int) (int, error) {
	if err := p.pub.take(ctx); err != nil {
		return 0, err
	}
	defer p.pub.giveBack()
	if err := p.pub.negotiate(ctx); err != nil {
		return 0, err
	}
	select {
	case <-p.pub.up:
	case <-p.gone:
		return 0, errGone
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	}
	for i := range most {
		if _, err := p.pub.CreateDataChannel("channel-"+strconv.Itoa(i), nil); err != nil {
			return i, nil // the connection is over
		}
	}
	return most, nil
}
