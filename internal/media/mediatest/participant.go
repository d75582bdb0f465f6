package mediatest

import (
	"context"
	"crypto/cipher"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/livekit/protocol/livekit"
	"github.com/livekit/protocol/logger"
	lksdk "github.com/livekit/server-sdk-go/v2"
	"github.com/livekit/server-sdk-go/v2/e2ee"
	"github.com/pion/webrtc/v4"

	"github.com/conclave-rooms/conclave/internal/media"
)

// Options say how a participant comes in.
type Options struct {
	URL        string // ws:// address, as the API gives it (server_url)
	Token      string
	Passphrase string // of the end-to-end encryption (e2ee_passphrase)
}

// Data is one data packet of somebody else's.
type Data struct {
	Sender  string
	Topic   string
	Payload []byte
}

// Participant is somebody in a media room, with sound and pictures.
type Participant struct {
	room     *lksdk.Room
	key      cipher.AEAD
	wire     *wire
	tally    *tally
	data     chan Data
	gone     chan struct{}
	goneOnce sync.Once
	leave    sync.Once

	mu   sync.Mutex
	pubs map[string]*lksdk.LocalTrackPublication
}

// Join lets a participant in, and takes it out at the end of the test.
func Join(t testing.TB, o Options) *Participant {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	p, err := Connect(ctx, o)
	if err != nil {
		t.Fatalf("join: %v", err)
	}
	t.Cleanup(p.Disconnect)
	return p
}

// sdkLogger guards the SDK's logger, which is one for the whole process: what
// its network layer tells would bury the output of a test.
var sdkLogger sync.Once

// Connect lets a participant in.
func Connect(ctx context.Context, o Options) (*Participant, error) {
	sdkLogger.Do(func() { lksdk.SetLogger(logger.GetDiscardLogger()) })
	key, err := frameKey(o.Passphrase)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	wire, err := newWire(ctx, o.URL)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	p := &Participant{
		key: key, wire: wire, tally: newTally(), data: make(chan Data, 256),
		gone: make(chan struct{}), pubs: map[string]*lksdk.LocalTrackPublication{},
	}
	p.room = lksdk.NewRoom(p.callbacks())
	p.room.SetLogger(logger.GetDiscardLogger())
	err = p.room.JoinWithContextAndToken(ctx, wire.address, o.Token,
		lksdk.WithAutoSubscribe(true), lksdk.WithLogger(logger.GetDiscardLogger()), lksdk.WithConnectTimeout(10*time.Second))
	if err != nil {
		wire.remove()
		return nil, fmt.Errorf("connect: %w", err)
	}
	return p, nil
}

func (p *Participant) callbacks() *lksdk.RoomCallback {
	return &lksdk.RoomCallback{
		OnDisconnected: func() { p.goneOnce.Do(func() { close(p.gone) }) },
		ParticipantCallback: lksdk.ParticipantCallback{
			OnTrackSubscribed: func(t *webrtc.TrackRemote, pub *lksdk.RemoteTrackPublication, from *lksdk.RemoteParticipant) {
				go p.receive(t, stream{identity: from.Identity(), source: sourceOf(pub.Source())})
			},
			OnDataPacket: func(packet lksdk.DataPacket, params lksdk.DataReceiveParams) {
				user, ok := packet.(*lksdk.UserDataPacket)
				if !ok {
					return
				}
				select {
				case p.data <- Data{Sender: params.SenderIdentity, Topic: user.Topic, Payload: user.Payload}:
				default: // nobody reads; a test that cares does
				}
			},
		},
	}
}

// reorder is how many packets a receiver waits for one that is missing. The
// SDK's own default, 150, is ten seconds of our pictures, and every stream
// begins with a gap.
const reorder = 8

// receive counts the frames of one track until it ends.
func (p *Participant) receive(track *webrtc.TrackRemote, s stream) {
	kind, err := kindOf(s.source)
	if err != nil {
		return
	}
	frames := e2ee.NewTrackDecryptorWithOptions(track,
		&frameCipher{aead: p.key, clear: kind.clear, injected: p.room.SifTrailer()}, reorder)
	for {
		sample, err := frames.ReadSample()
		switch {
		case errors.Is(err, errUndecryptable):
			p.tally.add(p.tally.undecryptable, s)
		case err != nil:
			return
		case sample != nil:
			p.tally.add(p.tally.decrypted, s)
		}
	}
}

// Identity is the connection identity.
func (p *Participant) Identity() string { return p.room.LocalParticipant.Identity() }

// SessionID is the media server's id of this connection.
func (p *Participant) SessionID() string { return p.room.LocalParticipant.SID() }

// Publish starts sending encrypted frames of a source and gives the track's
// id. A media server that does not allow it says nothing to this kind of
// client: then ctx decides how long to wait.
func (p *Participant) Publish(ctx context.Context, source media.Source) (string, error) {
	kind, err := kindOf(source)
	if err != nil {
		return "", err
	}
	track, err := lksdk.NewLocalTrack(kind.codec, lksdk.WithFrameEncryptor(&frameCipher{aead: p.key, clear: kind.clear}))
	if err != nil {
		return "", fmt.Errorf("publish %s: %w", source, err)
	}
	if err := track.StartWrite(newLoop(kind.frames, kind.duration), func() {}); err != nil {
		return "", fmt.Errorf("publish %s: %w", source, err)
	}
	type result struct {
		pub *lksdk.LocalTrackPublication
		err error
	}
	done := make(chan result, 1)
	go func() {
		pub, err := p.room.LocalParticipant.PublishTrack(track, &lksdk.TrackPublicationOptions{
			Name: string(source), Source: kind.source, Encryption: livekit.Encryption_GCM, VideoWidth: 160, VideoHeight: 120,
		})
		done <- result{pub, err}
	}()
	select {
	case r := <-done:
		if r.err != nil {
			return "", fmt.Errorf("publish %s: %w", source, r.err)
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		p.pubs[r.pub.SID()] = r.pub
		return r.pub.SID(), nil
	case <-ctx.Done():
		return "", fmt.Errorf("publish %s: %w", source, context.Cause(ctx))
	}
}

// Unpublish ends a track.
func (p *Participant) Unpublish(trackID string) error {
	return p.room.LocalParticipant.UnpublishTrack(trackID)
}

func (p *Participant) publication(trackID string) (*lksdk.LocalTrackPublication, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	pub, ok := p.pubs[trackID]
	if !ok {
		return nil, fmt.Errorf("%w: no own track %q", media.ErrNotFound, trackID)
	}
	return pub, nil
}

// SetMuted mutes or unmutes an own track.
func (p *Participant) SetMuted(trackID string, muted bool) error {
	pub, err := p.publication(trackID)
	if err == nil {
		pub.SetMuted(muted)
	}
	return err
}

// Muted says whether an own track is muted, by whomever.
func (p *Participant) Muted(trackID string) (bool, error) {
	pub, err := p.publication(trackID)
	if err != nil {
		return false, err
	}
	return pub.IsMuted(), nil
}

// SetAttributes asks the media server to change own attributes, as stock
// clients do to raise a hand. It does not tell whether they may.
func (p *Participant) SetAttributes(attributes map[string]string) {
	p.room.LocalParticipant.SetAttributes(attributes)
}

// SendData sends a data packet to everyone, reliably.
func (p *Participant) SendData(topic string, payload []byte) error {
	return p.room.LocalParticipant.PublishDataPacket(lksdk.UserData(payload),
		lksdk.WithDataPublishTopic(topic), lksdk.WithDataPublishReliable(true))
}

// Data is what others sent.
func (p *Participant) Data() <-chan Data { return p.data }

// Others lists the identities this participant sees, besides itself.
func (p *Participant) Others() []string {
	var others []string
	for _, o := range p.room.GetRemoteParticipants() {
		others = append(others, o.Identity())
	}
	return others
}

// FramesDecrypted counts the frames of somebody's source that made sense.
func (p *Participant) FramesDecrypted(identity string, source media.Source) int {
	n, _ := p.tally.count(p.tally.decrypted, stream{identity, source})
	return n
}

// Undecryptable counts the frames of somebody's source that did not.
func (p *Participant) Undecryptable(identity string, source media.Source) int {
	n, _ := p.tally.count(p.tally.undecryptable, stream{identity, source})
	return n
}

// WaitFrames waits for n more frames of somebody's source that make sense.
func (p *Participant) WaitFrames(ctx context.Context, identity string, source media.Source, n int) error {
	return p.tally.wait(ctx, p.tally.decrypted, stream{identity, source}, n)
}

// WaitUndecryptable waits for n more frames of somebody's source that make none.
func (p *Participant) WaitUndecryptable(ctx context.Context, identity string, source media.Source, n int) error {
	return p.tally.wait(ctx, p.tally.undecryptable, stream{identity, source}, n)
}

// Transport is the protocol the media takes: "udp" or "tcp".
func (p *Participant) Transport() (string, error) {
	pair, err := p.room.LocalParticipant.GetSubscriberPeerConnection().SCTP().Transport().ICETransport().GetSelectedCandidatePair()
	if err != nil || pair == nil {
		return "", fmt.Errorf("no media connection: %w", err)
	}
	return pair.Remote.Protocol.String(), nil
}

// Gone is closed when the connection is over, for whatever reason.
func (p *Participant) Gone() <-chan struct{} { return p.gone }

// GoneReason is the media server's word for why (PARTICIPANT_REMOVED, ...).
func (p *Participant) GoneReason() string { return p.room.DisconnectReason().String() }

// Disconnect says goodbye. It may be called again.
func (p *Participant) Disconnect() {
	p.leave.Do(func() {
		p.room.Disconnect()
		p.wire.remove()
	})
}

// Kill takes the network away without a word: the media server has to find
// out by itself, which takes it some twenty seconds.
func (p *Participant) Kill() {
	p.wire.sever()
	for _, pc := range []*webrtc.PeerConnection{
		p.room.LocalParticipant.GetPublisherPeerConnection(), p.room.LocalParticipant.GetSubscriberPeerConnection(),
	} {
		if pc != nil && pc.SCTP() != nil {
			// Stopping the layer below leaves DTLS no way to say that it closes.
			_ = pc.SCTP().Transport().ICETransport().Stop()
		}
	}
	p.room.Disconnect() // it only stops trying: nothing gets out any more
}
