package mediaclient

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/livekit/protocol/livekit"
	"github.com/pion/interceptor"
	"github.com/pion/rtcp"
	"github.com/pion/rtp"

	"github.com/conclave-rooms/conclave/internal/media"
)

// Stream is what was negotiated for a track that a participant sends.
type Stream struct {
	SSRC        uint32
	PayloadType uint8
	MIME        string
}

// SendRequest sends a request unchecked; an honest client might not send it.
func (p *Participant) SendRequest(request *livekit.SignalRequest) error {
	return p.signal.send(request)
}

// SendMessage sends any bytes in place of a request.
func (p *Participant) SendMessage(message []byte) error { return p.signal.write(message) }

// Offer makes an offer and waits for the answer, as publishing does.
func (p *Participant) Offer(ctx context.Context) error {
	if err := p.pub.take(ctx); err != nil {
		return fmt.Errorf("offer: %w", err)
	}
	defer p.pub.giveBack()
	return p.pub.negotiate(ctx)
}

// PublishSilently publishes a track and sends nothing on it.
func (p *Participant) PublishSilently(ctx context.Context, source media.Source) (string, error) {
	id, err := p.pub.publish(ctx, p.ctx, source, string(source), false)
	if err != nil {
		return "", fmt.Errorf("publish %s: %w", source, err)
	}
	return id, nil
}

// Streams lists the tracks on which packets can be written, in the order in
// which they were published.
func (p *Participant) Streams() []Stream { return p.pub.tap.list() }

// Packet is the part of an RTP packet that matters here.
type Packet struct {
	PayloadType uint8
	ExtensionID uint8 // none: 0
	Extension   []byte
	Payload     []byte
}

// WritePackets sends packets at the pace of pictures, in the stream that was
// published last.
func (p *Participant) WritePackets(ctx context.Context, packets []Packet) error {
	streams := p.Streams()
	if len(streams) == 0 {
		return errors.New("write packets: no track is sent, so there is no way for them")
	}
	if err := p.WaitConnected(ctx); err != nil {
		return err
	}
	pace := time.NewTicker(time.Second / 30)
	defer pace.Stop()
	for _, packet := range packets {
		one := &rtp.Packet{Header: rtp.Header{SSRC: streams[len(streams)-1].SSRC, PayloadType: packet.PayloadType, Marker: true}, Payload: packet.Payload}
		if packet.ExtensionID != 0 {
			if err := one.SetExtension(packet.ExtensionID, packet.Extension); err != nil {
				return fmt.Errorf("write packets: %w", err)
			}
		}
		if err := p.WriteRTP(one); err != nil {
			return err
		}
		select {
		case <-pace.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// WriteRTP sends a packet, regardless of what was negotiated. A packet without a
// number or a time gets the next one of its stream.
func (p *Participant) WriteRTP(packet *rtp.Packet) error { return p.pub.tap.write(packet) }

// WriteRTCP sends bytes as RTCP.
func (p *Participant) WriteRTCP(packet []byte) error {
	unread := rtcp.RawPacket(packet)
	if err := p.pub.WriteRTCP([]rtcp.Packet{&unread}); err != nil {
		return fmt.Errorf("write rtcp: %w", err)
	}
	return nil
}

// SendPacket sends any bytes on the data channel.
func (p *Participant) SendPacket(ctx context.Context, message []byte) error {
	if err := p.pub.ready(ctx); err != nil {
		return fmt.Errorf("send packet: %w", err)
	}
	if err := p.pub.channel.Send(message); err != nil {
		return fmt.Errorf("send packet: %w", err)
	}
	return nil
}

// OpenChannel opens one more data channel, with any name.
func (p *Participant) OpenChannel(label string) error {
	if _, err := p.pub.CreateDataChannel(label, nil); err != nil {
		return fmt.Errorf("open channel: %w", err)
	}
	return nil
}

// tap sits between the tracks and the network.
type tap struct {
	interceptor.NoOp

	mu       sync.Mutex
	streams  []*tapped
	incoming []*arrivals
}

type tapped struct {
	Stream

	to   interceptor.RTPWriter
	last rtp.Header
}

// NewInterceptor makes the tap its own factory.
func (t *tap) NewInterceptor(string) (interceptor.Interceptor, error) { return t, nil }

// BindLocalStream is called for each track when sending begins.
func (t *tap) BindLocalStream(info *interceptor.StreamInfo, to interceptor.RTPWriter) interceptor.RTPWriter {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := &tapped{Stream: Stream{SSRC: info.SSRC, PayloadType: info.PayloadType, MIME: info.MimeType}, to: to}
	t.streams = append(t.streams, s)
	return to
}

func (t *tap) list() []Stream {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []Stream
	for _, s := range t.streams {
		all = append(all, s.Stream)
	}
	return all
}

func (t *tap) write(packet *rtp.Packet) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.streams) == 0 {
		return errors.New("write a packet: no track is sent, so there is no way for it")
	}
	at := t.streams[0]
	for _, s := range t.streams {
		if s.SSRC == packet.SSRC {
			at = s
		}
	}
	if packet.SequenceNumber == 0 {
		packet.SequenceNumber = at.last.SequenceNumber + 1
	}
	if packet.Timestamp == 0 {
		packet.Timestamp = at.last.Timestamp + 3000 // thirty pictures in a second
	}
	packet.Version = 2
	at.last = packet.Header
	if _, err := at.to.Write(&packet.Header, packet.Payload, nil); err != nil {
		return fmt.Errorf("write a packet: %w", err)
	}
	return nil
}

// Extension is a header extension of a packet.
type Extension struct {
	ID    uint8
	Value []byte
}

// Raw is an RTP packet that may be invalid.
type Raw struct {
	SSRC        uint32
	PayloadType uint8
	Marker      bool
	Skip        uint16 // how many packets are missing before it
	Extensions  []Extension
	Payload     []byte
}

// WriteRaw sends such a packet.
func (p *Participant) WriteRaw(r Raw) error {
	one := &rtp.Packet{Header: rtp.Header{SSRC: r.SSRC, PayloadType: r.PayloadType, Marker: r.Marker}, Payload: r.Payload}
	for _, e := range r.Extensions {
		if err := one.SetExtension(e.ID, e.Value); err != nil {
			return fmt.Errorf("write a packet: %w", err)
		}
	}
	p.pub.tap.skip(r.SSRC, r.Skip)
	return p.WriteRTP(one)
}

// WaitConnected waits until packets reach the media server.
func (p *Participant) WaitConnected(ctx context.Context) error {
	select {
	case <-p.pub.up:
		return nil
	case <-p.gone:
		return errGone
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (t *tap) skip(ssrc uint32, packets uint16) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range t.streams {
		if s.SSRC == ssrc {
			s.last.SequenceNumber += packets
		}
	}
}
