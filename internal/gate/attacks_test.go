package gate_test

import (
	"context"
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/livekit/protocol/livekit"
	"google.golang.org/protobuf/proto"

	"github.com/conclave-rooms/conclave/internal/media"
	"github.com/conclave-rooms/conclave/internal/media/mediaclient"
	"github.com/conclave-rooms/conclave/internal/media/mediatest"
)

// attack is what one participant sends to crash a media server that has no gate
// in front of it. Its file has a line for each step:
//
//	announce HEX                 is merged into the announcement of the track
//	join HEX                     a request to join, which announces the track "eve"
//	offer ATTRIBUTE              is added to every video section of an offer
//	layered                      the track says that its layers share a stream
//	undeclared                   the offers that are sent hold no media
//	rtp TYPE ID EXTENSION HEX    a packet, with a header extension or "- -"
type attack struct {
	attributes          []string
	layered, undeclared bool
	refused             bool // the gate refuses it and ends the connection
	announcement        *livekit.AddTrackRequest
	join                *livekit.JoinRequest
	packets             []mediaclient.Packet
}

func readAttack(t *testing.T, name string) *attack {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	a := &attack{}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		switch words[0] {
		case "#":
		case "announce":
			a.announcement = new(livekit.AddTrackRequest)
			a.refused = true
			want(t, "is read", proto.Unmarshal(unhex(t, words[1]), a.announcement), nil)
		case "join":
			a.join = new(livekit.JoinRequest)
			want(t, "is read", proto.Unmarshal(unhex(t, words[1]), a.join), nil)
		case "offer":
			a.attributes = append(a.attributes, strings.Join(words[1:], " "))
		case "layered":
			a.layered = true
		case "undeclared":
			a.undeclared = true
		case "rtp":
			p := mediaclient.Packet{PayloadType: number(t, words[1]), Payload: unhex(t, words[4])}
			if words[2] != "-" {
				p.ExtensionID, p.Extension = number(t, words[2]), unhex(t, words[3])
			}
			a.packets = append(a.packets, p)
		default:
			t.Fatalf("%s: unknown step %q", name, words[0])
		}
	}
	return a
}

func unhex(t *testing.T, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func number(t *testing.T, text string) uint8 {
	t.Helper()
	n, err := strconv.ParseUint(text, 10, 8)
	if err != nil {
		t.Fatal(err)
	}
	return uint8(n)
}

// alter adds the attack to a message of a well-behaved client.
func (a *attack) alter(r *livekit.SignalRequest) {
	if add := r.GetAddTrack(); add != nil && a.announcement != nil {
		add.Layers, add.SimulcastCodecs = a.announcement.GetLayers(), a.announcement.GetSimulcastCodecs()
	}
	if add := r.GetAddTrack(); add != nil && a.layered {
		add.SimulcastCodecs = []*livekit.SimulcastCodec{
			{Codec: "vp8", Cid: add.GetCid(), VideoLayerMode: livekit.VideoLayer_MULTIPLE_SPATIAL_LAYERS_PER_STREAM},
		}
	}
	if o := r.GetOffer(); o != nil {
		sections := strings.Split(o.GetSdp(), "m=")
		kept := sections[:0]
		for i, s := range sections {
			if strings.HasPrefix(s, "video") {
				for _, attribute := range a.attributes {
					s += "a=" + attribute + "\r\n"
				}
			}
			if i == 0 || !a.undeclared || strings.HasPrefix(s, "application") {
				kept = append(kept, s)
			}
		}
		o.Sdp = strings.Join(kept, "m=")
		if a.join != nil {
			o.Sdp = trackID.ReplaceAllString(o.GetSdp(), "eve")
		}
		if a.undeclared {
			o.Sdp = strings.Replace(o.GetSdp(), "a=group:BUNDLE 0 1", "a=group:BUNDLE 1", 1)
		}
	}
}

// trackID is the name of a camera's track in a description.
var trackID = regexp.MustCompile(`camera-[0-9A-Z]+`)

// mishear replaces the answer to an offer without media by one with media, so
// that the client goes on to send packets.
func (a *attack) mishear(r *livekit.SignalResponse) {
	answer := r.GetAnswer()
	if answer == nil || !a.undeclared {
		return
	}
	head, application, _ := strings.Cut(answer.GetSdp(), "m=application")
	video := "m=video 9 UDP/TLS/RTP/SAVPF 96\r\na=mid:0\r\na=recvonly\r\na=rtcp-mux\r\na=rtpmap:96 VP8/90000\r\n"
	for line := range strings.Lines(application) {
		for _, shared := range []string{"c=", "a=ice-", "a=fingerprint", "a=setup"} {
			if strings.HasPrefix(line, shared) {
				video += line
			}
		}
	}
	head = strings.Replace(head, "a=group:BUNDLE", "a=group:BUNDLE 0", 1)
	answer.Sdp = head + video + "m=application" + application
}

// run sends every step several times: the media server examines the first
// packets of a stream to detect its kind, and some packets are lost.
func (a *attack) run(ctx context.Context, t *testing.T, at *target) {
	t.Helper()
	o := at.options(t, "eve")
	o.Alter, o.Mishear, o.Join = a.alter, a.mishear, a.join
	eve, err := mediaclient.Connect(ctx, o)
	if a.join != nil && err != nil {
		want(t, "is refused", strings.Contains(err.Error(), "400"), true)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer eve.Disconnect()
	patience := 30 * time.Second
	if a.refused {
		patience = time.Second
	}
	publishing, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if _, err := eve.PublishSilently(publishing, media.Camera); err != nil {
		if !a.refused {
			at.lives(t)
			t.Fatal(err)
		}
		return
	}
	for range 3 {
		if err := eve.WritePackets(ctx, a.packets); err != nil {
			t.Fatal(err)
		}
	}
}

// One participant sends an attack that crashes an unprotected media server.
// Behind the gate, the media server keeps running, and two other people still
// hear and see each other.
func TestAttacksThatEndAMediaServer(t *testing.T) {
	t.Parallel()
	parent := t
	names, err := filepath.Glob("testdata/attacks/*.txt")
	if err != nil || len(names) == 0 {
		t.Fatalf("no attacks: %v", err)
	}
	var o *others
	for _, name := range names { //nolint:paralleltest // one after another, against one media server
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txt"), func(t *testing.T) {
			a := readAttack(t, name)
			if o == nil || o.target.over(o.ctx) {
				o = meet(parent)
			}
			a.run(o.ctx, t, o.target)
			o.target.hears(o.ctx, t, o.listener, o.speaker)
			o.target.lives(t)
		})
	}
}

// others are two people in a meeting on their own media server.
type others struct {
	ctx      context.Context //nolint:containedctx // the deadline of the whole test
	target   *target
	listener *mediaclient.Participant
	speaker  string // the identity of the second person
}

func meet(t *testing.T) *others {
	t.Helper()
	return meetIn(t, newTarget(t))
}

func meetIn(t *testing.T, at *target) *others {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	t.Cleanup(cancel)
	meets := func(name string) *mediaclient.Participant {
		o := at.options(t, name)
		o.Ignores = []string{"eve", "api_eve"}
		return mediatest.Join(t, o)
	}
	ada, ben := meets("ada"), meets("ben")
	for _, source := range []media.Source{media.Microphone, media.Camera} {
		if _, err := ada.Publish(ctx, source); err != nil {
			t.Fatal(err)
		}
		if err := ben.WaitFrames(ctx, ada.Identity(), source, 10); err != nil {
			t.Fatal(err)
		}
	}
	return &others{ctx: ctx, target: at, listener: ben, speaker: ada.Identity()}
}
