package mediatest

import (
	"context"
	"crypto/cipher"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/livekit/protocol/livekit"
	"github.com/livekit/protocol/signalling"
	"github.com/livekit/server-sdk-go/v2/e2ee"
	"github.com/pion/webrtc/v4"
	pion "github.com/pion/webrtc/v4/pkg/media"
	"google.golang.org/protobuf/proto"

	"github.com/conclave-rooms/conclave/internal/media"
)

// TCPParticipant is somebody on a network that blocks UDP. LiveKit's Go SDK
// offers UDP alone, so this one speaks LiveKit's signalling by itself, as far
// as sending and receiving goes: one connection to publish, one to subscribe.
type TCPParticipant struct {
	key        cipher.AEAD
	tally      *tally
	socket     *websocket.Conn
	publisher  *webrtc.PeerConnection
	subscriber *webrtc.PeerConnection
	joined     chan struct{} // closed at the join answer
	connected  chan struct{} // closed when the subscribing connection stands
	failed     chan error
	ended      context.Context //nolint:containedctx // the life of the goroutines that send
	end        context.CancelFunc
	writing    sync.Mutex
	waiting    map[livekit.SignalTarget][]webrtc.ICECandidateInit // candidates that came before the description
}

// JoinOverTCP lets a participant in over TCP, and takes it out at the end of
// the test.
func JoinOverTCP(t testing.TB, o Options) *TCPParticipant {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	p, err := connectOverTCP(ctx, o)
	if err != nil {
		t.Fatalf("join over TCP: %v", err)
	}
	t.Cleanup(p.close)
	return p
}

func connectOverTCP(ctx context.Context, o Options) (*TCPParticipant, error) {
	key, err := frameKey(o.Passphrase)
	if err != nil {
		return nil, err
	}
	socket, res, err := websocket.DefaultDialer.DialContext(ctx, o.URL+"/rtc?protocol=9&auto_subscribe=1&sdk=go",
		http.Header{"Authorization": {"Bearer " + o.Token}})
	if err != nil {
		return nil, fmt.Errorf("connect: %w (%v)", err, res)
	}
	p := &TCPParticipant{
		key: key, tally: newTally(), socket: socket,
		joined: make(chan struct{}), connected: make(chan struct{}), failed: make(chan error, 1),
		waiting: map[livekit.SignalTarget][]webrtc.ICECandidateInit{},
	}
	p.ended, p.end = context.WithCancel(context.Background())
	if err := p.openConnections(); err != nil {
		p.close()
		return nil, err
	}
	go p.listen()
	for _, stage := range []chan struct{}{p.joined, p.connected} {
		select {
		case <-stage:
		case err := <-p.failed:
			p.close()
			return nil, err
		case <-ctx.Done():
			p.close()
			return nil, context.Cause(ctx)
		}
	}
	return p, nil
}

// openConnections makes both connections, which know no protocol but TCP.
func (p *TCPParticipant) openConnections() error {
	var setting webrtc.SettingEngine
	setting.SetNetworkTypes([]webrtc.NetworkType{webrtc.NetworkTypeTCP4})
	setting.SetIncludeLoopbackCandidate(true)
	codecs := &webrtc.MediaEngine{}
	if err := codecs.RegisterDefaultCodecs(); err != nil {
		return fmt.Errorf("register codecs: %w", err)
	}
	api := webrtc.NewAPI(webrtc.WithSettingEngine(setting), webrtc.WithMediaEngine(codecs))
	var err error
	if p.publisher, err = api.NewPeerConnection(webrtc.Configuration{}); err != nil {
		return fmt.Errorf("make connection: %w", err)
	}
	if p.subscriber, err = api.NewPeerConnection(webrtc.Configuration{}); err != nil {
		return fmt.Errorf("make connection: %w", err)
	}
	p.publisher.OnICECandidate(p.trickle(livekit.SignalTarget_PUBLISHER))
	p.subscriber.OnICECandidate(p.trickle(livekit.SignalTarget_SUBSCRIBER))
	p.subscriber.OnTrack(func(track *webrtc.TrackRemote, _ *webrtc.RTPReceiver) { p.receive(track) })
	var once sync.Once
	p.subscriber.OnConnectionStateChange(func(state webrtc.PeerConnectionState) {
		if state == webrtc.PeerConnectionStateConnected {
			once.Do(func() { close(p.connected) })
		}
	})
	return nil
}

func (p *TCPParticipant) trickle(target livekit.SignalTarget) func(*webrtc.ICECandidate) {
	return func(c *webrtc.ICECandidate) {
		if c == nil {
			return
		}
		p.fail(p.send(&livekit.SignalRequest{Message: &livekit.SignalRequest_Trickle{
			Trickle: signalling.ToProtoTrickle(c.ToJSON(), target, false),
		}}))
	}
}

func (p *TCPParticipant) send(request *livekit.SignalRequest) error {
	message, err := proto.Marshal(request)
	if err != nil {
		return fmt.Errorf("write signal: %w", err)
	}
	p.writing.Lock()
	defer p.writing.Unlock()
	return p.socket.WriteMessage(websocket.BinaryMessage, message)
}

// fail keeps the first error of the background for whoever waits.
func (p *TCPParticipant) fail(err error) {
	if err == nil || p.ended.Err() != nil {
		return
	}
	select {
	case p.failed <- err:
	default:
	}
}

// listen answers the media server until the socket closes.
func (p *TCPParticipant) listen() {
	for {
		_, message, err := p.socket.ReadMessage()
		if err != nil {
			p.fail(err)
			return
		}
		var response livekit.SignalResponse
		if err := proto.Unmarshal(message, &response); err != nil {
			p.fail(err)
			return
		}
		p.fail(p.answer(&response))
	}
}

func (p *TCPParticipant) answer(response *livekit.SignalResponse) error {
	switch m := response.Message.(type) {
	case *livekit.SignalResponse_Join:
		close(p.joined)
	case *livekit.SignalResponse_Offer:
		return p.subscribe(m.Offer)
	case *livekit.SignalResponse_Answer:
		return p.describe(p.publisher, livekit.SignalTarget_PUBLISHER, m.Answer)
	case *livekit.SignalResponse_Trickle:
		candidate, err := signalling.FromProtoTrickle(m.Trickle)
		if err != nil {
			return fmt.Errorf("read candidate: %w", err)
		}
		return p.add(m.Trickle.Target, candidate)
	case *livekit.SignalResponse_Leave:
		return errors.New("sent away: " + m.Leave.Reason.String())
	}
	return nil
}

func (p *TCPParticipant) connection(target livekit.SignalTarget) *webrtc.PeerConnection {
	if target == livekit.SignalTarget_PUBLISHER {
		return p.publisher
	}
	return p.subscriber
}

func (p *TCPParticipant) add(target livekit.SignalTarget, candidate webrtc.ICECandidateInit) error {
	pc := p.connection(target)
	if pc.RemoteDescription() == nil {
		p.waiting[target] = append(p.waiting[target], candidate)
		return nil
	}
	return pc.AddICECandidate(candidate)
}

// describe takes the other side's description, and the candidates that came before it.
func (p *TCPParticipant) describe(pc *webrtc.PeerConnection, target livekit.SignalTarget, sd *livekit.SessionDescription) error {
	description, _, _ := signalling.FromProtoSessionDescription(sd)
	if err := pc.SetRemoteDescription(description); err != nil {
		return fmt.Errorf("take description: %w", err)
	}
	for _, candidate := range p.waiting[target] {
		if err := pc.AddICECandidate(candidate); err != nil {
			return fmt.Errorf("add candidate: %w", err)
		}
	}
	delete(p.waiting, target)
	return nil
}

func (p *TCPParticipant) subscribe(offer *livekit.SessionDescription) error {
	if err := p.describe(p.subscriber, livekit.SignalTarget_SUBSCRIBER, offer); err != nil {
		return err
	}
	answer, err := p.subscriber.CreateAnswer(nil)
	if err != nil {
		return fmt.Errorf("make answer: %w", err)
	}
	if err := p.subscriber.SetLocalDescription(answer); err != nil {
		return fmt.Errorf("make answer: %w", err)
	}
	return p.send(&livekit.SignalRequest{Message: &livekit.SignalRequest_Answer{
		Answer: signalling.ToProtoSessionDescription(answer, offer.Id, nil),
	}})
}

// Publish starts sending encrypted frames of one source. It is called once.
func (p *TCPParticipant) Publish(source media.Source) error {
	kind, err := kindOf(source)
	if err != nil {
		return err
	}
	track, err := webrtc.NewTrackLocalStaticSample(kind.codec, string(source), string(source))
	if err != nil {
		return fmt.Errorf("make track: %w", err)
	}
	if _, err := p.publisher.AddTrack(track); err != nil {
		return fmt.Errorf("add track: %w", err)
	}
	typ := livekit.TrackType_AUDIO
	if track.Kind() == webrtc.RTPCodecTypeVideo {
		typ = livekit.TrackType_VIDEO
	}
	if err := p.send(&livekit.SignalRequest{Message: &livekit.SignalRequest_AddTrack{AddTrack: &livekit.AddTrackRequest{
		Cid: track.ID(), Name: string(source), Type: typ, Source: kind.source, Encryption: livekit.Encryption_GCM, Width: 160, Height: 120,
	}}}); err != nil {
		return fmt.Errorf("announce track: %w", err)
	}
	offer, err := p.publisher.CreateOffer(nil)
	if err != nil {
		return fmt.Errorf("make offer: %w", err)
	}
	if err := p.publisher.SetLocalDescription(offer); err != nil {
		return fmt.Errorf("make offer: %w", err)
	}
	go p.play(track, kind)
	return p.send(&livekit.SignalRequest{Message: &livekit.SignalRequest_Offer{Offer: signalling.ToProtoSessionDescription(offer, 1, nil)}})
}

// play sends the frames of a kind at their own pace.
func (p *TCPParticipant) play(track *webrtc.TrackLocalStaticSample, k kind) {
	frames, seal := newLoop(k.frames, k.duration), &frameCipher{aead: p.key, clear: k.clear}
	pace := time.NewTicker(k.duration)
	defer pace.Stop()
	for {
		sample, err := frames.NextSample(p.ended)
		if err == nil {
			sample.Data, err = seal.EncryptFrame(sample.Data)
		}
		if err == nil {
			err = track.WriteSample(pion.Sample{Data: sample.Data, Duration: k.duration})
		}
		p.fail(err)
		select {
		case <-pace.C:
		case <-p.ended.Done():
			return
		}
	}
}

// receive counts the frames of one track, as those of whoever sends its kind:
// there are two people in these tests.
func (p *TCPParticipant) receive(track *webrtc.TrackRemote) {
	source := media.Microphone
	if track.Kind() == webrtc.RTPCodecTypeVideo {
		source = media.Camera
	}
	kind, err := kindOf(source)
	if err != nil {
		p.fail(err)
		return
	}
	frames := e2ee.NewTrackDecryptorWithOptions(track, &frameCipher{aead: p.key, clear: kind.clear}, reorder)
	for {
		sample, err := frames.ReadSample()
		switch {
		case errors.Is(err, errUndecryptable):
			p.tally.add(p.tally.undecryptable, stream{source: source})
		case err != nil:
			return
		case sample != nil:
			p.tally.add(p.tally.decrypted, stream{source: source})
		}
	}
}

// WaitFrames waits for n more frames of the other person's source that make sense.
func (p *TCPParticipant) WaitFrames(ctx context.Context, source media.Source, n int) error {
	return p.tally.wait(ctx, p.tally.decrypted, stream{source: source}, n)
}

// Transports are the protocols that both connections take.
func (p *TCPParticipant) Transports() ([]string, error) {
	var used []string
	for _, pc := range []*webrtc.PeerConnection{p.publisher, p.subscriber} {
		pair, err := pc.SCTP().Transport().ICETransport().GetSelectedCandidatePair()
		if err != nil || pair == nil {
			return nil, fmt.Errorf("no media connection: %w", err)
		}
		used = append(used, pair.Remote.Protocol.String())
	}
	return used, nil
}

func (p *TCPParticipant) close() {
	p.end()
	_ = p.socket.Close()
	for _, pc := range []*webrtc.PeerConnection{p.publisher, p.subscriber} {
		if pc != nil {
			_ = pc.Close()
		}
	}
}
