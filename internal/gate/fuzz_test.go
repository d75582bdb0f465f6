package gate_test

import (
	"context"
	"encoding/hex"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/livekit/protocol/livekit"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/conclave-rooms/conclave/internal/media"
	"github.com/conclave-rooms/conclave/internal/media/mediaclient"
	"github.com/conclave-rooms/conclave/internal/media/mediatest"
)

// How long TestNonsense runs; make fuzz-media sets these flags.
var (
	nonsensePackets = flag.Int("nonsense.packets", 4000, "packets of nonsense to send")
	nonsenseTime    = flag.Duration("nonsense.duration", 0, "go on for this long instead")
	nonsenseSeed    = flag.Uint64("nonsense.seed", 1, "seed of the nonsense")
)

const (
	nonsenseBatch = 20_000 // packets of one participant; the next one begins with a new connection
	nonsenseBurst = 50     // packets without a pause; then the media server gets a moment to handle them
	nonsenseWords = 300    // signalling messages beside each batch
)

// TestNonsense sends malformed RTP, RTCP, data, messages and session
// descriptions, close to valid ones, as people who may publish. The media
// server must not crash, must still answer, and must keep forwarding between
// two other people.
func TestNonsense(t *testing.T) {
	t.Parallel()
	t.Logf("seed %d", *nonsenseSeed)
	n := &nonsense{Rand: rand.New(rand.NewPCG(*nonsenseSeed, 0)), sdps: descriptions(t)}
	begun, limit := time.Now(), max(*nonsenseTime, 0)+time.Duration(*nonsensePackets)*time.Millisecond+2*time.Minute
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	o := meetIn(t, against(t))
	n.record(t, o)
	sent, words := 0, 0
	for *nonsenseTime > 0 && time.Since(begun) < *nonsenseTime || *nonsenseTime == 0 && sent < *nonsensePackets {
		batch := nonsenseBatch
		if *nonsenseTime == 0 {
			batch = min(batch, *nonsensePackets-sent)
		}
		words += n.talk(ctx, t, o.target)
		sent += n.stream(ctx, t, o.target, batch)
		o.target.hears(ctx, t, o.listener, o.speaker)
		o.target.lives(t)
	}
	t.Logf("%d packets and %d messages in %v", sent, words, time.Since(begun).Round(time.Second))
}

// nonsense mutates valid messages and packets that it has recorded.
type nonsense struct {
	*rand.Rand

	sdps []string

	mu    sync.Mutex
	heard []*livekit.SignalRequest
}

func descriptions(t *testing.T) []string {
	t.Helper()
	names, err := filepath.Glob("testdata/sdp/*.sdp")
	if err != nil || len(names) == 0 {
		t.Fatalf("no descriptions: %v", err)
	}
	var texts []string
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, strings.ReplaceAll(string(text), "\n", "\r\n"))
	}
	return texts
}

// record collects what one person sends who joins, speaks and leaves, and adds
// messages that this person does not send.
func (n *nonsense) record(t *testing.T, o *others) {
	t.Helper()
	as := o.target.options(t, "honest")
	as.Alter = func(r *livekit.SignalRequest) {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.heard = append(n.heard, proto.CloneOf(r))
	}
	p := mediatest.Join(t, as)
	id, err := p.Publish(o.ctx, media.Camera)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.SetMuted(id, true); err != nil {
		t.Fatal(err)
	}
	p.SetAttributes(map[string]string{"hand_raised": "true"})
	p.Disconnect()
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, message := range [][]byte{
		track(camera()), syncState(state()), audioFeatures(id, 1, 2), videoSize(id, 640, 480), ping(&livekit.Ping{Timestamp: 1, Rtt: 2}),
		subscription(&livekit.UpdateSubscription{TrackSids: []string{id}, Subscribe: true}),
		settings(&livekit.UpdateTrackSettings{TrackSids: []string{id}, Quality: 1, Width: 320, Height: 180, Fps: 15}),
		permissions(&livekit.SubscriptionPermission{AllParticipants: true}),
	} {
		var r livekit.SignalRequest
		want(t, "is read", proto.Unmarshal(message, &r), nil)
		n.heard = append(n.heard, &r)
	}
}

// talk sends messages over connections without media, and returns how many.
func (n *nonsense) talk(ctx context.Context, t *testing.T, at *target) int {
	t.Helper()
	sent := 0
	for sent < nonsenseWords {
		conn, _, err := websocket.DefaultDialer.DialContext(ctx, at.url+"/rtc?protocol=17&sdk=js&access_token="+at.options(t, "mallory").Token, nil)
		if err != nil {
			at.lives(t)
			t.Fatal(err)
		}
		over := make(chan struct{})
		go func() {
			defer close(over)
			for {
				if _, _, err := conn.ReadMessage(); err != nil {
					return
				}
			}
		}()
		for range 30 {
			sent++
			if conn.WriteMessage(websocket.BinaryMessage, n.message()) != nil {
				break
			}
		}
		_ = conn.Close()
		<-over
	}
	return sent
}

func (n *nonsense) message() []byte {
	if n.IntN(4) == 0 {
		return offer(strings.ToValidUTF8(string(n.spoil([]byte(n.sdps[n.IntN(len(n.sdps))]), 4)), "?"))
	}
	r := proto.CloneOf(n.heard[n.IntN(len(n.heard))])
	if n.IntN(2) == 0 {
		for range 1 + n.IntN(3) {
			n.change(r.ProtoReflect())
		}
		return write(&livekit.SignalRequest{Message: r.GetMessage()})
	}
	return n.spoil(write(r), 3)
}

// change sets one field somewhere in a message to another value.
func (n *nonsense) change(m protoreflect.Message) {
	var set []protoreflect.FieldDescriptor
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		if f := fields.Get(i); m.Has(f) || f.ContainingOneof() == nil {
			set = append(set, f)
		}
	}
	if len(set) == 0 {
		return
	}
	f := set[n.IntN(len(set))]
	switch {
	case f.IsMap():
	case f.IsList():
		list := m.Mutable(f).List()
		for range n.IntN(4) {
			if f.Kind() == protoreflect.MessageKind {
				one := list.NewElement()
				n.change(one.Message())
				list.Append(one)
			} else {
				list.Append(n.scalar(f))
			}
		}
		if list.Len() > 0 && f.Kind() == protoreflect.MessageKind {
			n.change(list.Get(n.IntN(list.Len())).Message())
		}
	case f.Kind() == protoreflect.MessageKind:
		n.change(m.Mutable(f).Message())
	default:
		m.Set(f, n.scalar(f))
	}
}

func (n *nonsense) scalar(f protoreflect.FieldDescriptor) protoreflect.Value {
	number := []int64{0, 1, 2, 3, 4, 7, 255, 256, 65535, 1<<31 - 1, -1, -1 << 31, int64(n.Uint32())}[n.IntN(13)]
	switch f.Kind() {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(n.IntN(2) == 0)
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum(protoreflect.EnumNumber(int32(number)))
	case protoreflect.Int32Kind:
		return protoreflect.ValueOfInt32(int32(number))
	case protoreflect.Uint32Kind:
		return protoreflect.ValueOfUint32(uint32(number))
	case protoreflect.Int64Kind:
		return protoreflect.ValueOfInt64(number)
	case protoreflect.StringKind:
		return protoreflect.ValueOfString([]string{"", "a", "vp8", "video/h264", text(256), "TR_1", "offer", "q", "{}"}[n.IntN(9)])
	default:
		return f.Default()
	}
}

// spoil damages bytes: it changes some, or cuts, doubles or leaves out a part.
func (n *nonsense) spoil(b []byte, most int) []byte {
	b = slices.Clone(b)
	for range n.IntN(most + 1) {
		if len(b) == 0 {
			return b
		}
		at := n.IntN(len(b))
		end := min(len(b), at+1+n.IntN(24))
		switch n.IntN(6) {
		case 0:
			b[at] ^= 1 << n.IntN(8)
		case 1:
			b[at] = byte(n.Uint32())
		case 2:
			b = b[:at]
		case 3:
			b = slices.Insert(b, at, b[at:end]...)
		case 4:
			b = slices.Delete(b, at, end)
		case 5:
			b[at] = []byte{0, 0xff, 0x7f, 0x80}[n.IntN(4)]
		}
	}
	return b
}

// stream publishes tracks and sends packets on them, and returns how many.
func (n *nonsense) stream(ctx context.Context, t *testing.T, at *target, packets int) int {
	t.Helper()
	eve, err := mediaclient.Connect(ctx, at.options(t, "eve"))
	if err != nil {
		at.lives(t)
		t.Fatal(err)
	}
	defer eve.Disconnect()
	for _, source := range []media.Source{media.Microphone, media.Camera} {
		if _, err := eve.PublishSilently(ctx, source); err != nil {
			at.lives(t)
			t.Fatal(err)
		}
	}
	if err := eve.WaitConnected(ctx); err != nil {
		t.Fatal(err)
	}
	streams := eve.Streams()
	pace := time.NewTicker(2 * time.Millisecond)
	defer pace.Stop()
	sent := 0
	for ; sent < packets; sent++ {
		switch n.IntN(20) {
		case 0:
			_ = eve.WriteRTCP(n.rtcp(streams))
		case 1:
			_ = eve.SendPacket(ctx, n.spoil(n.data(), 3)) // the channel may be closed by now
		default:
			_ = eve.WriteRaw(n.rtp(streams)) // a packet that cannot be written is not a failure of the server
		}
		if sent%nonsenseBurst == 0 {
			<-pace.C
		}
	}
	_ = eve.OpenChannel(string(n.spoil([]byte("_lossy"), 2)))
	return sent
}

// payloads begin like real video and audio.
var payloads = [][]byte{
	unhexed("10300100" + "9d012aa0007800" + "0000000000000000000000"), // VP8, a key frame
	unhexed("90e081030240" + "310100" + "00000000000000000000"),       // VP8 with all its parameters
	unhexed("6742e01f8d680a03da10"),                                   // H.264, parameters
	unhexed("78000a6742e01f8d680a03da10000468ce3c80"),                 // several NAL units in one packet
	unhexed("7c8588840000000000"),                                     // a fragment of one
	unhexed("fc0102030405060708"),                                     // Opus
	unhexed("ef000005" + "6f" + "fc01020304" + "fc05060708"),          // RED
	unhexed("08"), unhexed("00"), {},
}

func unhexed(text string) []byte {
	b, err := hex.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return b
}

func (n *nonsense) rtp(streams []mediaclient.Stream) mediaclient.Raw {
	at := streams[n.IntN(len(streams))]
	p := mediaclient.Raw{
		SSRC: at.SSRC, PayloadType: at.PayloadType, Marker: n.IntN(3) == 0,
		Payload: n.spoil(payloads[n.IntN(len(payloads))], 3),
	}
	if n.IntN(4) == 0 {
		p.PayloadType = []uint8{63, 96, 97, 98, 99, 102, 103, 104, 106, 108, 111, 116, 125, 127, uint8(n.IntN(128))}[n.IntN(15)]
	}
	if n.IntN(50) == 0 {
		p.SSRC = n.Uint32()
	}
	if n.IntN(50) == 0 {
		p.Skip = uint16(n.Uint32())
	}
	for range n.IntN(3) {
		extension := make([]byte, 1+n.IntN(16))
		for i := range extension {
			extension[i] = byte(n.Uint32())
		}
		p.Extensions = append(p.Extensions, mediaclient.Extension{ID: uint8(1 + n.IntN(14)), Value: extension})
	}
	return p
}

// rtcp makes one or several reports: sender and receiver reports, descriptions,
// goodbyes, transport and payload feedback.
func (n *nonsense) rtcp(streams []mediaclient.Stream) []byte {
	var all []byte
	for range 1 + n.IntN(3) {
		body := make([]byte, 4*(1+n.IntN(12)))
		for i := range body {
			body[i] = byte(n.Uint32())
		}
		ssrc := streams[n.IntN(len(streams))].SSRC
		body[0], body[1], body[2], body[3] = byte(ssrc>>24), byte(ssrc>>16), byte(ssrc>>8), byte(ssrc)
		all = append(all, 0x80|byte(n.IntN(32)), byte(200+n.IntN(8)), 0, byte(len(body)/4))
		all = append(all, body...)
	}
	return n.spoil(all, 2)
}

func (n *nonsense) data() []byte {
	topic := "chat"
	p := &livekit.DataPacket{Value: &livekit.DataPacket_User{User: &livekit.UserPacket{Payload: []byte("hello"), Topic: &topic}}}
	for range n.IntN(4) {
		n.change(p.ProtoReflect())
	}
	return write(p)
}
