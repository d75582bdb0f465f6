package mediaclient

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/livekit/protocol/livekit"
	"github.com/livekit/server-sdk-go/v2/e2ee"
	"github.com/pion/webrtc/v4"
	pion "github.com/pion/webrtc/v4/pkg/media"
	"google.golang.org/protobuf/proto"

	"github.com/conclave-rooms/conclave/internal/media"
)

// reorder is how many packets a receiver waits for a missing one. The default,
// 150, is ten seconds of our pictures, and every stream begins with a gap.
const reorder = 8

// subscribe handles the tracks and data of others.
func (p *Participant) subscribe() {
	p.sub.OnTrack(func(track *webrtc.TrackRemote, _ *webrtc.RTPReceiver) { p.watch(track) })
	p.sub.OnDataChannel(func(channel *webrtc.DataChannel) {
		channel.OnMessage(func(message webrtc.DataChannelMessage) { p.hear(message.Data) })
	})
}

// hear handles one data packet.
func (p *Participant) hear(message []byte) {
	var packet livekit.DataPacket
	if err := proto.Unmarshal(message, &packet); err != nil || packet.GetUser() == nil {
		return
	}
	select {
	case p.data <- Data{Sender: packet.ParticipantIdentity, Topic: packet.GetUser().GetTopic(), Payload: packet.GetUser().Payload}:
	default: // nobody reads; a test that needs it does
	}
}

// watch counts the frames of one track until it ends.
func (p *Participant) watch(track *webrtc.TrackRemote) {
	s, ok := p.whose(track)
	if !ok {
		return
	}
	person, _, _ := strings.Cut(s.identity, ".")
	if slices.Contains(p.ignore, person) {
		drain(track)
		return
	}
	kind, err := kindOf(s.source)
	if err != nil {
		return
	}
	p.mu.Lock()
	open := &frameCipher{aead: p.key, clear: kind.clear, injected: p.injected}
	p.mu.Unlock()
	frames := e2ee.NewTrackDecryptorWithOptions(track, open, reorder)
	for {
		sample, err := survive(frames.ReadSample)
		switch {
		case errors.Is(err, errLostPlace):
			frames = e2ee.NewTrackDecryptorWithOptions(track, open, reorder)
		case errors.Is(err, errUndecryptable):
			p.tally.add(p.tally.undecryptable, s)
		case err != nil:
			return
		case sample != nil:
			p.tally.open(s)
		}
	}
}

var errLostPlace = errors.New("the packets of a track could not be put in order")

// survive reads the next frame of a track. When packets are lost, the SDK's
// samplebuilder may look at one that is not there, and panics. The next packets can
// be put in order by a new one.
func survive(read func() (*pion.Sample, error)) (sample *pion.Sample, err error) {
	defer func() {
		if recover() != nil {
			sample, err = nil, errLostPlace
		}
	}()
	return read()
}

// drain reads packets and drops them until the track ends.
func drain(track *webrtc.TrackRemote) {
	packet := make([]byte, 1500)
	for {
		if _, _, err := track.Read(packet); err != nil {
			return
		}
	}
}

// whose finds the sender and the source of a track. The name of a stream begins
// with the sender's session; the media server may describe that person after the
// stream has begun.
func (p *Participant) whose(track *webrtc.TrackRemote) (stream, bool) {
	session, trackID, _ := strings.Cut(track.StreamID(), "|")
	if !strings.HasPrefix(trackID, "TR_") {
		trackID = track.ID()
	}
	for {
		changed := p.tally.watch()
		if s, ok := p.known(session, trackID); ok {
			return s, true
		}
		select {
		case <-changed:
		case <-p.ctx.Done():
			return stream{}, false
		}
	}
}

func (p *Participant) known(session, trackID string) (stream, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	sender, ok := p.others[session]
	if !ok {
		return stream{}, false
	}
	for _, t := range sender.Tracks {
		if t.Sid == trackID {
			return stream{identity: sender.Identity, source: sourceOf(t.Source)}, true
		}
	}
	return stream{}, false
}

// Data receives what others sent.
func (p *Participant) Data() <-chan Data { return p.data }

// FramesDecrypted counts the frames of a person's source that could be
// decrypted.
func (p *Participant) FramesDecrypted(identity string, source media.Source) int {
	n, _ := p.tally.count(p.tally.decrypted, stream{identity, source})
	return n
}

// Undecryptable counts the frames of a person's source that could not be decrypted.
func (p *Participant) Undecryptable(identity string, source media.Source) int {
	n, _ := p.tally.count(p.tally.undecryptable, stream{identity, source})
	return n
}

// WaitFrames waits for n more frames of a person's source that could be
// decrypted.
func (p *Participant) WaitFrames(ctx context.Context, identity string, source media.Source, n int) error {
	return p.tally.wait(ctx, p.tally.decrypted, stream{identity, source}, n)
}

// WaitUndecryptable waits for n more frames of a person's source that could
// not be decrypted.
func (p *Participant) WaitUndecryptable(ctx context.Context, identity string, source media.Source, n int) error {
	return p.tally.wait(ctx, p.tally.undecryptable, stream{identity, source}, n)
}

// WaitFirstFrame waits until a frame of anybody could be decrypted, and says when
// that was. A frame that came before the connection ended counts.
func (p *Participant) WaitFirstFrame(ctx context.Context) (time.Time, error) {
	for ended := error(nil); ; {
		at, changed := p.tally.opened()
		switch {
		case !at.IsZero():
			return at, nil
		case ended != nil:
			return time.Time{}, fmt.Errorf("no frame came: %w", ended)
		}
		select {
		case <-changed:
		case <-p.gone:
			ended = p.Err()
		case <-ctx.Done():
			ended = context.Cause(ctx)
		}
	}
}

// Reception is what a participant got of others.
type Reception struct {
	Packets       int // that arrived
	Lost          int // whose numbers are missing between those that arrived
	Frames        int // that could be decrypted
	Undecryptable int // that could not, some because a packet was lost
}

// Plus adds what was received elsewhere.
func (r Reception) Plus(o Reception) Reception {
	return Reception{r.Packets + o.Packets, r.Lost + o.Lost, r.Frames + o.Frames, r.Undecryptable + o.Undecryptable}
}

// Reception counts what the participant got of everybody so far.
func (p *Participant) Reception() Reception {
	packets, lost := p.sub.tap.received()
	return Reception{Packets: packets, Lost: lost, Frames: p.tally.all(p.tally.decrypted), Undecryptable: p.tally.all(p.tally.undecryptable)}
}
