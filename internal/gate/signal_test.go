package gate_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/gorilla/websocket"
	"google.golang.org/protobuf/encoding/protowire"
)

// The fields of LiveKit's messages that these tests write.
const (
	offer, trickle, addTrack, subscription, syncState, simulate, ping = 1, 3, 4, 6, 12, 13, 14

	settings, updateData = 7, 21

	refreshToken = 16

	trackCid, trackName, trackLayer, trackCodec, trackStream = 1, 2, 9, 10, 15
)

// field is one field of a message; several make the message.
func field(number protowire.Number, value []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), value)
}

func text(n int) []byte { return bytes.Repeat([]byte{'x'}, n) }

// track announces a new one.
func track(parts ...[]byte) []byte {
	return field(addTrack, bytes.Join(append([][]byte{field(trackCid, []byte("cid"))}, parts...), nil))
}

func send(t *testing.T, conn *websocket.Conn, message []byte) {
	t.Helper()
	if err := conn.WriteMessage(websocket.BinaryMessage, message); err != nil {
		t.Fatal(err)
	}
}

func wantMessage(t *testing.T, conn *websocket.Conn, message []byte) {
	t.Helper()
	kind, got, err := conn.ReadMessage()
	if err != nil {
		t.Fatal(err)
	}
	want(t, "kind", kind, websocket.BinaryMessage)
	want(t, "length", len(got), len(message))
	want(t, "is the same", bytes.Equal(got, message), true)
}

// What honest clients send, and more than that, passes as it is.
func TestMessagesPassBothWays(t *testing.T) {
	t.Parallel()
	b := setup(t, false)
	conn, upstream := b.join(t), <-b.upstream
	for _, message := range [][]byte{
		nil,
		field(offer, text(500<<10)),
		field(syncState, text(500<<10)),
		field(1000, text(60<<10)),
		protowire.AppendVarint(protowire.AppendTag(nil, ping, protowire.VarintType), 1<<40),
		track(field(trackName, text(256)), field(trackStream, text(256)), bytes.Repeat(field(trackLayer, text(24)), 12),
			field(trackCodec, bytes.Repeat(field(4, text(24)), 3))),
		field(1000, text(60<<10)), // of a newer protocol
	} {
		send(t, conn, message)
		wantMessage(t, upstream, message)
	}
	for _, message := range [][]byte{field(5, text(100)), field(5, text(3<<20)), []byte("xyz")} {
		send(t, upstream, message)
		wantMessage(t, conn, message)
	}
}

// What no honest client sends ends the connection before the media server has
// it, and none of it is in the log.
func TestMessagesThatEndTheConnection(t *testing.T) {
	t.Parallel()
	const policy, large = websocket.ClosePolicyViolation, websocket.CloseMessageTooBig
	size, tracks := "a track says too much about itself", "too many tracks"
	for name, c := range map[string]struct {
		message []byte
		code    int
		text    string
	}{
		"nonsense":                 {[]byte("xyz"), websocket.CloseInvalidFramePayloadData, "malformed message"},
		"cut off":                  {field(offer, text(100))[:50], websocket.CloseInvalidFramePayloadData, "malformed message"},
		"large":                    {field(subscription, text(65<<10)), large, "message too large"},
		"large of a newer kind":    {field(1000, text(65<<10)), large, "message too large"},
		"large behind an offer":    {append(field(offer, nil), field(subscription, text(65<<10))...), large, "message too large"},
		"large before an offer":    {append(field(trickle, nil), field(offer, text(65<<10))...), large, "message too large"},
		"track":                    {track(field(1000, text(5<<10))), large, "message too large"},
		"tracks that are merged":   {bytes.Repeat(track(field(1000, text(1<<10))), 5), large, "message too large"},
		"too many in one message":  {bytes.Repeat(field(addTrack, nil), 101), policy, tracks},
		"track's name":             {track(field(trackName, text(257))), policy, size},
		"track's other name":       {track(field(trackName, text(257)), field(trackName, nil)), policy, size},
		"track's stream":           {track(field(trackStream, text(257))), policy, size},
		"track's id":               {track(field(trackCid, text(257))), policy, size},
		"codec's id":               {track(field(trackCodec, field(2, text(257)))), policy, size},
		"layers":                   {track(bytes.Repeat(field(trackLayer, nil), 33)), policy, size},
		"layers that are merged":   {bytes.Repeat(track(bytes.Repeat(field(trackLayer, nil), 17)), 2), policy, size},
		"layers of a codec":        {track(field(trackCodec, bytes.Repeat(field(4, nil), 32))), policy, size},
		"codecs":                   {track(bytes.Repeat(field(trackCodec, nil), 33)), policy, size},
		"a track behind something": {append(field(ping, nil), track(field(trackName, text(257)))...), policy, size},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, false)
			conn, upstream := b.join(t), <-b.upstream
			send(t, conn, c.message)
			wantClose(t, conn, c.code, c.text)
			wantClose(t, upstream, c.code, c.text)
			<-b.released
			if log := b.log.String(); !strings.Contains(log, "signalling ended") || strings.Contains(log, "xxx") || strings.Contains(log, "level=WARN") {
				t.Errorf("the log is to name it at debug level, without its content: %s", log)
			}
		})
	}
}

func TestMessageTooLarge(t *testing.T) {
	t.Parallel()
	b := setup(t, false)
	conn, upstream := b.join(t), <-b.upstream
	send(t, conn, field(offer, text(600<<10)))
	wantClose(t, conn, websocket.CloseMessageTooBig, "")
	wantClose(t, upstream, websocket.CloseMessageTooBig, "message too large")
	<-b.released
}

// LiveKit understands JSON too, which is not looked at and which no client
// sends.
func TestTextEndsTheConnection(t *testing.T) {
	t.Parallel()
	b := setup(t, false)
	conn, upstream := b.join(t), <-b.upstream
	if err := conn.WriteMessage(websocket.TextMessage, []byte(`{"simulate": {"speakerUpdate": 1}}`)); err != nil {
		t.Fatal(err)
	}
	wantClose(t, conn, websocket.CloseUnsupportedData, "messages are binary")
	wantClose(t, upstream, websocket.CloseUnsupportedData, "messages are binary")
}

func TestSimulationsNeverArrive(t *testing.T) {
	t.Parallel()
	b := setup(t, false)
	conn, upstream := b.join(t), <-b.upstream
	for _, message := range [][]byte{
		field(simulate, []byte{8, 1}),
		append(field(simulate, []byte{8, 1}), field(ping, nil)...),
		append(field(ping, nil), field(simulate, []byte{8, 1})...),
	} {
		send(t, conn, message)
	}
	last := field(offer, []byte("after them"))
	send(t, conn, last)
	wantMessage(t, upstream, last)
}

// What the media server signs opens its own door, so nobody is given it.
func TestTokensOfTheMediaServerStayHere(t *testing.T) {
	t.Parallel()
	b := setup(t, false)
	conn, upstream := b.join(t), <-b.upstream
	for _, message := range [][]byte{
		field(refreshToken, text(100)),
		append(field(5, nil), field(refreshToken, text(100))...),
		append(field(refreshToken, text(100)), field(5, nil)...),
	} {
		send(t, upstream, message)
	}
	last := field(5, []byte("after them"))
	send(t, upstream, last)
	wantMessage(t, conn, last)
}

func TestTracksAreCounted(t *testing.T) {
	t.Parallel()
	b := setup(t, false)
	conn := b.dial(t, "/rtc/v1?access_token="+clientToken+"&join_request="+wrapped(nil, bytes.Repeat(field(5, nil), 2)), nil)
	upstream := <-b.upstream
	for range 98 {
		send(t, conn, track())
		wantMessage(t, upstream, track())
	}
	send(t, conn, track())
	wantClose(t, conn, websocket.ClosePolicyViolation, "too many tracks")
	wantClose(t, upstream, websocket.ClosePolicyViolation, "too many tracks")
}

// Of every track somebody asks for, the media server makes a record, whether
// there is such a track or not.
func TestTracksOfOthersAreCounted(t *testing.T) {
	t.Parallel()
	ids := func(number protowire.Number, from, n int) []byte {
		var all []byte
		for i := range n {
			all = append(all, field(number, fmt.Appendf(nil, "TR_%d", from+i))...)
		}
		return all
	}
	for name, request := range map[string]func(from, n int) []byte{
		"to receive":      func(from, n int) []byte { return field(subscription, ids(1, from, n)) },
		"of people":       func(from, n int) []byte { return field(subscription, field(3, ids(2, from, n))) },
		"settings":        func(from, n int) []byte { return field(settings, ids(1, from, n)) },
		"as before":       func(from, n int) []byte { return field(syncState, field(2, ids(1, from, n))) },
		"people's before": func(from, n int) []byte { return field(syncState, field(2, field(3, ids(2, from, n)))) },
		"off before":      func(from, n int) []byte { return field(syncState, ids(6, from, n)) },
		"data": func(from, n int) []byte {
			return field(updateData, bytes.Join(slices.Collect(func(yield func([]byte) bool) {
				for i := range n {
					yield(field(1, ids(1, from+i, 1)))
				}
			}), nil))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, false)
			conn, upstream := b.join(t), <-b.upstream
			for _, message := range [][]byte{request(0, 1000), request(0, 1000), request(1000, 1000), request(500, 1000)} {
				send(t, conn, message)
				wantMessage(t, upstream, message)
			}
			send(t, conn, request(2000, 1))
			wantClose(t, conn, websocket.ClosePolicyViolation, "too many tracks")
			wantClose(t, upstream, websocket.ClosePolicyViolation, "too many tracks")
		})
	}
}

// wrapped is a request to join as it stands in the address; compression is
// its own field, or nothing.
func wrapped(compression, request []byte) string {
	return base64.URLEncoding.EncodeToString(append(bytes.Clone(compression), field(2, request)...))
}

func zipped(t *testing.T, request []byte) string {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if _, err := z.Write(request); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return wrapped([]byte{8, 1}, out.Bytes())
}

// What travels in the request to join has the same limits.
func TestRequestsToJoin(t *testing.T) {
	t.Parallel()
	named := field(5, field(trackName, text(257)))
	for name, c := range map[string]struct {
		request string
		good    bool
	}{
		"empty":            {"EgA=", true},
		"plain":            {wrapped(nil, field(5, field(trackName, text(256)))), true},
		"compressed":       {zipped(t, append(field(6, text(200<<10)), field(10, text(200<<10))...)), true},
		"no base64":        {"!", false},
		"no message":       {base64.URLEncoding.EncodeToString([]byte("xyz")), false},
		"cut off":          {base64.URLEncoding.EncodeToString([]byte{18, 5, 1}), false},
		"something else":   {base64.URLEncoding.EncodeToString(field(3, nil)), false},
		"two of them":      {base64.URLEncoding.EncodeToString(append(field(2, nil), field(2, nil)...)), false},
		"unknown packing":  {wrapped([]byte{8, 2}, nil), false},
		"not compressed":   {wrapped([]byte{8, 1}, text(10)), false},
		"nonsense inside":  {wrapped(nil, []byte("xyz")), false},
		"a track's name":   {wrapped(nil, named), false},
		"packed":           {zipped(t, named), false},
		"a track":          {wrapped(nil, field(5, field(1000, text(5<<10)))), false},
		"tracks":           {wrapped(nil, bytes.Repeat(field(5, nil), 101)), false},
		"layers":           {wrapped(nil, field(5, bytes.Repeat(field(trackLayer, nil), 33))), false},
		"tracks of others": {zipped(t, field(10, field(6, text(257)))), false},
		"metadata":         {zipped(t, field(3, text(65<<10))), false},
		"many attributes":  {zipped(t, bytes.Repeat(field(4, text(1<<10)), 65)), false},
		"more than unpack": {zipped(t, append(field(6, text(512<<10-3)), named...)), false}, // cut where a field ends
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, false)
			path := "/rtc/v1?access_token=" + clientToken + "&join_request=" + c.request
			if c.good {
				b.dial(t, path, nil)
				want(t, "request upstream", (<-b.asked).URL.Query().Get("join_request"), c.request)
				return
			}
			_, res, err := websocket.DefaultDialer.DialContext(t.Context(), "ws"+strings.TrimPrefix(b.front.URL, "http")+path, nil)
			if err == nil {
				t.Fatal("connected")
			}
			want(t, "status", res.StatusCode, http.StatusBadRequest)
			want(t, "requests upstream", len(b.asked), 0)
		})
	}
}
