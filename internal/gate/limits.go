package gate

import "github.com/gorilla/websocket"

// The media server trusts its clients: it keeps what they announce for as long
// as they stay, tells it to everybody in the room, and crashes on some numbers
// that no client sends. So the gate limits every message. Honest clients stay
// far below each limit.
const (
	maxRequest  = 512 << 10 // a client's message: the largest are session descriptions
	maxResponse = 32 << 20  // a message of the trusted media server: a full room in one piece
	maxSmall    = 64 << 10  // a client's message that carries no session description
	maxAddTrack = 4 << 10   // a new track; a browser needs some hundred bytes

	maxAddTracks  = 100  // new tracks in one connection
	maxWanted     = 2000 // tracks of others asked for in one connection; the media server keeps a record of each
	maxCandidates = 1000 // what a client says about its addresses in one connection; a browser finds some ten at a time
	maxSyncs      = 10   // states in one connection; a client sends one after it reconnected

	maxLayers    = 32       // sizes and codecs of one track: two bytes each here, hundreds in the media server
	maxSide      = 32 << 10 // pixels; the largest picture of a codec has 16384
	maxFPS       = 1000     // frames in a second
	maxBitrate   = 1 << 30  // bits in a second
	maxPriority  = 1 << 16  // of one received track
	maxFeatures  = 16       // of one track; seven exist
	maxChannels  = 16       // data channels; LiveKit's clients have six
	maxSpatial   = 2        // the highest spatial layer that the media server supports
	maxName      = 256      // bytes in a name or an id
	maxRid       = 16       // bytes in the name of a layer; browsers use one
	maxCandidate = 2 << 10  // bytes in an ICE candidate, which has some two hundred
	maxAgent     = 512      // bytes of the User-Agent that pass
	maxRTT       = 60_000   // milliseconds; a device that was asleep measures hours
)

// breach is the reason to end a connection: a message that no honest client
// sends.
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
	errChosenReceivers   = &breach{websocket.ClosePolicyViolation, "everybody in a meeting may receive its tracks"}
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

// known refuses values that an enumeration does not name, negative ones among
// them.
func known[E ~int32](names map[int32]string, values ...E) error {
	for _, v := range values {
		if _, ok := names[int32(v)]; !ok {
			return errRange
		}
	}
	return nil
}

// onlyKnown leaves out values that an enumeration does not name here. Newer
// clients may send such values.
func onlyKnown[E ~int32](names map[int32]string, values []E) []E {
	var kept []E
	for _, v := range values {
		if _, ok := names[int32(v)]; ok {
			kept = append(kept, v)
		}
	}
	return kept
}
