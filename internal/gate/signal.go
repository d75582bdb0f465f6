package gate

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"io"

	"github.com/gorilla/websocket"
	"google.golang.org/protobuf/encoding/protowire"
)

// The media server believes its clients: it keeps what they announce for as
// long as they stay, tells everybody of it, and has a few requests that only
// its own developers need. So what a modified client sends is looked at here.
// Honest clients stay far below every one of these numbers.
const (
	maxRequest   = 512 << 10 // a message of a client's: the largest are session descriptions
	maxResponse  = 32 << 20  // one of the media server's, which is trusted: a full room in one piece
	maxSmall     = 64 << 10  // a client's message that is no session description and carries none
	maxAddTrack  = 4 << 10   // a new track, of which a browser says some hundred bytes
	maxAddTracks = 100       // new tracks in one connection
	maxLayers    = 32        // sizes and codecs of one track: two bytes each, and hundreds in the media server
	maxName      = 256       // bytes in a track's name, its stream's, and the client's name of it
)

// Fields of LiveKit's SignalRequest, which is one of many kinds of request.
const (
	requestOffer     protowire.Number = 1
	requestAnswer    protowire.Number = 2
	requestAddTrack  protowire.Number = 4
	requestSyncState protowire.Number = 12
	requestSimulate  protowire.Number = 13
)

// Fields of its JoinRequest, with which newer clients save a round trip, and
// of the WrappedJoinRequest around it.
const (
	joinAddTrack  protowire.Number = 5
	joinOffer     protowire.Number = 6
	joinSyncState protowire.Number = 10

	wrappedCompression protowire.Number = 1
	wrappedRequest     protowire.Number = 2

	compressedGzip = 1
)

// Fields of AddTrackRequest and of the SimulcastCodec in it.
const (
	trackCid    protowire.Number = 1
	trackName   protowire.Number = 2
	trackLayer  protowire.Number = 9
	trackCodec  protowire.Number = 10
	trackStream protowire.Number = 15

	codecCid   protowire.Number = 2
	codecLayer protowire.Number = 4
)

// breach is why a connection ends that sends what no honest client does.
type breach struct {
	code int
	text string
}

func (b *breach) Error() string { return b.text }

var (
	errTooLarge      = &breach{websocket.CloseMessageTooBig, "message too large"}
	errText          = &breach{websocket.CloseUnsupportedData, "messages are binary"}
	errMalformed     = &breach{websocket.CloseInvalidFramePayloadData, "malformed message"}
	errTooManyTracks = &breach{websocket.ClosePolicyViolation, "too many tracks"}
	errTrack         = &breach{websocket.ClosePolicyViolation, "a track says too much about itself"}
)

// requests looks at what the client of one connection sends.
type requests struct {
	tracks int // announced so far
}

// pass says whether a message goes on to the media server; a *breach ends the
// connection. A message holds one request, but nothing keeps a client from
// writing several: the media server merges those of one kind and takes the
// last kind. So each is looked at, and the message must be within the limits
// of all.
func (q *requests) pass(kind int, message []byte) (bool, error) {
	if kind != websocket.BinaryMessage {
		return false, errText // JSON, which the media server understands too, and no client sends
	}
	pass, limit, tracks := true, maxRequest, trackSize{}
	err := each(message, func(field protowire.Number, value []byte) error {
		switch field {
		case requestOffer, requestAnswer, requestSyncState:
		case requestSimulate:
			pass = false
		case requestAddTrack:
			limit = min(limit, maxAddTrack)
			return errors.Join(q.countTrack(), tracks.add(value))
		default:
			limit = min(limit, maxSmall)
		}
		return nil
	})
	if len(message) > limit {
		return false, errTooLarge
	}
	return pass && err == nil, err
}

// join looks at a request to join, as it stands in the address; a *breach
// refuses it.
func (q *requests) join(text string) error {
	if text == "" {
		return nil
	}
	message, err := unwrap(text)
	if err != nil {
		return err
	}
	small := 0
	return each(message, func(field protowire.Number, value []byte) error {
		switch field {
		case joinOffer, joinSyncState:
			return nil
		case joinAddTrack:
			if len(value) > maxAddTrack {
				return errTooLarge
			}
			return errors.Join(q.countTrack(), new(trackSize).add(value))
		}
		if small += len(value); small > maxSmall {
			return errTooLarge
		}
		return nil
	})
}

// unwrap reads a request to join as the media server does. Each part may be
// there once, so that there is no question which of them counts.
func unwrap(text string) ([]byte, error) {
	wrapped, err := base64.URLEncoding.DecodeString(text)
	if err != nil {
		return nil, errMalformed
	}
	compression, message := uint64(0), []byte(nil)
	for seen := map[protowire.Number]bool{}; len(wrapped) > 0; {
		field, kind, n := protowire.ConsumeTag(wrapped)
		if n < 0 || seen[field] {
			return nil, errMalformed
		}
		seen[field], wrapped = true, wrapped[n:]
		switch {
		case field == wrappedCompression && kind == protowire.VarintType:
			compression, n = protowire.ConsumeVarint(wrapped)
		case field == wrappedRequest && kind == protowire.BytesType:
			message, n = protowire.ConsumeBytes(wrapped)
		default:
			n = -1
		}
		if n < 0 {
			return nil, errMalformed
		}
		wrapped = wrapped[n:]
	}
	switch compression {
	case 0:
	case compressedGzip:
		if message, err = gunzip(message); err != nil {
			return nil, err
		}
	default:
		return nil, errMalformed
	}
	if len(message) > maxRequest {
		return nil, errTooLarge
	}
	return message, nil
}

// gunzip reads a little more than may be there.
func gunzip(compressed []byte) ([]byte, error) {
	reader, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return nil, errMalformed
	}
	message, err := io.ReadAll(io.LimitReader(reader, maxRequest+1))
	if err != nil {
		return nil, errMalformed
	}
	return message, nil
}

func (q *requests) countTrack() error {
	if q.tracks++; q.tracks > maxAddTracks {
		return errTooManyTracks
	}
	return nil
}

// trackSize is how much a new track says about itself. The media server keeps
// all of it, several times over.
type trackSize struct{ layers int }

func (s *trackSize) add(track []byte) error {
	return each(track, func(field protowire.Number, value []byte) error {
		switch field {
		case trackCid, trackName, trackStream:
			return short(value)
		case trackLayer:
			return s.layer()
		case trackCodec:
			return errors.Join(s.layer(), each(value, func(field protowire.Number, value []byte) error {
				switch field {
				case codecCid:
					return short(value)
				case codecLayer:
					return s.layer()
				}
				return nil
			}))
		}
		return nil
	})
}

func (s *trackSize) layer() error {
	if s.layers++; s.layers > maxLayers {
		return errTrack
	}
	return nil
}

func short(name []byte) error {
	if len(name) > maxName {
		return errTrack
	}
	return nil
}

// each calls do with the fields of a message, in their order, until it fails.
// Of fields that are neither text nor a message the value is left out: none of
// those can be too large.
func each(message []byte, do func(field protowire.Number, value []byte) error) error {
	for len(message) > 0 {
		field, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return errMalformed
		}
		message = message[n:]
		var value []byte
		if kind == protowire.BytesType {
			value, n = protowire.ConsumeBytes(message)
		} else {
			n = protowire.ConsumeFieldValue(field, kind, message)
		}
		if n < 0 {
			return errMalformed
		}
		if err := do(field, value); err != nil {
			return err
		}
		message = message[n:]
	}
	return nil
}
