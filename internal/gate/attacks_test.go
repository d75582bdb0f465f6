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
	"github.com/conclave-rooms/conclave/internal/media/mediatest"
)

// attack is what one person sends that ends a media server without a gate. Its
// file has a line for each step:
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
	refused             bool // the gate does not let it through, and ends the connection
	announcement        *livekit.AddTrackRequest
	join                *livekit.JoinRequest
	packets             []mediatest.Packet
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
			p := mediatest.Packet{PayloadType: number(t, words[1]), Payload: unhex(t, words[4])}
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

// alter changes what an honest client would send.
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

// mishear takes the answer to an offer that held no media for one that does.
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

// run sends everything, several times over: the media server looks at the first
// packets of a stream to find out what it is, and some are lost.
func (a *attack) run(ctx context.Context, t *testing.T, e *elsewhere) {
	t.Helper()
	o := e.options(t, "eve")
	o.Alter, o.Mishear, o.Join = a.alter, a.mishear, a.join
	eve, err := mediatest.Connect(ctx, o)
	if a.join != nil && err != nil {
		want(t, "is refused", strings.Contains(err.Error(), "400"), true)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer eve.Disconnect()
	patience := 10 * time.Second
	if a.refused {
		patience = time.Second
	}
	publishing, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if _, err := eve.PublishSilently(publishing, media.Camera); err != nil {
		if !a.refused {
			e.lives(t)
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

// One person who may publish sends what ends a media server. It is the same one
// afterwards, and two others go on hearing and seeing each other.
func TestAttacksThatEndAMediaServer(t *testing.T) {
	t.Parallel()
	parent := t
	names, err := filepath.Glob("testdata/attacks/*.txt")
	if err != nil || len(names) == 0 {
		t.Fatalf("no attacks: %v", err)
	}
	var o *others
	for _, name := range names { //nolint:paralleltest // one after another, in one house
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txt"), func(t *testing.T) {
			a := readAttack(t, name)
			if o == nil || o.house.over(o.ctx) {
				o = meet(parent)
			}
			a.run(o.ctx, t, o.house)
			o.house.hears(o.ctx, t, o.listener, o.speaker)
			o.house.lives(t)
		})
	}
}

// others are two people who meet in a house of their own.
type others struct {
	ctx      context.Context //nolint:containedctx // the time they have
	house    *elsewhere
	listener *mediatest.Participant
	speaker  string // the identity of the other
}

func meet(t *testing.T) *others {
	t.Helper()
	return meetIn(t, newElsewhere(t))
}

func meetIn(t *testing.T, e *elsewhere) *others {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	t.Cleanup(cancel)
	meets := func(name string) *mediatest.Participant {
		o := e.options(t, name)
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
	return &others{ctx: ctx, house: e, listener: ben, speaker: ada.Identity()}
}
