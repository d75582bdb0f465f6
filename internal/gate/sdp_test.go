package gate

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/livekit/protocol/livekit"
)

// Each row is one line in a video section, and that line after filtering; ""
// when it is dropped.
func TestLinesOfDescriptions(t *testing.T) {
	t.Parallel()
	const descriptor = "https://aomediacodec.github.io/av1-rtp-spec/#dependency-descriptor-rtp-header-extension"
	const mid = "urn:ietf:params:rtp-hdrext:sdes:mid"
	for name, c := range map[string]struct{ in, out string }{
		"extension":                   {"a=extmap:1 " + mid, "a=extmap:1 " + mid},
		"one way":                     {"a=extmap:255/sendonly " + mid, "a=extmap:255/sendonly " + mid},
		"mixed":                       {"a=extmap-allow-mixed", "a=extmap-allow-mixed"},
		"descriptor":                  {"a=extmap:9 " + descriptor, ""},
		"descriptor in capitals":      {"a=extmap:9 HTTPS" + strings.TrimPrefix(descriptor, "https"), ""},
		"descriptor with parameters":  {"a=extmap:9/sendrecv " + descriptor + " x", ""},
		"descriptor behind a tab":     {"a=extmap:9\t" + descriptor, ""},
		"descriptor behind spaces":    {"a=extmap:9  " + descriptor, ""},
		"descriptor behind mid":       {"a=extmap:9 " + mid + "\ra=extmap:9 " + descriptor, "a=extmap:9 " + mid},
		"descriptor behind a newline": {"a=extmap:9 " + mid + "\n\ra=extmap:9 " + descriptor, "a=extmap:9 " + mid},
		"name in capitals":            {"a=EXTMAP:9 " + descriptor, ""},
		"name behind a space":         {"a= extmap:9 " + descriptor, ""},
		"name before a space":         {"a=extmap :9 " + mid, ""},
		"type behind a space":         {" a=extmap:9 " + descriptor, ""},
		"frame marking":               {"a=extmap:9 urn:ietf:params:rtp-hdrext:framemarking", ""},
		"unknown extension":           {"a=extmap:9 urn:example", ""},
		"extension with parameters":   {"a=extmap:9 " + mid + " x", ""},
		"extension in capitals":       {"a=extmap:9 " + strings.ToUpper(mid), ""},
		"extension 0":                 {"a=extmap:0 " + mid, ""},
		"extension 15":                {"a=extmap:15 " + mid, ""},
		"extension 256":               {"a=extmap:256 " + mid, ""},
		"extension with a sign":       {"a=extmap:+1 " + mid, ""},
		"no line":                     {"nonsense", ""},
		"null":                        {"a=x\x00", ""},
		"attribute":                   {"a=anything:else 1", "a=anything:else 1"},
		"address":                     {"a=candidate:1 1 udp 1 192.0.2.1 9 typ host", ""},
		"address in capitals":         {"a=CANDIDATE:1 1 udp 1 192.0.2.1 9 typ host", ""},
		"address behind a space":      {"a= candidate:1 1 udp 1 192.0.2.1 9 typ host", ""},
		"addresses of the other side": {"a=remote-candidates:1 192.0.2.1 9", ""},
		"no more addresses":           {"a=end-of-candidates", "a=end-of-candidates"},
		"no checks":                   {"a=ice-lite", ""},
		"no checks behind a tab":      {"a=\tice-lite\t", ""},
		"credentials":                 {"a=ice-ufrag:a", "a=ice-ufrag:a"},
		"bandwidth":                   {"b=AS:100", "b=AS:100"},
		"layer":                       {"a=rid:q send", "a=rid:q send"},
		"longest layer":               {"a=rid:" + strings.Repeat("q", 16) + " recv max-width=1", "a=rid:" + strings.Repeat("q", 16) + " recv max-width=1"},
		"too long a layer":            {"a=rid:" + strings.Repeat("q", 17) + " send", ""},
		"layer that is not a name":    {"a=rid:~q send", ""},
		"parameters of nothing":       {"a=fmtp:98 x=1", ""},
		"feedback of all":             {"a=rtcp-fb:* nack", "a=rtcp-fb:* nack"},
		"feedback of one":             {"a=rtcp-fb:96 nack", "a=rtcp-fb:96 nack"},
		"feedback of nothing":         {"a=rtcp-fb:98 nack", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const before, after = "v=0\r\nm=video 9 UDP/TLS/RTP/SAVPF 96\r\n", "a=rtpmap:96 VP8/90000\r\n"
			expect := before + after
			if c.out != "" {
				expect = before + c.out + "\r\n" + after
			}
			if got, err := clean(before + c.in + "\r\n" + after); err != nil || got != expect {
				t.Errorf("got %q, %v; want %q", got, err, expect)
			}
			if got, err := clean("v=0\r\n" + c.in + "\r\n"); err != nil || strings.Contains(strings.ToLower(got), "dependency") {
				t.Errorf("before the first section: got %q, %v", got, err)
			}
		})
	}
}

// Which formats stay, and with which lines.
func TestFormatsOfPictures(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in, out string
		lines   []string // in addition to the first
		kept    []string
	}{
		"enabled": {
			"96 102", "96 102",
			[]string{"a=rtpmap:96 VP8/90000", "a=rtpmap:102 H264/90000", "a=fmtp:102 profile-level-id=42e01f", "a=rtcp-fb:96 nack pli"},
			[]string{"a=rtpmap:96 VP8/90000", "a=rtpmap:102 H264/90000", "a=fmtp:102 profile-level-id=42e01f", "a=rtcp-fb:96 nack pli"},
		},
		"vp9 and av1": {
			"98 96 45", "96",
			[]string{"a=rtpmap:98 VP9/90000", "a=fmtp:98 profile-id=0", "a=rtcp-fb:98 nack", "a=rtpmap:96 VP8/90000", "a=rtpmap:45 AV1/90000"},
			[]string{"a=rtpmap:96 VP8/90000"},
		},
		"in any case": {"98 96", "96", []string{"a=rtpmap:98 vP9/90000", "a=rtpmap:96 vp8/90000"}, []string{"a=rtpmap:96 vp8/90000"}},
		"retransmissions": {
			"96 97 98 99 100", "96 97",
			[]string{
				"a=rtpmap:96 VP8/90000", "a=rtpmap:97 rtx/90000", "a=fmtp:97 apt=96", "a=rtpmap:98 VP9/90000", "a=rtpmap:99 rtx/90000", "a=fmtp:99 apt=98",
				"a=rtpmap:100 rtx/90000",
			},
			[]string{"a=rtpmap:96 VP8/90000", "a=rtpmap:97 rtx/90000", "a=fmtp:97 apt=96"},
		},
		"retransmission of a retransmission": {
			"96 97 98", "96 97",
			[]string{"a=rtpmap:96 VP8/90000", "a=rtpmap:97 rtx/90000", "a=fmtp:97 apt=96;rtx-time=3000", "a=rtpmap:98 rtx/90000", "a=fmtp:98 apt=97"},
			[]string{"a=rtpmap:96 VP8/90000", "a=rtpmap:97 rtx/90000", "a=fmtp:97 apt=96;rtx-time=3000"},
		},
		"retransmission of two": {
			"96 97", "96", []string{"a=rtpmap:96 VP8/90000", "a=rtpmap:97 rtx/90000", "a=fmtp:97 apt=96", "a=fmtp:97 apt=98"}, []string{"a=rtpmap:96 VP8/90000"},
		},
		"a format that is two":     {"96 97", "97", []string{"a=rtpmap:96 VP8/90000", "a=rtpmap:96 VP9/90000", "a=rtpmap:97 H264/90000"}, []string{"a=rtpmap:97 H264/90000"}},
		"two spaces":               {"96", "0", []string{"a=rtpmap:96  VP9/90000"}, nil},
		"another number":           {"096", "0", []string{"a=rtpmap:96 VP8/90000"}, []string{"a=rtpmap:96 VP8/90000"}},
		"a codec behind a codec":   {"96", "0", []string{"a=rtpmap:96 VP8/90000 VP9/90000"}, nil},
		"nothing that is enabled":  {"98", "0", []string{"a=rtpmap:98 VP9/90000"}, nil},
		"a section that is off":    {"0", "0", nil, nil},
		"formats that are unknown": {"96 97", "0", nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const media = "m=video 9 UDP/TLS/RTP/SAVPF "
			got, err := clean(strings.Join(slices.Concat([]string{"v=0", media + c.in}, c.lines), "\n"))
			expect := strings.Join(slices.Concat([]string{"v=0", media + c.out}, c.kept, []string{""}), "\r\n")
			if err != nil || got != expect {
				t.Errorf("got %q, %v; want %q", got, err, expect)
			}
		})
	}
}

func TestDescriptionsHaveLimits(t *testing.T) {
	t.Parallel()
	const video = "m=video 9 UDP/TLS/RTP/SAVPF 96\r\na=rtpmap:96 VP8/90000\r\n"
	for name, c := range map[string]struct {
		before, line, after string
		most                int
	}{
		"sections":  {"v=0\r\n", "m=audio 9 X 0\r\n", "", 1000},
		"lines":     {"v=0\r\n", "a=x\n", "", 19_999},
		"length":    {"a=", "x", "\r\n", 16<<10 - 2},
		"layers":    {video, "a=rid:q send\r\n", "", 6},
		"simulcast": {video, "a=simulcast:send q\r\n", "", 1},
		"streams":   {video, "a=ssrc:1 cname:x\r\n", "", 64},
		"groups":    {video, "a=ssrc-group:FID 1 2\r\n", "", 64},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole := c.before + strings.Repeat(c.line, c.most) + c.after
			if got, err := clean(whole); err != nil || len(got) < len(c.line)*c.most {
				t.Errorf("%d: got %d bytes, %v", c.most, len(got), err)
			}
			if _, err := clean(c.before + strings.Repeat(c.line, c.most+1) + c.after); !errors.Is(err, errDescription) {
				t.Errorf("%d: got %v", c.most+1, err)
			}
		})
	}
	for _, media := range []string{"m=", "m=text 9 X 0", "m=VIDEO 9 X 96", "m=video 9 X", "m=video x X 96", "m=video 9/2 X 96", "m= video 9 X 96", "m=video\t9 X 96"} {
		if _, err := clean("v=0\r\n" + media + "\r\n"); !errors.Is(err, errDescription) {
			t.Errorf("%q: got %v", media, err)
		}
	}
}

// honest returns descriptions that real clients made.
func honest(t testing.TB) map[string]string {
	t.Helper()
	names, err := filepath.Glob("testdata/sdp/*.sdp")
	if err != nil || len(names) == 0 {
		t.Fatalf("no descriptions: %v", err)
	}
	texts := map[string]string{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.Base(name)] = strings.ReplaceAll(strings.ReplaceAll(string(text), "\r", ""), "\n", "\r\n")
	}
	return texts
}

// An honest description loses only the extensions and codecs that are not used
// here.
func TestHonestDescriptionsKeepTheirMeaning(t *testing.T) {
	t.Parallel()
	for name, text := range honest(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := clean(text)
			if err != nil {
				t.Fatal(err)
			}
			left := strings.Split(got, "\r\n")
			for _, line := range strings.Split(text, "\r\n") {
				if i := slices.Index(left, line); i >= 0 {
					left = slices.Delete(left, i, i+1)
					continue
				}
				if !strings.HasPrefix(line, "m=video ") && !strings.HasPrefix(line, "a=extmap:") && !strings.HasPrefix(line, "a=rtpmap:") &&
					!strings.HasPrefix(line, "a=fmtp:") && !strings.HasPrefix(line, "a=rtcp-fb:") {
					t.Errorf("lost %q", line)
				}
			}
			for _, line := range left {
				if !strings.HasPrefix(line, "m=video ") || !strings.Contains(line, " 9") {
					t.Errorf("there is a new line %q", line)
				}
			}
			for _, needed := range []string{"VP8/90000", "opus/48000", "sdes:mid"} {
				if strings.Contains(text, needed) != strings.Contains(got, needed) {
					t.Errorf("%s is gone", needed)
				}
			}
		})
	}
}

// FuzzClean checks for every description what the tables above check for some.
func FuzzClean(f *testing.F) {
	for _, text := range honest(f) {
		f.Add(text)
	}
	f.Add("m=video 9 X 96 98\ra=extmap:9 HTTPS://aomediacodec.github.io/av1-rtp-spec/#dependency-descriptor-rtp-header-extension\na=rtpmap:98 vp9/90000")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := clean(text)
		if err != nil {
			return
		}
		if again, err := clean(got); err != nil || again != got {
			t.Fatalf("%q becomes %q, and that %q, %v", text, got, again, err)
		}
		for line := range strings.FieldsFuncSeq(got, func(r rune) bool { return r == '\r' || r == '\n' }) {
			lower := strings.ToLower(line)
			if strings.Contains(lower, "ice-lite") && strings.HasPrefix(lower, "a=") && !strings.Contains(strings.SplitN(lower, "ice-lite", 2)[0], ":") {
				t.Fatalf("%q keeps %q", text, line)
			}
			if strings.HasPrefix(lower, "a=candidate") || strings.HasPrefix(lower, "a=extmap:") && !slices.ContainsFunc(extensions, func(uri string) bool { return strings.HasSuffix(line, " "+uri) }) {
				t.Fatalf("%q keeps %q", text, line)
			}
		}
		media := ""
		for line := range strings.SplitSeq(got, "\r\n") {
			if strings.HasPrefix(line, "m=") {
				media = line
			}
			if strings.HasPrefix(media, "m=video") && strings.HasPrefix(line, "a=rtpmap:") {
				lower := strings.ToLower(line)
				if strings.Contains(lower, "vp9") || strings.Contains(lower, "av1") {
					t.Fatalf("%q keeps %q", text, line)
				}
			}
		}
	})
}

// FuzzPass checks for every message that what passes can be decoded, and passes
// again unchanged.
func FuzzPass(f *testing.F) {
	for _, m := range []*livekit.SignalRequest{
		{Message: &livekit.SignalRequest_Offer{Offer: &livekit.SessionDescription{Type: "offer", Sdp: "v=0\r\n"}}},
		{Message: &livekit.SignalRequest_AddTrack{AddTrack: &livekit.AddTrackRequest{Layers: []*livekit.VideoLayer{{Quality: -1}}}}},
		{Message: &livekit.SignalRequest_TrackSetting{TrackSetting: &livekit.UpdateTrackSettings{TrackSids: []string{"TR_1"}, Fps: 30}}},
		{Message: &livekit.SignalRequest_SyncState{SyncState: &livekit.SyncState{PublishTracks: []*livekit.TrackPublishedResponse{{Track: &livekit.TrackInfo{}}}}}},
		{Message: &livekit.SignalRequest_UpdateMetadata{UpdateMetadata: &livekit.UpdateParticipantMetadata{Attributes: map[string]string{"hand_raised": "true"}}}},
	} {
		f.Add(encode(m))
	}
	f.Fuzz(func(t *testing.T, message []byte) {
		first, err := new(requests).pass(2, message)
		if err != nil || len(first.forward) == 0 {
			return
		}
		second, err := new(requests).pass(2, first.forward)
		if err != nil || string(second.forward) != string(first.forward) {
			// Maps are encoded in random order, so theirs holds one entry here.
			t.Fatalf("%x becomes %x, and that %x, %v", message, first.forward, second.forward, err)
		}
	})
}
