package gate_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/livekit/protocol/livekit"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

const refreshToken = 16 // the field of a SignalResponse

// field encodes one field of a message; a message is a sequence of fields.
func field(number protowire.Number, value []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), value)
}

func text(n int) string { return strings.Repeat("x", n) }

// Requests, encoded as LiveKit's clients encode them.
func write(m proto.Message) []byte {
	message, err := proto.Marshal(m)
	if err != nil {
		panic(err)
	}
	return message
}

func offer(sdp string) []byte {
	return write(&livekit.SignalRequest{Message: &livekit.SignalRequest_Offer{Offer: &livekit.SessionDescription{Type: "offer", Sdp: sdp, Id: 7}}})
}

func trickle(t *livekit.TrickleRequest) []byte {
	return write(&livekit.SignalRequest{Message: &livekit.SignalRequest_Trickle{Trickle: t}})
}

func track(t *livekit.AddTrackRequest) []byte {
	return write(&livekit.SignalRequest{Message: &livekit.SignalRequest_AddTrack{AddTrack: t}})
}

func layers(n int) []*livekit.VideoLayer {
	return slices.Repeat([]*livekit.VideoLayer{{Quality: livekit.VideoQuality_HIGH, Width: 1280, Height: 720}}, n)
}

func layer(l *livekit.VideoLayer) []byte {
	return track(&livekit.AddTrackRequest{Layers: []*livekit.VideoLayer{l}})
}

func codec(c *livekit.SimulcastCodec) []byte {
	return track(&livekit.AddTrackRequest{Type: livekit.TrackType_VIDEO, SimulcastCodecs: []*livekit.SimulcastCodec{c}})
}

func subscription(u *livekit.UpdateSubscription) []byte {
	return write(&livekit.SignalRequest{Message: &livekit.SignalRequest_Subscription{Subscription: u}})
}

func settings(u *livekit.UpdateTrackSettings) []byte {
	return write(&livekit.SignalRequest{Message: &livekit.SignalRequest_TrackSetting{TrackSetting: u}})
}

func permissions(p *livekit.SubscriptionPermission) []byte {
	return write(&livekit.SignalRequest{Message: &livekit.SignalRequest_SubscriptionPermission{SubscriptionPermission: p}})
}

func syncState(s *livekit.SyncState) []byte {
	return write(&livekit.SignalRequest{Message: &livekit.SignalRequest_SyncState{SyncState: s}})
}

func ping(p *livekit.Ping) []byte {
	return write(&livekit.SignalRequest{Message: &livekit.SignalRequest_PingReq{PingReq: p}})
}

func mute(sid string) []byte {
	return write(&livekit.SignalRequest{Message: &livekit.SignalRequest_Mute{Mute: &livekit.MuteTrackRequest{Sid: sid, Muted: true}}})
}

func metadata(u *livekit.UpdateParticipantMetadata) []byte {
	return write(&livekit.SignalRequest{Message: &livekit.SignalRequest_UpdateMetadata{UpdateMetadata: u}})
}

func simulate() []byte {
	return write(&livekit.SignalRequest{Message: &livekit.SignalRequest_Simulate{
		Simulate: &livekit.SimulateScenario{Scenario: &livekit.SimulateScenario_SpeakerUpdate{SpeakerUpdate: 1}},
	}})
}

func audioFeatures(sid string, features ...livekit.AudioTrackFeature) []byte {
	return write(&livekit.SignalRequest{Message: &livekit.SignalRequest_UpdateAudioTrack{
		UpdateAudioTrack: &livekit.UpdateLocalAudioTrack{TrackSid: sid, Features: features},
	}})
}

func videoSize(sid string, width, height uint32) []byte {
	return write(&livekit.SignalRequest{Message: &livekit.SignalRequest_UpdateVideoTrack{
		UpdateVideoTrack: &livekit.UpdateLocalVideoTrack{TrackSid: sid, Width: width, Height: height},
	}})
}

// session is a description without any media.
const session = "v=0\r\no=- 1 2 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\n"

// camera is the track that a browser announces for a camera.
func camera() *livekit.AddTrackRequest {
	return &livekit.AddTrackRequest{
		Cid: text(256), Name: text(256), Type: livekit.TrackType_VIDEO, Width: 1280, Height: 720, Muted: true, DisableRed: true,
		Source: livekit.TrackSource_CAMERA, Encryption: livekit.Encryption_GCM, Stream: text(256), Sid: "TR_1",
		BackupCodecPolicy: livekit.BackupCodecPolicy_SIMULCAST, AudioFeatures: []livekit.AudioTrackFeature{livekit.AudioTrackFeature_TF_STEREO},
		PacketTrailerFeatures: []livekit.PacketTrailerFeature{livekit.PacketTrailerFeature_PTF_FRAME_ID},
		Layers: []*livekit.VideoLayer{
			{Quality: livekit.VideoQuality_LOW, Width: 320, Height: 180, Bitrate: 120_000, Ssrc: 1<<32 - 1, Rid: "q", RepairSsrc: 9},
			{Quality: livekit.VideoQuality_HIGH, Width: 32768, Height: 32768, Bitrate: 1 << 30, SpatialLayer: 2, Rid: text(16)},
		},
		SimulcastCodecs: []*livekit.SimulcastCodec{
			{Codec: "vp8", Cid: text(256), Layers: layers(3), VideoLayerMode: livekit.VideoLayer_ONE_SPATIAL_LAYER_PER_STREAM},
			{Codec: "video/H264", Cid: "b"},
		},
	}
}

// state is what a browser sends when it reconnects.
func state() *livekit.SyncState {
	return &livekit.SyncState{
		Answer:       &livekit.SessionDescription{Type: "answer", Sdp: session},
		Offer:        &livekit.SessionDescription{Type: "offer", Sdp: session},
		Subscription: &livekit.UpdateSubscription{TrackSids: []string{"TR_1"}, ParticipantTracks: []*livekit.ParticipantTracks{{ParticipantSid: "PA_1"}}},
		PublishTracks: []*livekit.TrackPublishedResponse{{Cid: text(256), Track: &livekit.TrackInfo{
			Sid: "TR_2", Type: livekit.TrackType_VIDEO, Name: "n", Width: 1280, Height: 720, Source: livekit.TrackSource_CAMERA, MimeType: "video/VP8", Mid: "1",
			Codecs: []*livekit.SimulcastCodecInfo{{MimeType: "video/VP8", Mid: "1", Cid: "c", Layers: layers(3), SdpCid: "d"}}, Stream: "camera",
			Encryption: livekit.Encryption_GCM, Version: &livekit.TimedVersion{UnixMicro: 1, Ticks: 2}, Layers: layers(3), //nolint:staticcheck // clients send it
		}}, {Cid: "none"}},
		DataChannels:             []*livekit.DataChannelInfo{{Label: "_reliable", Id: 65535, Target: livekit.SignalTarget_SUBSCRIBER}},
		TrackSidsDisabled:        []string{"TR_3"},
		DatachannelReceiveStates: []*livekit.DataChannelReceiveState{{PublisherSid: "PA_2", LastSeq: 3}},
	}
}

func send(t *testing.T, conn *websocket.Conn, message []byte) {
	t.Helper()
	if err := conn.WriteMessage(websocket.BinaryMessage, message); err != nil {
		t.Fatal(err)
	}
}

func receive(t *testing.T, conn *websocket.Conn) []byte {
	t.Helper()
	_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
	kind, got, err := conn.ReadMessage()
	if err != nil {
		t.Fatal(err)
	}
	want(t, "kind", kind, websocket.BinaryMessage)
	return got
}

func wantMessage(t *testing.T, conn *websocket.Conn, message []byte) {
	t.Helper()
	got := receive(t, conn)
	var is, should livekit.SignalRequest
	if proto.Unmarshal(got, &is) == nil && proto.Unmarshal(message, &should) == nil {
		if !proto.Equal(&is, &should) {
			t.Errorf("got %v, want %v", &is, &should)
		}
		return
	}
	want(t, "is the same", bytes.Equal(got, message), true)
}
