package gate

import "github.com/gorilla/websocket"

// The media server believes its clients: it keeps what they announce for as
// long as they stay, tells everybody of it, and some numbers that no client
// sends end its process. So every message is held to these numbers. Honest
// clients stay far below each of them.
const (
	maxRequest  = 512 << 10 // a client's message: the largest are session descriptions
	maxResponse = 32 << 20  // a message of the media server, which is trusted: a full room in one piece
	maxSmall    = 64 << 10  // a client's message that carries no session description
	maxAddTrack = 4 << 10   // a new track, of which a browser says some hundred bytes

	maxAddTracks   = 100  // new tracks in one connection
	maxWanted      = 2000 // tracks of others asked for in one connection; of each the media server makes a record
	maxCandidates  = 1000 // addresses of the client in one connection; a browser finds some ten at a time
	maxSyncs       = 10   // states in one connection; a client sends one after it came back
	maxPermissions = 1000 // people whom one message allows to receive something

	maxLayers    = 32       // sizes and codecs of one track: two bytes each, and hundreds in the media server
	maxSide      = 32 << 10 // pixels; the largest picture of a codec has 16384
	maxFPS       = 1000     // frames in a second
	maxBitrate   = 1 << 30  // bits in a second
	maxPriority  = 1 << 16  // of one track among those received
	maxFeatures  = 16       // of one track; seven are known
	maxChannels  = 16       // data channels; LiveKit's clients have six
	maxSpatial   = 2        // the highest spatial layer the media server has room for
	maxName      = 256      // bytes in a name or an id
	maxRid       = 16       // bytes in the name of a layer; browsers use one
	maxCandidate = 2 << 10  // bytes in an address, which has some two hundred
	maxAgent     = 512      // bytes of the User-Agent that are passed on
	maxRTT       = 60_000   // milliseconds; a device that slept measures hours
)

// breach is why a connection ends that sends what no honest client does.
type breach struct {
	code int
	text string
}

func (b *breach) Error() string { return b.text }

var (
	errTooLarge          = &breach{websocket.CloseMessageTooBig, "message too large"}
	errText              = &breach{websocket.CloseUnsupportedData, "messages are binary"}
	errMalformed         = &breach{websocket.CloseInvalidFramePayloadData, "malformed message"}
	errTooManyTracks     = &breach{websocket.ClosePolicyViolation, "too many tracks"}
	errTooManyCandidates = &breach{websocket.ClosePolicyViolation, "too many candidates"}
	errTooOften          = &breach{websocket.ClosePolicyViolation, "a message that is sent once came again and again"}
	errTrack             = &breach{websocket.ClosePolicyViolation, "a track says too much about itself"}
	errRange             = &breach{websocket.ClosePolicyViolation, "a value is out of range"}
	errDescription       = &breach{websocket.ClosePolicyViolation, "a session description is not understood"}
)

// short refuses names and ids that are too long.
func short(names ...string) error {
	for _, name := range names {
		if len(name) > maxName {
			return errTrack
		}
	}
	return nil
}

// atMost refuses a number above its limit.
func atMost[N int | uint32](limit N, numbers ...N) error {
	for _, n := range numbers {
		if n < 0 || n > limit {
			return errRange
		}
	}
	return nil
}

// known refuses a value of an enumeration that has no name, as negative ones
// have none.
func known[E ~int32](names map[int32]string, values ...E) error {
	for _, v := range values {
		if _, ok := names[int32(v)]; !ok {
			return errRange
		}
	}
	return nil
}

// onlyKnown leaves out the values of an enumeration that have no name here,
// which newer clients may send.
func onlyKnown[E ~int32](names map[int32]string, values []E) []E {
	var kept []E
	for _, v := range values {
		if _, ok := names[int32(v)]; ok {
			kept = append(kept, v)
		}
	}
	return kept
}
