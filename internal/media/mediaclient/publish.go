package mediaclient

import (
	"context"
	"crypto/cipher"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/livekit/protocol/livekit"
	"github.com/livekit/protocol/signalling"
	"github.com/pion/webrtc/v4"
	pion "github.com/pion/webrtc/v4/pkg/media"
	"google.golang.org/protobuf/proto"

	"github.com/conclave-rooms/conclave/internal/media"
)

// publisher is the connection over which a participant publishes.
type publisher struct {
	*peer
	key     cipher.AEAD
	send    func(*livekit.SignalRequest) error
	channel *webrtc.DataChannel
	open    chan struct{} // closed when data may be sent
	turn    chan struct{} // holds one token: one negotiation at a time
	settled chan error    // receives the result of the negotiation under way
	craft   func(*livekit.AddTrackRequest)
	gone    <-chan struct{} // closed when the connection is over

	mu      sync.Mutex // guards the fields below
	tracks  map[string]*outgoing
	waiting map[string]chan announcement // by our id of the track
}

// outgoing is one track being sent.
type outgoing struct {
	sender *webrtc.RTPSender
	muted  atomic.Bool
	stop   context.CancelFunc
}

// announcement is the media server's answer to a new track.
type announcement struct {
	id  string
	err error
}

func newPublisher(key cipher.AEAD, on network, send func(*livekit.SignalRequest) error) (*publisher, error) {
	peer, err := newPeer(livekit.SignalTarget_PUBLISHER, on, send)
	if err != nil {
		return nil, err
	}
	p := &publisher{
		peer: peer, key: key, send: send, open: make(chan struct{}), turn: make(chan struct{}, 1), settled: make(chan error, 1),
		tracks: map[string]*outgoing{}, waiting: map[string]chan announcement{},
	}
	p.turn <- struct{}{}
	if p.channel, err = peer.CreateDataChannel("_reliable", nil); err != nil {
		return nil, fmt.Errorf("make data channel: %w", err)
	}
	p.channel.OnOpen(func() { close(p.open) })
	return p, nil
}

// errGone ends what waits for an answer of the media server that cannot come.
var errGone = errors.New("the connection is over")

// take waits until no negotiation is under way; the caller calls giveBack.
func (p *publisher) take(ctx context.Context) error {
	select {
	case <-p.turn:
		return nil
	case <-p.gone:
		return errGone
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (p *publisher) giveBack() { p.turn <- struct{}{} }

// negotiate makes an offer and waits for the answer. The caller has called
// take.
func (p *publisher) negotiate(ctx context.Context) error {
	offer, err := p.CreateOffer(nil)
	if err != nil {
		return fmt.Errorf("make offer: %w", err)
	}
	if err := p.SetLocalDescription(offer); err != nil {
		return fmt.Errorf("take own offer: %w", err)
	}
	select {
	case <-p.settled: //nolint:errcheck // of an offer whose maker did not wait for the answer
	default:
	}
	sd := signalling.ToProtoSessionDescription(offer, 0, nil)
	if err := p.send(&livekit.SignalRequest{Message: &livekit.SignalRequest_Offer{Offer: sd}}); err != nil {
		return err
	}
	select {
	case err := <-p.settled:
		return err
	case <-p.gone:
		return errGone
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// answered completes a negotiation.
func (p *publisher) answered(answer *livekit.SessionDescription) error {
	err := p.describe(answer)
	select {
	case p.settled <- err:
	default:
	}
	return err
}

// announced passes the media server's answer about a new track to the caller
// that waits for it.
func (p *publisher) announced(cid string, info *livekit.TrackInfo, err error) {
	p.mu.Lock()
	waiting, ok := p.waiting[cid]
	delete(p.waiting, cid)
	p.mu.Unlock()
	if ok {
		waiting <- announcement{id: info.GetSid(), err: err}
	}
}

// announce announces a new track to the media server and waits for its id.
func (p *publisher) announce(ctx context.Context, track *webrtc.TrackLocalStaticSample, name string, k kind) (string, error) {
	answer := make(chan announcement, 1)
	p.mu.Lock()
	p.waiting[track.ID()] = answer
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.waiting, track.ID())
	}()
	typ := livekit.TrackType_AUDIO
	if track.Kind() == webrtc.RTPCodecTypeVideo {
		typ = livekit.TrackType_VIDEO
	}
	request := &livekit.AddTrackRequest{
		Cid: track.ID(), Name: name, Type: typ, Source: k.source, Encryption: livekit.Encryption_GCM, Width: 160, Height: 120,
	}
	if p.craft != nil {
		p.craft(request)
	}
	if err := p.send(&livekit.SignalRequest{Message: &livekit.SignalRequest_AddTrack{AddTrack: request}}); err != nil {
		return "", err
	}
	select {
	case a := <-answer:
		return a.id, a.err
	case <-p.gone:
		return "", errGone
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// Publish starts to send encrypted frames of a source and returns the track's
// id. The error is media.ErrRefused when the media server does not allow it.
func (p *Participant) Publish(ctx context.Context, source media.Source) (string, error) {
	return p.PublishNamed(ctx, source, string(source))
}

// PublishNamed also gives the track a name, which everybody in the room sees.
func (p *Participant) PublishNamed(ctx context.Context, source media.Source, name string) (string, error) {
	id, err := p.pub.publish(ctx, p.ctx, source, name, true)
	if err != nil {
		return "", fmt.Errorf("publish %s: %w", source, err)
	}
	return id, nil
}

// publish makes a track and, with play, sends on it until life ends.
func (p *publisher) publish(ctx, life context.Context, source media.Source, name string, play bool) (string, error) {
	k, err := kindOf(source)
	if err != nil {
		return "", err
	}
	if err := p.take(ctx); err != nil {
		return "", err
	}
	defer p.giveBack()
	track, err := webrtc.NewTrackLocalStaticSample(k.codec, string(source)+"-"+rand.Text(), string(source))
	if err != nil {
		return "", fmt.Errorf("make track: %w", err)
	}
	id, err := p.announce(ctx, track, name, k)
	if err != nil {
		return "", err
	}
	sender, err := p.AddTrack(track)
	if err != nil {
		return "", fmt.Errorf("add track: %w", err)
	}
	if err := p.negotiate(ctx); err != nil {
		return "", err
	}
	life, stop := context.WithCancel(life)
	out := &outgoing{sender: sender, stop: stop}
	p.mu.Lock()
	p.tracks[id] = out
	p.mu.Unlock()
	if play {
		go p.play(life, track, out, k)
	}
	return id, nil
}

// play sends the frames of a kind at their own pace.
func (p *publisher) play(ctx context.Context, track *webrtc.TrackLocalStaticSample, out *outgoing, k kind) {
	frames, seal := newLoop(k.frames), &frameCipher{aead: p.key, clear: k.clear}
	pace := time.NewTicker(k.duration)
	defer pace.Stop()
	for {
		frame, err := seal.EncryptFrame(frames.next())
		if err != nil {
			return
		}
		if !out.muted.Load() && track.WriteSample(pion.Sample{Data: frame, Duration: k.duration}) != nil {
			return
		}
		select {
		case <-pace.C:
		case <-ctx.Done():
			return
		}
	}
}

func (p *publisher) find(id string) (*outgoing, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	out, ok := p.tracks[id]
	if !ok {
		return nil, fmt.Errorf("%w: no own track %q", media.ErrNotFound, id)
	}
	return out, nil
}

// mute follows the media server's order.
func (p *publisher) mute(id string, muted bool) {
	if out, err := p.find(id); err == nil {
		out.muted.Store(muted)
	}
}

// Unpublish ends a track.
func (p *Participant) Unpublish(ctx context.Context, trackID string) error {
	out, err := p.pub.find(trackID)
	if err != nil {
		return err
	}
	out.stop()
	if err := p.pub.take(ctx); err != nil {
		return fmt.Errorf("unpublish: %w", err)
	}
	defer p.pub.giveBack()
	if err := p.pub.RemoveTrack(out.sender); err != nil {
		return fmt.Errorf("unpublish: %w", err)
	}
	return p.pub.negotiate(ctx)
}

// SetMuted mutes or unmutes an own track.
func (p *Participant) SetMuted(trackID string, muted bool) error {
	out, err := p.pub.find(trackID)
	if err != nil {
		return err
	}
	out.muted.Store(muted)
	return p.signal.send(&livekit.SignalRequest{Message: &livekit.SignalRequest_Mute{
		Mute: &livekit.MuteTrackRequest{Sid: trackID, Muted: muted},
	}})
}

// Muted says whether an own track is muted, by anybody.
func (p *Participant) Muted(trackID string) (bool, error) {
	out, err := p.pub.find(trackID)
	if err != nil {
		return false, err
	}
	return out.muted.Load(), nil
}

// SendData sends a data packet to everyone, reliably.
func (p *Participant) SendData(ctx context.Context, topic string, payload []byte) error {
	packet, err := proto.Marshal(&livekit.DataPacket{Value: &livekit.DataPacket_User{
		User: &livekit.UserPacket{Payload: payload, Topic: &topic},
	}})
	if err != nil {
		return fmt.Errorf("write data packet: %w", err)
	}
	if err := p.pub.ready(ctx); err != nil {
		return fmt.Errorf("send data: %w", err)
	}
	if err := p.pub.channel.Send(packet); err != nil {
		return fmt.Errorf("send data: %w", err)
	}
	return nil
}

// WaitDataTaken waits until the media server has acknowledged all data sent.
// The acknowledgement is the transport's: it does not mean that the data is
// passed on.
func (p *Participant) WaitDataTaken(ctx context.Context) error {
	taken := make(chan struct{}, 1)
	p.pub.channel.OnBufferedAmountLow(func() {
		select {
		case taken <- struct{}{}:
		default:
		}
	})
	for p.pub.channel.BufferedAmount() > 0 {
		select {
		case <-taken:
		case <-p.gone:
			return errGone
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// ready opens the connection, if nothing was published yet.
func (p *publisher) ready(ctx context.Context) error {
	if err := p.take(ctx); err != nil {
		return err
	}
	defer p.giveBack()
	if p.RemoteDescription() == nil {
		if err := p.negotiate(ctx); err != nil {
			return err
		}
	}
	select {
	case <-p.open:
		return nil
	case <-p.gone:
		return errGone
	case <-ctx.Done():
		return errors.Join(errors.New("the data channel does not open"), context.Cause(ctx))
	}
}
