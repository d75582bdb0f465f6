package gate

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/livekit/protocol/livekit"
)

// Limits of a session description. A full room makes the longest ones: two
// sections for each person, and one line that names all sections.
const (
	maxSections     = 1000     // as many as tracks, sent and received
	maxLines        = 20_000   // in the whole description
	maxLine         = 16 << 10 // bytes
	maxSectionSSRCs = 64       // SSRC lines in one section; a browser writes some ten
	maxSectionRids  = 6        // layers in one section, each way
)

// extensions are the RTP header extensions that may be negotiated: those that
// the media server uses. The dependency descriptor and frame marking are left
// out, because only codecs that are not enabled need them. A dependency
// descriptor with more layers than the media server supports crashes it.
var extensions = []string{ //nolint:gochecknoglobals // a constant
	"urn:ietf:params:rtp-hdrext:sdes:mid",
	"urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id",
	"urn:ietf:params:rtp-hdrext:sdes:repaired-rtp-stream-id",
	"urn:ietf:params:rtp-hdrext:ssrc-audio-level",
	"http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01",
	"http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time",
	"http://www.webrtc.org/experiments/rtp-hdrext/abs-capture-time",
	"http://www.webrtc.org/experiments/rtp-hdrext/playout-delay",
}

// pictures are the video codecs that may be negotiated. A VP9 packet with
// nothing but a header crashes the media server, even within a track of another
// codec, once both were offered.
var pictures = []string{"vp8", "h264"} //nolint:gochecknoglobals // a constant

const (
	retransmission = "rtx"
	noPayload      = "0" // fills the place of a section's codec when none is left
)

var (
	lineForm      = regexp.MustCompile(`^[a-z]=[^\x00-\x08\x0a-\x1f\x7f]*$`)
	mediaForm     = regexp.MustCompile(`^m=(audio|video|application) (\d{1,5}) ([A-Z/]+)((?: [0-9A-Za-z-]+)+)$`)
	extensionForm = regexp.MustCompile(`^([1-9]\d{0,2})(/(?:sendrecv|sendonly|recvonly|inactive))? (\S+)$`)
	payloadForm   = regexp.MustCompile(`^(0|[1-9]\d{0,2}) (.+)$`)
	codecForm     = regexp.MustCompile(`^([A-Za-z0-9-]+)/([1-9]\d*)(?:/[1-9])?$`)
	aptForm       = regexp.MustCompile(`^apt=(0|[1-9]\d{0,2})(?:;.*)?$`)
	ridForm       = regexp.MustCompile(`^[A-Za-z0-9_-]{1,16} (?:send|recv)(?: .*)?$`)
)

// describe removes from a session description what must not be negotiated. It
// returns nil for an empty one, which some clients send.
func describe(said *livekit.SessionDescription, kind string) (*livekit.SessionDescription, error) {
	if said.GetSdp() == "" {
		return nil, nil //nolint:nilnil // nothing is left of an empty one
	}
	if said.GetType() != kind {
		return nil, errDescription
	}
	text, err := clean(said.GetSdp())
	if err != nil {
		return nil, err
	}
	return &livekit.SessionDescription{Type: kind, Sdp: text, Id: said.GetId()}, nil
}

// clean writes a new description from the lines that it understands.
func clean(text string) (string, error) {
	sections, err := split(text)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for _, s := range sections {
		lines, err := s.clean()
		if err != nil {
			return "", err
		}
		for _, line := range lines {
			out.WriteString(line)
			out.WriteString("\r\n")
		}
	}
	return out.String(), nil
}

// section is one part of a description: the session's own lines, or one stream.
type section struct {
	media   string // audio, video or application; "" for the session's own lines
	lines   []string
	payload map[string]string // codecs of the formats that are kept, in a video section
	counts  map[string]int    // of attributes whose number is limited
}

// split cuts a description into its sections. It ends a line wherever any
// reader might end it.
func split(text string) ([]*section, error) {
	current := new(section)
	sections := []*section{current}
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\r' || r == '\n' })
	if len(lines) > maxLines {
		return nil, errDescription
	}
	for _, line := range lines {
		if len(line) > maxLine {
			return nil, errDescription
		}
		if !lineForm.MatchString(line) {
			continue
		}
		if line[0] == 'm' {
			form := mediaForm.FindStringSubmatch(line)
			if form == nil || len(sections) > maxSections {
				return nil, errDescription
			}
			current = &section{media: form[1]}
			sections = append(sections, current)
		}
		current.lines = append(current.lines, line)
	}
	return sections, nil
}

func (s *section) clean() ([]string, error) {
	s.counts = map[string]int{}
	if s.media == "video" {
		s.choose()
	}
	var kept []string
	for _, line := range s.lines {
		switch line[0] {
		case 'm':
			kept = append(kept, s.heading(line))
		case 'a':
			attribute, err := s.attribute(line[2:])
			if err != nil {
				return nil, err
			}
			if attribute != "" {
				kept = append(kept, "a="+attribute)
			}
		default:
			kept = append(kept, line)
		}
	}
	return kept, nil
}

// choose finds the formats of a video section that stay: those that exactly one
// line declares as an enabled codec, and their retransmissions.
func (s *section) choose() {
	said, again := map[string][]string{}, map[string][]string{}
	for _, line := range s.lines {
		if payload, value, ok := about(line, "rtpmap"); ok {
			said[payload] = append(said[payload], value)
		}
		if payload, value, ok := about(line, "fmtp"); ok {
			again[payload] = append(again[payload], value)
		}
	}
	s.payload = map[string]string{}
	for payload, values := range said {
		if codec := codecForm.FindStringSubmatch(values[0]); codec != nil && len(values) == 1 {
			s.payload[payload] = strings.ToLower(codec[1])
		}
	}
	for payload, codec := range s.payload {
		if !slices.Contains(pictures, codec) && codec != retransmission {
			delete(s.payload, payload)
		}
	}
	for payload, codec := range s.payload {
		if codec == retransmission && !s.repeats(again[payload]) {
			delete(s.payload, payload)
		}
	}
}

// repeats says whether these are the parameters of a retransmission of a format
// that stays.
func (s *section) repeats(parameters []string) bool {
	if len(parameters) != 1 {
		return false
	}
	apt := aptForm.FindStringSubmatch(parameters[0])
	return len(apt) == 2 && slices.Contains(pictures, s.payload[apt[1]])
}

// about parses an attribute of a format.
func about(line, name string) (payload, value string, ok bool) {
	text, ok := strings.CutPrefix(line, "a="+name+":")
	if !ok {
		return "", "", false
	}
	form := payloadForm.FindStringSubmatch(text)
	if form == nil {
		return "", "", false
	}
	return form[1], form[2], true
}

// heading filters the first line of a section, which names its formats.
func (s *section) heading(line string) string {
	if s.media != "video" {
		return line
	}
	words := strings.Split(line, " ")
	kept := words[:3:3]
	for _, payload := range words[3:] {
		if _, ok := s.payload[payload]; ok {
			kept = append(kept, payload)
		}
	}
	if len(kept) == 3 {
		kept = append(kept, noPayload)
	}
	return strings.Join(kept, " ")
}

// attribute filters one attribute; "" drops it.
func (s *section) attribute(text string) (string, error) {
	name, value, _ := strings.Cut(text, ":")
	switch name {
	case "extmap":
		return extension(value), nil
	case "rtpmap", "fmtp", "rtcp-fb":
		return s.format(text, name, value), nil
	case "rid":
		if !ridForm.MatchString(value) {
			return "", nil
		}
		return text, s.count(name, maxSectionRids)
	case "simulcast":
		return text, s.count(name, 1)
	case "ssrc", "ssrc-group":
		return text, s.count("ssrc", maxSectionSSRCs)
	case "extmap-allow-mixed", "end-of-candidates":
		return name, nil
	}
	lower := strings.ToLower(name)
	if slices.ContainsFunc(never, func(part string) bool { return strings.Contains(lower, part) }) {
		return "", nil
	}
	return text, nil
}

// never lists parts of the names of attributes that must not pass. Any spelling that
// some parser could read as one of them is refused, too. They are header extensions
// that are not understood; addresses of the client, to which the media server would
// send packets; and ice-lite, which makes the media server start the checks.
var never = []string{"extmap", "candidate", "ice-lite"} //nolint:gochecknoglobals // a constant

func (s *section) count(name string, most int) error {
	if s.counts[name]++; s.counts[name] > most {
		return errDescription
	}
	return nil
}

// extension is a header extension that stays, without its parameters.
func extension(value string) string {
	form := extensionForm.FindStringSubmatch(value)
	if len(form) != 4 || !slices.Contains(extensions, form[3]) {
		return ""
	}
	if id, err := strconv.ParseUint(form[1], 10, 8); err != nil || id == 15 { // 15 is reserved (RFC 8285)
		return ""
	}
	return "extmap:" + form[1] + form[2] + " " + form[3]
}

// format filters an attribute of a format.
func (s *section) format(text, name, value string) string {
	if s.media != "video" {
		return text
	}
	if name == "rtcp-fb" && strings.HasPrefix(value, "* ") {
		return text
	}
	form := payloadForm.FindStringSubmatch(value)
	if form == nil {
		return ""
	}
	if _, ok := s.payload[form[1]]; !ok {
		return ""
	}
	return text
}
