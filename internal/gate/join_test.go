package gate_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/gorilla/websocket"
	"github.com/livekit/protocol/livekit"
	"google.golang.org/protobuf/proto"
)

// client is the description of a client that speaks a version of the protocol.
func client(protocol int32) *livekit.ClientInfo { return &livekit.ClientInfo{Protocol: protocol} }

// joinRequest encodes a request to join for the address.
func joinRequest(j *livekit.JoinRequest) string { return wrapped(nil, write(j)) }

// wrapped encodes a request with its field of compression, which may be empty.
func wrapped(compression, request []byte) string {
	return base64.URLEncoding.EncodeToString(append(bytes.Clone(compression), field(2, request)...))
}

func zipped(t *testing.T, j *livekit.JoinRequest) string {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if _, err := z.Write(write(j)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return wrapped([]byte{8, 1}, out.Bytes())
}

// unpacked decodes a request to join.
func unpacked(t *testing.T, text string) *livekit.JoinRequest {
	t.Helper()
	packed, err := base64.URLEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	var w livekit.WrappedJoinRequest
	want(t, "is read", proto.Unmarshal(packed, &w), nil)
	message := w.GetJoinRequest()
	if w.GetCompression() == livekit.WrappedJoinRequest_GZIP {
		z, err := gzip.NewReader(bytes.NewReader(message))
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if _, err := out.ReadFrom(z); err != nil {
			t.Fatal(err)
		}
		message = out.Bytes()
	}
	var j livekit.JoinRequest
	want(t, "is read", proto.Unmarshal(message, &j), nil)
	return &j
}

// everything is the largest request to join of an honest client: each value at
// its limit.
func everything() *livekit.JoinRequest {
	yes := true
	return &livekit.JoinRequest{
		ClientInfo: &livekit.ClientInfo{
			Sdk: livekit.ClientInfo_JS, Version: text(256), Protocol: 17, ClientProtocol: 2, Os: "os", OsVersion: "1", DeviceModel: "m",
			Browser: "b", BrowserVersion: "2", Network: "wifi", OtherSdks: "components-js:1.2.3",
			Capabilities: []livekit.ClientInfo_Capability{livekit.ClientInfo_CAP_PACKET_TRAILER},
		},
		ConnectionSettings: &livekit.ConnectionSettings{
			AutoSubscribe: true, AdaptiveStream: true, SubscriberAllowPause: &yes, DisableIceLite: true, AutoSubscribeDataTrack: &yes,
		},
		ParticipantAttributes: map[string]string{"hand_raised": "true"},
		AddTrackRequests:      []*livekit.AddTrackRequest{camera()},
		PublisherOffer:        &livekit.SessionDescription{Type: "offer", Sdp: session, Id: 1},
		Reconnect:             true, ReconnectReason: livekit.ReconnectReason_RR_SWITCH_CANDIDATE, ParticipantSid: text(256),
		SyncState: state(),
	}
}

func TestRequestsToJoinPass(t *testing.T) {
	t.Parallel()
	older := everything()
	older.ClientInfo.Protocol = 8
	newer, newest := everything(), everything()
	newer.ClientInfo.Protocol, newest.ClientInfo.Protocol = 99, 17
	plain := &livekit.JoinRequest{ClientInfo: client(17)}
	for name, c := range map[string]struct {
		request string
		out     *livekit.JoinRequest
	}{
		"plain":       {joinRequest(everything()), everything()},
		"compressed":  {zipped(t, everything()), everything()},
		"older":       {joinRequest(older), older},
		"newer":       {joinRequest(newer), newest},
		"no offer":    {joinRequest(&livekit.JoinRequest{ClientInfo: client(17), PublisherOffer: &livekit.SessionDescription{Type: "unknown"}}), plain},
		"unknown":     {wrapped(nil, append(write(plain), field(1000, []byte("x"))...)), plain},
		"metadata":    {joinRequest(&livekit.JoinRequest{ClientInfo: client(17), Metadata: "m"}), plain},
		"another sdk": {joinRequest(&livekit.JoinRequest{ClientInfo: &livekit.ClientInfo{Protocol: 17, Sdk: 99, Address: "198.51.100.1"}}), plain},
		"another why": {joinRequest(&livekit.JoinRequest{ClientInfo: client(17), ReconnectReason: 99}), plain},
		"attributes":  {joinRequest(&livekit.JoinRequest{ClientInfo: client(17), ParticipantAttributes: map[string]string{"role": "host"}}), plain},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, false)
			b.dial(t, "/rtc/v1?access_token="+clientToken+"&join_request="+c.request, nil)
			if got := unpacked(t, (<-b.asked).URL.Query().Get("join_request")); !proto.Equal(got, c.out) {
				t.Errorf("got %v, want %v", got, c.out)
			}
		})
	}
}

// A request to join has the same limits as the messages it stands for.
func TestRequestsToJoinThatAreRefused(t *testing.T) {
	t.Parallel()
	info := func(i *livekit.ClientInfo) string { return joinRequest(&livekit.JoinRequest{ClientInfo: i}) }
	with := func(tracks ...*livekit.AddTrackRequest) *livekit.JoinRequest {
		return &livekit.JoinRequest{ClientInfo: client(17), AddTrackRequests: tracks}
	}
	one := func(r *livekit.AddTrackRequest) string { return joinRequest(with(r)) }
	for name, request := range map[string]string{
		"no base64":        "!",
		"no message":       base64.URLEncoding.EncodeToString([]byte("xyz")),
		"cut off":          base64.URLEncoding.EncodeToString([]byte{18, 5, 1}),
		"unknown packing":  wrapped([]byte{8, 2}, nil),
		"not compressed":   wrapped([]byte{8, 1}, []byte(text(10))),
		"nonsense inside":  wrapped(nil, []byte("xyz")),
		"too old":          info(client(7)),
		"negative":         info(client(-1)),
		"no client":        "EgA=",
		"version":          info(&livekit.ClientInfo{Protocol: 17, Version: text(257)}),
		"browser":          info(&livekit.ClientInfo{Protocol: 17, Browser: text(257)}),
		"other sdks":       info(&livekit.ClientInfo{Protocol: 17, OtherSdks: text(257)}),
		"client protocol":  info(&livekit.ClientInfo{Protocol: 17, ClientProtocol: -1}),
		"session":          joinRequest(&livekit.JoinRequest{ClientInfo: client(17), ParticipantSid: text(257)}),
		"track's name":     one(&livekit.AddTrackRequest{Name: text(257)}),
		"packed":           zipped(t, with(&livekit.AddTrackRequest{Name: text(257)})),
		"quality":          one(&livekit.AddTrackRequest{Layers: []*livekit.VideoLayer{{Quality: -1}}}),
		"quality of codec": one(&livekit.AddTrackRequest{SimulcastCodecs: []*livekit.SimulcastCodec{{Layers: []*livekit.VideoLayer{{Quality: -1}}}}}),
		"tracks":           joinRequest(with(slices.Repeat([]*livekit.AddTrackRequest{{}}, 101)...)),
		"layers":           one(&livekit.AddTrackRequest{Layers: layers(33)}),
		"tracks of others": joinRequest(&livekit.JoinRequest{ClientInfo: client(17), SyncState: &livekit.SyncState{TrackSidsDisabled: []string{text(257)}}}),
		"description":      joinRequest(&livekit.JoinRequest{ClientInfo: client(17), PublisherOffer: &livekit.SessionDescription{Type: "offer", Sdp: "m=text"}}),
		"more than unpack": zipped(t, &livekit.JoinRequest{ClientInfo: client(17), Metadata: text(512 << 10)}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refusedAt(t, "/rtc/v1?access_token="+clientToken+"&join_request="+request)
		})
	}
}

func refusedAt(t *testing.T, path string) {
	t.Helper()
	b := setup(t, false)
	_, res, err := websocket.DefaultDialer.DialContext(t.Context(), "ws"+strings.TrimPrefix(b.front.URL, "http")+path, nil)
	if err == nil {
		t.Fatal("connected")
	}
	want(t, "status", res.StatusCode, http.StatusBadRequest)
	want(t, "requests upstream", len(b.asked), 0)
}

// Older clients say in the address what newer ones put into the request to
// join.
func TestParametersOfOlderClientsBecomeARequestToJoin(t *testing.T) {
	t.Parallel()
	attributes := func(said map[string]string) string {
		raw, err := json.Marshal(said)
		want(t, "is written", err, nil)
		return url.QueryEscape(base64.URLEncoding.EncodeToString(raw))
	}
	for name, c := range map[string]struct{ in, out string }{
		"all that is needed": {
			"publish=x&version=2&os=a&os_version=b&browser=c&browser_version=d&device_model=e&network=f&capabilities=g&auto_subscribe=1" +
				"&auto_subscribe_data_track=1&adaptive_stream=1&subscriber_allow_pause=0&disable_ice_lite=1&reconnect=1&reconnect_reason=2&sid=PA_1" +
				"&sdk=js&protocol=16&client_protocol=2",
			"adaptive_stream=1&auto_subscribe=1&auto_subscribe_data_track=1&browser=c&browser_version=d&capabilities=g&client_protocol=2&device_model=e" +
				"&disable_ice_lite=1&network=f&os=a&os_version=b&protocol=16&reconnect=1&reconnect_reason=2&sdk=js&sid=PA_1&subscriber_allow_pause=0&version=2",
		},
		"the oldest":               {"protocol=8", "protocol=8"},
		"the newest":               {"protocol=17", "protocol=17"},
		"newer":                    {"protocol=18", "protocol=17"},
		"other client protocol":    {"protocol=17&client_protocol=1001", "protocol=17"},
		"negative client protocol": {"protocol=17&client_protocol=-1", "protocol=17"},
		"a raised hand":            {"protocol=17&attributes=" + attributes(map[string]string{"hand_raised": "true", "role": "host"}), "attributes=" + attributes(map[string]string{"hand_raised": "true"}) + "&protocol=17"},
		"a role":                   {"protocol=17&attributes=" + attributes(map[string]string{"role": "host"}), "protocol=17"},
		"half a hand":              {"protocol=17&attributes=" + attributes(map[string]string{"hand_raised": "half"}), "protocol=17"},
		"no attributes":            {"protocol=17&attributes=nonsense", "protocol=17"},
		"long":                     {"protocol=17&version=" + text(256), "protocol=17&version=" + text(256)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, false)
			b.dial(t, "/rtc?access_token="+clientToken+"&"+c.in, nil)
			want(t, "query upstream", (<-b.asked).URL.RawQuery, c.out)
		})
	}
}

func TestAddressesThatAreRefused(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{
		"too old":     "/rtc?protocol=7",
		"very old":    "/rtc?protocol=2",
		"negative":    "/rtc?protocol=-1",
		"no number":   "/rtc?protocol=x",
		"too large":   "/rtc?protocol=99999999999",
		"no protocol": "/rtc?sdk=js",
		"no request":  "/rtc/v1?protocol=17",
		"long":        "/rtc?protocol=17&sid=" + text(257),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refusedAt(t, path+"&access_token="+clientToken)
		})
	}
}
