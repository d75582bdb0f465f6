package gate

import (
	"net/netip"

	"github.com/gorilla/websocket"
	"github.com/livekit/protocol/livekit"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// requests filters what the client of one connection sends, and counts it.
type requests struct {
	tracks     int                 // announced so far
	candidates int                 // ICE candidates so far
	syncs      int                 // states sent so far
	wanted     map[string]struct{} // tracks of others that were asked for
	saysMuted  bool                // the client says so when it was muted

	relays func(netip.AddrPort) bool   // as Gate.Relays
	offer  *livekit.SessionDescription // the one in the request to join, kept back
}

// passage is what happens to a message. An empty one drops it.
type passage struct {
	forward []byte // goes on to the other side
	answer  []byte // goes back to the sender, in place of the other side's answer
	leave   bool   // the media server tells the client to leave
	goodbye bool   // the client says that it leaves
	weight  int    // the number of a client's messages as which it counts
	loud    bool   // the media server tells others of it
	joined  bool   // the media server tells the client that it joined

	mute      *livekit.MuteTrackRequest // one side says whether a track of the client is muted
	published *livekit.TrackInfo        // the media server has accepted this track of the client

	answered     bool // the media server answers the client's offer
	asksForOffer bool // the media server asks the client for an offer
}

// pass filters a client's message for the media server; a *breach ends the
// connection. It decodes the message as the media server does and writes it
// anew from the known fields, so that both understand the same, whatever the
// encoding. Unknown kinds of requests are dropped.
func (q *requests) pass(kind int, message []byte) (passage, error) {
	if kind != websocket.BinaryMessage {
		return passage{}, errText // JSON, which the media server accepts and no client sends
	}
	limit, err := limitOf(message)
	if err != nil {
		return passage{}, err
	}
	if len(message) > limit {
		return passage{}, errTooLarge
	}
	var said livekit.SignalRequest
	if err := (proto.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(message, &said); err != nil {
		return passage{}, errMalformed
	}
	counts, isLoud := weight(&said), loud(&said)
	what, err := q.request(&said)
	what.weight, what.loud = counts, isLoud
	return what, err
}

// request filters one decoded request.
func (q *requests) request(said *livekit.SignalRequest) (passage, error) {
	if answer := refusal(said); answer != nil {
		return passage{answer: encode(answer)}, nil
	}
	kept, err := q.keep(said)
	if err != nil || !kept {
		return passage{}, err
	}
	return passage{forward: encode(said), goodbye: said.GetLeave() != nil, mute: said.GetMute()}, nil
}

// limitOf is the longest that a message may be, given the kinds of requests in
// it. A message should hold one request, but nothing stops a client from
// writing several. The requests are not decoded for this, so a message that is
// too large costs nothing.
func limitOf(message []byte) (int, error) {
	limit := maxRequest
	for len(message) > 0 {
		field, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return 0, errMalformed
		}
		message = message[n:]
		if n = protowire.ConsumeFieldValue(field, kind, message); n < 0 {
			return 0, errMalformed
		}
		message = message[n:]
		switch field {
		case requestOffer, requestAnswer, requestSyncState:
		case requestAddTrack:
			limit = min(limit, maxAddTrack)
		default:
			limit = min(limit, maxSmall)
		}
	}
	return limit, nil
}

// Fields of LiveKit's SignalRequest whose length has a limit of its own.
const (
	requestOffer     = 1
	requestAnswer    = 2
	requestAddTrack  = 4
	requestSyncState = 12
)

// keep replaces the content of a request by the filtered one, and says whether
// anything is left.
func (q *requests) keep(said *livekit.SignalRequest) (kept bool, err error) {
	kept = true
	switch m := said.GetMessage().(type) {
	case *livekit.SignalRequest_Offer:
		m.Offer, err = describe(m.Offer, "offer")
		kept = m.Offer != nil
	case *livekit.SignalRequest_Answer:
		m.Answer, err = describe(m.Answer, "answer")
		kept = m.Answer != nil
	case *livekit.SignalRequest_Trickle:
		m.Trickle, err = q.trickle(m.Trickle)
		kept = m.Trickle != nil
	case *livekit.SignalRequest_AddTrack:
		m.AddTrack, err = q.addTrack(m.AddTrack)
	case *livekit.SignalRequest_SyncState:
		m.SyncState, err = q.syncState(m.SyncState)
	case *livekit.SignalRequest_Subscription:
		m.Subscription, err = q.subscription(m.Subscription)
	case *livekit.SignalRequest_TrackSetting:
		m.TrackSetting, err = q.settings(m.TrackSetting)
	case *livekit.SignalRequest_SubscriptionPermission:
		m.SubscriptionPermission, err = permission(m.SubscriptionPermission)
	default:
		return keepSmall(said)
	}
	return kept && err == nil, err
}

// keepSmall does the same for the small requests. It drops everything it does
// not name: what the media server does not need, what serves LiveKit's
// developers only, and what newer clients may send.
func keepSmall(said *livekit.SignalRequest) (kept bool, err error) {
	switch m := said.GetMessage().(type) {
	case *livekit.SignalRequest_Ping:
	case *livekit.SignalRequest_PingReq:
		m.PingReq = &livekit.Ping{Timestamp: m.PingReq.GetTimestamp(), Rtt: max(0, min(m.PingReq.GetRtt(), maxRTT))}
	case *livekit.SignalRequest_Leave:
		m.Leave = leave(m.Leave)
	case *livekit.SignalRequest_Mute:
		m.Mute = &livekit.MuteTrackRequest{Sid: m.Mute.GetSid(), Muted: m.Mute.GetMuted()}
		err = short(m.Mute.GetSid())
	case *livekit.SignalRequest_UpdateMetadata:
		m.UpdateMetadata = &livekit.UpdateParticipantMetadata{
			Attributes: keptAttributes(m.UpdateMetadata.GetAttributes()), RequestId: m.UpdateMetadata.GetRequestId(),
		}
	case *livekit.SignalRequest_UpdateAudioTrack:
		err = firstOf(short(m.UpdateAudioTrack.GetTrackSid()), atMost(maxFeatures, len(m.UpdateAudioTrack.GetFeatures())))
		m.UpdateAudioTrack = &livekit.UpdateLocalAudioTrack{
			TrackSid: m.UpdateAudioTrack.GetTrackSid(),
			Features: onlyKnown(livekit.AudioTrackFeature_name, m.UpdateAudioTrack.GetFeatures()),
		}
	case *livekit.SignalRequest_UpdateVideoTrack:
		m.UpdateVideoTrack = &livekit.UpdateLocalVideoTrack{
			TrackSid: m.UpdateVideoTrack.GetTrackSid(), Width: m.UpdateVideoTrack.GetWidth(), Height: m.UpdateVideoTrack.GetHeight(),
		}
		err = firstOf(short(m.UpdateVideoTrack.GetTrackSid()),
			atMost[uint32](maxSide, m.UpdateVideoTrack.GetWidth(), m.UpdateVideoTrack.GetHeight()))
	default:
		return false, nil
	}
	return err == nil, err
}

func leave(said *livekit.LeaveRequest) *livekit.LeaveRequest {
	kept := &livekit.LeaveRequest{CanReconnect: said.GetCanReconnect(), Reason: said.GetReason(), Action: said.GetAction()}
	if known(livekit.DisconnectReason_name, kept.GetReason()) != nil {
		kept.Reason = livekit.DisconnectReason_UNKNOWN_REASON
	}
	if known(livekit.LeaveRequest_Action_name, kept.GetAction()) != nil {
		kept.Action = livekit.LeaveRequest_DISCONNECT
	}
	return kept
}

// farewell is what LiveKit's clients say when they leave.
func farewell() []byte {
	return encode(&livekit.SignalRequest{Message: &livekit.SignalRequest_Leave{Leave: &livekit.LeaveRequest{
		Reason: livekit.DisconnectReason_CLIENT_INITIATED, Action: livekit.LeaveRequest_DISCONNECT,
	}}})
}

// refusal is the gate's own answer to a request, or nil. Clients wait for an
// answer to these requests, which the media server never receives.
func refusal(said *livekit.SignalRequest) *livekit.SignalResponse {
	response := &livekit.RequestResponse{Reason: livekit.RequestResponse_NOT_ALLOWED}
	switch m := said.GetMessage().(type) {
	case *livekit.SignalRequest_UpdateMetadata:
		if len(keptAttributes(m.UpdateMetadata.GetAttributes())) > 0 {
			return nil
		}
		response.RequestId = m.UpdateMetadata.GetRequestId()
		response.Message = "names, metadata and attributes other than hand_raised are set by the service"
		response.Request = &livekit.RequestResponse_UpdateMetadata{
			UpdateMetadata: &livekit.UpdateParticipantMetadata{RequestId: response.GetRequestId()},
		}
	case *livekit.SignalRequest_PublishDataTrackRequest:
		response.Message = "data tracks are not enabled"
		response.Request = &livekit.RequestResponse_PublishDataTrack{
			PublishDataTrack: &livekit.PublishDataTrackRequest{PubHandle: m.PublishDataTrackRequest.GetPubHandle()},
		}
	default:
		return nil
	}
	return &livekit.SignalResponse{Message: &livekit.SignalResponse_RequestResponse{RequestResponse: response}}
}

// passResponse filters a message of the media server for the client: everything
// passes but tokens, and the client is told to ping sooner. The media server signs
// its tokens with its own key; where it can be reached past the gate, they would
// let in somebody who was removed.
// The client keeps the token it has, which the gate accepts for as long as the
// seat lives.
func passResponse(message []byte) passage {
	what := passage{forward: message}
	for rest := message; len(rest) > 0; {
		field, kind, n := protowire.ConsumeTag(rest)
		if n < 0 {
			break // the gate does not judge what it cannot read
		}
		if field == responseRefreshToken {
			return passage{}
		}
		what.joined = what.joined || field == responseJoin
		what.answered = what.answered || field == responseAnswer
		what.leave = what.leave || field == responseLeave
		what.asksForOffer = what.asksForOffer || field == responseSections
		value := protowire.ConsumeFieldValue(field, kind, rest[n:])
		if value < 0 {
			break
		}
		if field == responsePublished || field == responseMute {
			what.ofTrack(rest[:n+value])
		}
		rest = rest[n+value:]
	}
	if what.joined {
		what.forward = pingSooner(message)
	}
	return what
}

// ofTrack reads a message of the media server about one track of the client.
func (p *passage) ofTrack(message []byte) {
	var said livekit.SignalResponse
	if proto.Unmarshal(message, &said) != nil {
		return
	}
	if m := said.GetMute(); m != nil {
		p.mute = m
	}
	if t := said.GetTrackPublished().GetTrack(); t != nil {
		p.published = t
	}
}

// Fields of LiveKit's SignalResponse that the gate looks for.
const (
	responseJoin         = 1  // the client joined
	responseAnswer       = 2  // the answer to its offer
	responsePublished    = 6  // the media server has accepted a track
	responseLeave        = 8  // why the client has to go
	responseMute         = 9  // a track of the client was muted
	responseRefreshToken = 16 // a new token for the client
	responseSections     = 25 // how many more media sections the client's next offer needs
)

// firstOf returns the first error. A joined error would hide which breach it
// is.
func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// encode writes a message. It cannot fail: all strings come from a message that
// was decoded.
func encode(m proto.Message) []byte {
	message, err := proto.Marshal(m)
	if err != nil {
		return nil
	}
	return message
}
