package gate_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gorilla/websocket"
	"github.com/livekit/protocol/livekit"
	"google.golang.org/protobuf/proto"
)

// What honest clients send, up to the limits, passes unchanged.
func TestMessagesPassBothWays(t *testing.T) {
	t.Parallel()
	b := setup(t, false)
	conn, upstream := b.join(t), <-b.upstream
	for _, message := range [][]byte{
		offer(session + strings.Repeat("a="+text(16<<10-2)+"\r\n", 30)),
		write(&livekit.SignalRequest{Message: &livekit.SignalRequest_Answer{Answer: &livekit.SessionDescription{Type: "answer", Sdp: session, Id: 7}}}),
		trickle(&livekit.TrickleRequest{CandidateInit: `{"candidate":""}`, Target: livekit.SignalTarget_SUBSCRIBER, Final: true}),
		track(camera()),
		track(&livekit.AddTrackRequest{Layers: layers(32)}),
		mute(text(256)),
		subscription(&livekit.UpdateSubscription{TrackSids: []string{text(256)}, Subscribe: true}),
		settings(&livekit.UpdateTrackSettings{
			TrackSids: []string{"TR_1"}, Disabled: true, Quality: livekit.VideoQuality_HIGH, Width: 32768, Height: 32768, Fps: 1000, Priority: 1 << 16,
		}),
		permissions(&livekit.SubscriptionPermission{AllParticipants: true}),
		syncState(state()),
		write(&livekit.SignalRequest{Message: &livekit.SignalRequest_Ping{Ping: 1 << 40}}),
		ping(&livekit.Ping{Timestamp: 1 << 40, Rtt: 60_000}),
		metadata(&livekit.UpdateParticipantMetadata{Attributes: map[string]string{"hand_raised": "true"}, RequestId: 3}),
		audioFeatures("TR_1", slices.Repeat([]livekit.AudioTrackFeature{livekit.AudioTrackFeature_TF_PRECONNECT_BUFFER}, 16)...),
		videoSize("TR_1", 32768, 32768),
		write(&livekit.SignalRequest{Message: &livekit.SignalRequest_Leave{Leave: &livekit.LeaveRequest{
			Reason: livekit.DisconnectReason_CLIENT_INITIATED, Action: livekit.LeaveRequest_DISCONNECT,
		}}}),
	} {
		send(t, conn, message)
		wantMessage(t, upstream, message)
	}
	for _, message := range [][]byte{field(5, []byte(text(100))), field(5, []byte(text(3<<20))), []byte("xyz")} {
		send(t, upstream, message)
		want(t, "is the same", bytes.Equal(receive(t, conn), message), true)
	}
}

// Each limit, exceeded by one.
func TestMessagesThatEndTheConnection(t *testing.T) {
	t.Parallel()
	const policy, large, invalid = websocket.ClosePolicyViolation, websocket.CloseMessageTooBig, websocket.CloseInvalidFramePayloadData
	size, tracks, value := "a track says too much about itself", "too many tracks", "a value is out of range"
	for name, c := range map[string]struct {
		message []byte
		code    int
		text    string
	}{
		"nonsense":                   {[]byte("xyz"), invalid, "malformed message"},
		"cut off":                    {offer(session)[:20], invalid, "malformed message"},
		"no text":                    {field(4, field(2, []byte{0xff})), invalid, "malformed message"},
		"large":                      {field(6, []byte(text(65<<10))), large, "message too large"},
		"large of a newer kind":      {field(1000, []byte(text(65<<10))), large, "message too large"},
		"large behind an offer":      {append(field(1, nil), field(6, []byte(text(65<<10)))...), large, "message too large"},
		"large before an offer":      {append(field(3, nil), offer(text(65<<10))...), large, "message too large"},
		"track":                      {field(4, field(1000, []byte(text(5<<10)))), large, "message too large"},
		"tracks that are merged":     {bytes.Repeat(field(4, field(1000, []byte(text(1<<10)))), 5), large, "message too large"},
		"track's name":               {track(&livekit.AddTrackRequest{Name: text(257)}), policy, size},
		"track's stream":             {track(&livekit.AddTrackRequest{Stream: text(257)}), policy, size},
		"track's id":                 {track(&livekit.AddTrackRequest{Cid: text(257)}), policy, size},
		"track's other id":           {track(&livekit.AddTrackRequest{Sid: text(257)}), policy, size},
		"track's kind":               {track(&livekit.AddTrackRequest{Type: 3}), policy, value},
		"track's source":             {track(&livekit.AddTrackRequest{Source: 5}), policy, value},
		"track's negative source":    {track(&livekit.AddTrackRequest{Source: -1}), policy, value},
		"track's encryption":         {track(&livekit.AddTrackRequest{Encryption: 3}), policy, value},
		"track's backup":             {track(&livekit.AddTrackRequest{BackupCodecPolicy: 3}), policy, value},
		"track's width":              {track(&livekit.AddTrackRequest{Width: 32769}), policy, value},
		"track's height":             {track(&livekit.AddTrackRequest{Height: 32769}), policy, value},
		"track's features":           {track(&livekit.AddTrackRequest{AudioFeatures: make([]livekit.AudioTrackFeature, 17)}), policy, value},
		"layers":                     {track(&livekit.AddTrackRequest{Layers: layers(33)}), policy, size},
		"layers that are merged":     {bytes.Repeat(track(&livekit.AddTrackRequest{Layers: layers(17)}), 2), policy, size},
		"layers of a codec":          {codec(&livekit.SimulcastCodec{Layers: layers(32)}), policy, size},
		"codecs":                     {track(&livekit.AddTrackRequest{SimulcastCodecs: slices.Repeat([]*livekit.SimulcastCodec{{}}, 33)}), policy, size},
		"codec's id":                 {codec(&livekit.SimulcastCodec{Cid: text(257)}), policy, size},
		"codec's name":               {codec(&livekit.SimulcastCodec{Codec: text(257)}), policy, size},
		"codec's mode":               {codec(&livekit.SimulcastCodec{VideoLayerMode: 4}), policy, value},
		"negative quality":           {layer(&livekit.VideoLayer{Quality: -1}), policy, value},
		"lowest quality":             {layer(&livekit.VideoLayer{Quality: -1 << 31}), policy, value},
		"no quality":                 {layer(&livekit.VideoLayer{Quality: livekit.VideoQuality_OFF}), policy, value},
		"negative quality of codec":  {codec(&livekit.SimulcastCodec{Layers: []*livekit.VideoLayer{{Quality: -1}}}), policy, value},
		"spatial layer":              {layer(&livekit.VideoLayer{SpatialLayer: 3}), policy, value},
		"negative spatial layer":     {layer(&livekit.VideoLayer{SpatialLayer: -1}), policy, value},
		"layer's width":              {layer(&livekit.VideoLayer{Width: 32769}), policy, value},
		"layer's height":             {layer(&livekit.VideoLayer{Height: 32769}), policy, value},
		"layer's rate":               {layer(&livekit.VideoLayer{Bitrate: 1<<30 + 1}), policy, value},
		"layer's name":               {layer(&livekit.VideoLayer{Rid: text(17)}), policy, value},
		"a track behind something":   {append(ping(&livekit.Ping{}), track(&livekit.AddTrackRequest{Name: text(257)})...), policy, size},
		"offer that is an answer":    {write(&livekit.SignalRequest{Message: &livekit.SignalRequest_Offer{Offer: &livekit.SessionDescription{Type: "answer", Sdp: session}}}), policy, "a session description is not understood"},
		"candidate":                  {trickle(&livekit.TrickleRequest{CandidateInit: text(2<<10 + 1)}), large, "message too large"},
		"candidate of no connection": {trickle(&livekit.TrickleRequest{Target: 2}), policy, value},
		"mute":                       {mute(text(257)), policy, size},
		"quality to receive":         {settings(&livekit.UpdateTrackSettings{Quality: livekit.VideoQuality_OFF}), policy, value},
		"negative to receive":        {settings(&livekit.UpdateTrackSettings{Quality: -1}), policy, value},
		"width to receive":           {settings(&livekit.UpdateTrackSettings{Width: 32769}), policy, value},
		"height to receive":          {settings(&livekit.UpdateTrackSettings{Height: 32769}), policy, value},
		"frames to receive":          {settings(&livekit.UpdateTrackSettings{Fps: 1001}), policy, value},
		"priority":                   {settings(&livekit.UpdateTrackSettings{Priority: 1<<16 + 1}), policy, value},
		"receivers":                  {permissions(&livekit.SubscriptionPermission{TrackPermissions: []*livekit.TrackPermission{{ParticipantIdentity: "i", AllTracks: true}}}), policy, "everybody in a meeting may receive its tracks"},
		"no receivers":               {permissions(&livekit.SubscriptionPermission{}), policy, "everybody in a meeting may receive its tracks"},
		"state's tracks":             {syncState(&livekit.SyncState{PublishTracks: slices.Repeat([]*livekit.TrackPublishedResponse{{}}, 101)}), policy, tracks},
		"state's negative quality":   {syncState(stateTrack(&livekit.TrackInfo{Codecs: []*livekit.SimulcastCodecInfo{{Layers: []*livekit.VideoLayer{{Quality: -1}}}}})), policy, value},
		"state's track":              {syncState(stateTrack(&livekit.TrackInfo{Name: text(257)})), policy, size},
		"state's description":        {syncState(&livekit.SyncState{Offer: &livekit.SessionDescription{Type: "offer", Sdp: "m=text"}}), policy, "a session description is not understood"},
		"state's channels":           {syncState(&livekit.SyncState{DataChannels: slices.Repeat([]*livekit.DataChannelInfo{{}}, 17)}), policy, value},
		"state's channel":            {syncState(&livekit.SyncState{DataChannels: []*livekit.DataChannelInfo{{Id: 1 << 16}}}), policy, value},
		"audio features":             {audioFeatures("TR_1", make([]livekit.AudioTrackFeature, 17)...), policy, value},
		"video size":                 {videoSize("TR_1", 32769, 1), policy, value},
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
				t.Errorf("the log must name it at debug level, without its content: %s", log)
			}
		})
	}
}

func stateTrack(ti *livekit.TrackInfo) *livekit.SyncState {
	return &livekit.SyncState{PublishTracks: []*livekit.TrackPublishedResponse{{Track: ti}}}
}

func TestAMessageThatIsTooLargeEndsTheConnection(t *testing.T) {
	t.Parallel()
	b := setup(t, false)
	conn, upstream := b.join(t), <-b.upstream
	send(t, conn, offer(text(600<<10)))
	wantClose(t, conn, websocket.CloseMessageTooBig, "")
	wantClose(t, upstream, websocket.CloseMessageTooBig, "message too large")
	<-b.released
}

// LiveKit understands JSON too, which no client sends.
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

// What the media server does not need or does not know is dropped, and the
// connection goes on.
func TestMessagesThatAreDropped(t *testing.T) {
	t.Parallel()
	b := setup(t, false)
	conn, upstream := b.join(t), <-b.upstream
	for _, message := range [][]byte{
		nil,
		simulate(),
		append(ping(&livekit.Ping{}), simulate()...),
		field(1000, []byte(text(60<<10))), // of a newer protocol
		write(&livekit.SignalRequest{Message: &livekit.SignalRequest_UpdateLayers{UpdateLayers: &livekit.UpdateVideoLayers{}}}), //nolint:staticcheck // older clients send it
		write(&livekit.SignalRequest{Message: &livekit.SignalRequest_UpdateDataSubscription{UpdateDataSubscription: &livekit.UpdateDataSubscription{}}}),
		write(&livekit.SignalRequest{Message: &livekit.SignalRequest_UnpublishDataTrackRequest{UnpublishDataTrackRequest: &livekit.UnpublishDataTrackRequest{}}}),
		write(&livekit.SignalRequest{Message: &livekit.SignalRequest_StoreDataBlobRequest{StoreDataBlobRequest: &livekit.StoreDataBlobRequest{}}}),
		write(&livekit.SignalRequest{Message: &livekit.SignalRequest_GetDataBlobRequest{GetDataBlobRequest: &livekit.GetDataBlobRequest{}}}),
		offer(""),
		trickle(&livekit.TrickleRequest{CandidateInit: `{"candidate":"candidate:1 1 udp 1 192.0.2.1 9 typ host"}`}),
		trickle(&livekit.TrickleRequest{CandidateInit: text(2 << 10)}),
	} {
		send(t, conn, message)
	}
	send(t, conn, mute("after them"))
	wantMessage(t, upstream, mute("after them"))
}

// Unknown parts of a known request are left out, and values that the media
// server would misread are corrected.
func TestMessagesAreCorrected(t *testing.T) {
	t.Parallel()
	unknown := field(1000, []byte("unknown"))
	for name, c := range map[string]struct{ in, out []byte }{
		"unknown fields":        {append(mute("a"), unknown...), mute("a")},
		"unknown fields inside": {field(5, append(field(1, []byte("a")), unknown...)), field(5, field(1, []byte("a")))},
		"two requests":          {append(mute("a"), subscription(&livekit.UpdateSubscription{TrackSids: []string{"b"}})...), subscription(&livekit.UpdateSubscription{TrackSids: []string{"b"}})},
		"two of a kind":         {append(mute("a"), field(5, field(1, []byte("b")))...), mute("b")},
		"newer features":        {track(&livekit.AddTrackRequest{AudioFeatures: []livekit.AudioTrackFeature{99, 0}}), track(&livekit.AddTrackRequest{AudioFeatures: []livekit.AudioTrackFeature{0}})},
		"codec of a picture":    {codec(&livekit.SimulcastCodec{Codec: "vp9"}), codec(&livekit.SimulcastCodec{Codec: "vp8"})},
		"codec with its kind":   {codec(&livekit.SimulcastCodec{Codec: "video/AV1"}), codec(&livekit.SimulcastCodec{Codec: "vp8"})},
		"codec of sound": {
			track(&livekit.AddTrackRequest{SimulcastCodecs: []*livekit.SimulcastCodec{{Codec: "g722"}}}),
			track(&livekit.AddTrackRequest{SimulcastCodecs: []*livekit.SimulcastCodec{{Codec: "opus"}}}),
		},
		"a clock that jumped":   {ping(&livekit.Ping{Rtt: 60_001}), ping(&livekit.Ping{Rtt: 60_000})},
		"and jumped back":       {ping(&livekit.Ping{Rtt: -1}), ping(&livekit.Ping{})},
		"where tracks are":      {write(&livekit.SignalRequest{Message: &livekit.SignalRequest_Answer{Answer: &livekit.SessionDescription{Type: "answer", Sdp: session, MidToTrackId: map[string]string{"1": "TR_1"}}}}), write(&livekit.SignalRequest{Message: &livekit.SignalRequest_Answer{Answer: &livekit.SessionDescription{Type: "answer", Sdp: session}}})},
		"data tracks of before": {syncState(&livekit.SyncState{PublishDataTracks: []*livekit.PublishDataTrackResponse{{}}}), syncState(&livekit.SyncState{})},
		"codecs of before": {
			syncState(stateTrack(&livekit.TrackInfo{Type: livekit.TrackType_VIDEO, MimeType: "video/vp9", Codecs: []*livekit.SimulcastCodecInfo{{MimeType: "video/VP9"}}})),
			syncState(stateTrack(&livekit.TrackInfo{Type: livekit.TrackType_VIDEO, Codecs: []*livekit.SimulcastCodecInfo{{MimeType: "video/vp8"}}})),
		},
		"receivers beside everybody": {
			permissions(&livekit.SubscriptionPermission{AllParticipants: true, TrackPermissions: []*livekit.TrackPermission{{ParticipantIdentity: "i"}}}),
			permissions(&livekit.SubscriptionPermission{AllParticipants: true}),
		},
		"name and metadata": {
			metadata(&livekit.UpdateParticipantMetadata{Name: "Host", Metadata: "{}", Attributes: map[string]string{"hand_raised": "", "role": "host"}, RequestId: 1}),
			metadata(&livekit.UpdateParticipantMetadata{Attributes: map[string]string{"hand_raised": ""}, RequestId: 1}),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, false)
			conn, upstream := b.join(t), <-b.upstream
			send(t, conn, c.in)
			got := receive(t, upstream)
			want(t, "knows of the unknown", bytes.Contains(got, []byte("unknown")), false)
			var is, should livekit.SignalRequest
			want(t, "is read", proto.Unmarshal(got, &is), nil)
			want(t, "decodes", proto.Unmarshal(c.out, &should), nil)
			if !proto.Equal(&is, &should) {
				t.Errorf("got %v, want %v", &is, &should)
			}
		})
	}
}

// Clients get an answer to requests that the media server never receives.
func TestAnswersOfTheGate(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		request []byte
		id      uint32
		handle  uint32
	}{
		"a name":          {metadata(&livekit.UpdateParticipantMetadata{Name: "Host", RequestId: 1}), 1, 0},
		"metadata":        {metadata(&livekit.UpdateParticipantMetadata{Metadata: "{}", RequestId: 2}), 2, 0},
		"a role":          {metadata(&livekit.UpdateParticipantMetadata{Attributes: map[string]string{"role": "host"}, RequestId: 3}), 3, 0},
		"half a hand":     {metadata(&livekit.UpdateParticipantMetadata{Attributes: map[string]string{"hand_raised": "half"}, RequestId: 4}), 4, 0},
		"a track of data": {write(&livekit.SignalRequest{Message: &livekit.SignalRequest_PublishDataTrackRequest{PublishDataTrackRequest: &livekit.PublishDataTrackRequest{PubHandle: 9}}}), 0, 9},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, false)
			conn, upstream := b.join(t), <-b.upstream
			send(t, conn, c.request)
			var answer livekit.SignalResponse
			want(t, "is read", proto.Unmarshal(receive(t, conn), &answer), nil)
			want(t, "reason", answer.GetRequestResponse().GetReason(), livekit.RequestResponse_NOT_ALLOWED)
			want(t, "of the request", answer.GetRequestResponse().GetRequestId(), c.id)
			want(t, "of the track", answer.GetRequestResponse().GetPublishDataTrack().GetPubHandle(), c.handle)
			send(t, conn, mute("after it"))
			wantMessage(t, upstream, mute("after it"))
		})
	}
}

// A token signed by the media server would open the media server itself, so no
// client gets one.
func TestTokensOfTheMediaServerAreDropped(t *testing.T) {
	t.Parallel()
	b := setup(t, false)
	conn, upstream := b.join(t), <-b.upstream
	token := field(refreshToken, []byte(text(100)))
	for _, message := range [][]byte{token, append(field(5, nil), token...), append(bytes.Clone(token), field(5, nil)...)} {
		send(t, upstream, message)
	}
	last := field(5, []byte("after them"))
	send(t, upstream, last)
	want(t, "is the last", bytes.Equal(receive(t, conn), last), true)
}

func TestTracksAreCounted(t *testing.T) {
	t.Parallel()
	b := setup(t, false)
	request := joinRequest(&livekit.JoinRequest{ClientInfo: client(17), AddTrackRequests: []*livekit.AddTrackRequest{{}, {}}})
	conn := b.dial(t, "/rtc/v1?access_token="+clientToken+"&join_request="+request, nil)
	upstream := <-b.upstream
	for range 98 {
		send(t, conn, track(&livekit.AddTrackRequest{}))
		wantMessage(t, upstream, track(&livekit.AddTrackRequest{}))
	}
	send(t, conn, track(&livekit.AddTrackRequest{}))
	wantClose(t, conn, websocket.ClosePolicyViolation, "too many tracks")
	wantClose(t, upstream, websocket.ClosePolicyViolation, "too many tracks")
}

func TestCandidatesAndStatesAreCounted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		message []byte
		most    int
		text    string
	}{
		"candidates": {trickle(&livekit.TrickleRequest{CandidateInit: `{"candidate":""}`}), 1000, "too many candidates"},
		"states":     {syncState(&livekit.SyncState{}), 10, "a message that is sent once came again and again"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, false)
			conn, upstream := b.join(t), <-b.upstream
			for range c.most {
				send(t, conn, c.message)
				wantMessage(t, upstream, c.message)
			}
			send(t, conn, c.message)
			wantClose(t, conn, websocket.ClosePolicyViolation, c.text)
			wantClose(t, upstream, websocket.ClosePolicyViolation, c.text)
		})
	}
}

// For every track that somebody asks for, the media server keeps a record,
// whether the track exists or not.
func TestTracksOfOthersAreCounted(t *testing.T) {
	t.Parallel()
	for name, request := range map[string]func(ids []string) []byte{
		"to receive": func(ids []string) []byte { return subscription(&livekit.UpdateSubscription{TrackSids: ids}) },
		"of people": func(ids []string) []byte {
			return subscription(&livekit.UpdateSubscription{ParticipantTracks: []*livekit.ParticipantTracks{{TrackSids: ids}}})
		},
		"settings": func(ids []string) []byte { return settings(&livekit.UpdateTrackSettings{TrackSids: ids}) },
		"as before": func(ids []string) []byte {
			return syncState(&livekit.SyncState{Subscription: &livekit.UpdateSubscription{TrackSids: ids}})
		},
		"off before": func(ids []string) []byte { return syncState(&livekit.SyncState{TrackSidsDisabled: ids}) },
		"people's before": func(ids []string) []byte {
			return syncState(&livekit.SyncState{Subscription: &livekit.UpdateSubscription{ParticipantTracks: []*livekit.ParticipantTracks{{TrackSids: ids}}}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ids := func(from, n int) []string {
				all := make([]string, n)
				for i := range all {
					all[i] = fmt.Sprintf("TR_%d", from+i)
				}
				return all
			}
			b := setup(t, false)
			conn, upstream := b.join(t), <-b.upstream
			for _, message := range [][]byte{request(ids(0, 1000)), request(ids(0, 1000)), request(ids(1000, 1000)), request(ids(500, 1000))} {
				send(t, conn, message)
				wantMessage(t, upstream, message)
			}
			send(t, conn, request(ids(2000, 1)))
			wantClose(t, conn, websocket.ClosePolicyViolation, "too many tracks")
			wantClose(t, upstream, websocket.ClosePolicyViolation, "too many tracks")
		})
	}
}
