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
	maxWanted    = 2000      // tracks of others asked for in one connection; of each the media server makes a record
	maxName      = 256       // bytes in a track's name, its stream's, and the client's name of it
)

// Fields of LiveKit's SignalRequest, which is one of many kinds of request.
const (
	requestOffer     = 1
	requestAnswer    = 2
	requestAddTrack  = 4
	requestTracks    = 6 // that are to be received, or no more
	requestSettings  = 7
	requestSyncState = 12
	requestSimulate  = 13
	requestData      = 21
)

// The field of its SignalResponse with a new token for the client.
const responseRefreshToken = 16

// Fields of its JoinRequest, with which newer clients save a round trip, and
// of the WrappedJoinRequest around it.
const (
	joinAddTrack  = 5
	joinOffer     = 6
	joinSyncState = 10

	wrappedCompression = 1
	wrappedRequest     = 2

	compressedGzip = 1
)

// Fields of AddTrackRequest and of the SimulcastCodec in it.
const (
	trackCid    = 1
	trackName   = 2
	trackLayer  = 9
	trackCodec  = 10
	trackStream = 15

	codecCid   = 2
	codecLayer = 4
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
	tracks int                 // announced so far
	wanted map[string]struct{} // the tracks of others that were asked for
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
	err := each(message, func(field int, value []byte) error {
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
		return q.wants(value, othersIn(field))
	})
	if len(message) > limit {
		return false, errTooLarge
	}
	return pass && err == nil, err
}

// passOn says whether a message of the media server's goes on to the client.
// The tokens it gives out do not: they are signed with its own key, and where
// it could be reached past the gate they would let somebody in who was
// removed. The client goes on with the token it has, which the gate takes for
// as long as its seat lives.
func passOn(_ int, message []byte) (bool, error) {
	pass := true
	_ = each(message, func(field int, _ []byte) error { // what cannot be read is not ours to judge
		pass = pass && field != responseRefreshToken
		return nil
	})
	return pass, nil
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
	return each(message, func(field int, value []byte) error {
		switch field {
		case joinOffer:
			return nil
		case joinSyncState:
			return q.wants(value, othersIn(requestSyncState))
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
	for seen := map[int]bool{}; len(wrapped) > 0; {
		number, kind, n := protowire.ConsumeTag(wrapped)
		field := int(number)
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
	q.tracks++
	if q.tracks > maxAddTracks {
		return errTooManyTracks
	}
	return nil
}

// othersIn says where a request names tracks of others: the fields from the
// outermost in.
func othersIn(request int) [][]int {
	switch request {
	case requestTracks:
		return [][]int{{1}, {3, 2}}
	case requestSettings:
		return [][]int{{1}}
	case requestSyncState:
		return [][]int{{2, 1}, {2, 3, 2}, {6}}
	case requestData:
		return [][]int{{1, 1}}
	}
	return nil
}

// wants notes the tracks of others that a request names.
func (q *requests) wants(request []byte, paths [][]int) error {
	if len(paths) == 0 {
		return nil
	}
	return each(request, func(field int, value []byte) error {
		var deeper [][]int
		for _, path := range paths {
			switch {
			case path[0] != field:
			case len(path) > 1:
				deeper = append(deeper, path[1:])
			default:
				return q.want(value)
			}
		}
		return q.wants(value, deeper)
	})
}

func (q *requests) want(track []byte) error {
	if _, known := q.wanted[string(track)]; known {
		return nil
	}
	if q.wanted == nil {
		q.wanted = map[string]struct{}{}
	}
	if len(q.wanted) == maxWanted {
		return errTooManyTracks
	}
	q.wanted[string(track)] = struct{}{}
	return short(track)
}

// trackSize is how much a new track says about itself. The media server keeps
// all of it, several times over.
type trackSize struct{ layers int }

func (s *trackSize) add(track []byte) error {
	return each(track, func(field int, value []byte) error {
		switch field {
		case trackCid, trackName, trackStream:
			return short(value)
		case trackLayer:
			return s.layer()
		case trackCodec:
			return errors.Join(s.layer(), each(value, func(field int, value []byte) error {
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
	s.layers++
	if s.layers > maxLayers {
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
func each(message []byte, do func(field int, value []byte) error) error {
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return errMalformed
		}
		message = message[n:]
		var value []byte
		if kind == protowire.BytesType {
			value, n = protowire.ConsumeBytes(message)
		} else {
			n = protowire.ConsumeFieldValue(number, kind, message)
		}
		if n < 0 {
			return errMalformed
		}
		if err := do(int(number), value); err != nil {
			return err
		}
		message = message[n:]
	}
	return nil
}
