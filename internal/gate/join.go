package gate

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"io"

	"github.com/livekit/protocol/livekit"
	"google.golang.org/protobuf/proto"
)

// join filters the request to join in the address; a *breach refuses it. Newer
// clients put into it what older ones say in the rest of the address and in
// their first messages. The offer in it follows later (heldOffer).
func (q *requests) join(text string) (string, error) {
	said, compression, err := unwrap(text)
	if err != nil {
		return "", err
	}
	kept := &livekit.JoinRequest{
		ConnectionSettings: connectionSettings(said.GetConnectionSettings()), ParticipantAttributes: keptAttributes(said.GetParticipantAttributes()),
		Reconnect: said.GetReconnect(), ReconnectReason: said.GetReconnectReason(), ParticipantSid: said.GetParticipantSid(),
	}
	if kept.ClientInfo, err = clientInfo(said.GetClientInfo()); err != nil {
		return "", err
	}
	q.saysMuted = saysMuted(kept.GetClientInfo().GetSdk().String())
	for _, track := range said.GetAddTrackRequests() {
		if proto.Size(track) > maxAddTrack {
			return "", errTooLarge
		}
		t, err := q.addTrack(track)
		if err != nil {
			return "", err
		}
		kept.AddTrackRequests = append(kept.AddTrackRequests, t)
	}
	offer, err := describe(said.GetPublisherOffer(), "offer")
	if err != nil {
		return "", err
	}
	if waits(kept) {
		q.offer = offer
	} else {
		kept.PublisherOffer = offer
	}
	if s := said.GetSyncState(); s != nil {
		if kept.SyncState, err = q.syncState(s); err != nil {
			return "", err
		}
	}
	if known(livekit.ReconnectReason_name, kept.GetReconnectReason()) != nil {
		kept.ReconnectReason = livekit.ReconnectReason_RR_UNKNOWN
	}
	if err := short(kept.GetParticipantSid()); err != nil {
		return "", err
	}
	return wrap(kept, compression)
}

// waits says whether the offer in a request to join waits for tracks of others. A client
// that resumes its connection gets no JoinResponse, for which it would wait, and for a
// client that asks for each track by itself there are none yet.
func waits(r *livekit.JoinRequest) bool {
	return !r.GetReconnect() && r.GetConnectionSettings().GetAutoSubscribe()
}

// takeOffer returns the offer that was kept back, once; nil: there is none.
func (q *requests) takeOffer() *livekit.SessionDescription {
	offer := q.offer
	q.offer = nil
	return offer
}

func connectionSettings(said *livekit.ConnectionSettings) *livekit.ConnectionSettings {
	if said == nil {
		return nil
	}
	return &livekit.ConnectionSettings{
		AutoSubscribe: said.GetAutoSubscribe(), AdaptiveStream: said.GetAdaptiveStream(), SubscriberAllowPause: said.SubscriberAllowPause, //nolint:protogetter // unset differs from false
		DisableIceLite: said.GetDisableIceLite(), AutoSubscribeDataTrack: said.AutoSubscribeDataTrack, //nolint:protogetter // unset differs from false
	}
}

// clientInfo filters what the client says about itself. The media server works
// around bugs of some clients by it, and shows a part to everybody in the room.
func clientInfo(said *livekit.ClientInfo) (*livekit.ClientInfo, error) {
	protocol, err := clamp(int64(said.GetProtocol()))
	if err != nil {
		return nil, err
	}
	kept := &livekit.ClientInfo{
		Sdk: said.GetSdk(), Version: said.GetVersion(), Protocol: int32(protocol), Os: said.GetOs(), OsVersion: said.GetOsVersion(),
		DeviceModel: said.GetDeviceModel(), Browser: said.GetBrowser(), BrowserVersion: said.GetBrowserVersion(), Network: said.GetNetwork(),
		OtherSdks: said.GetOtherSdks(), ClientProtocol: said.GetClientProtocol(),
		Capabilities: onlyKnown(livekit.ClientInfo_Capability_name, said.GetCapabilities()),
	}
	if known(livekit.ClientInfo_SDK_name, kept.GetSdk()) != nil {
		kept.Sdk = livekit.ClientInfo_UNKNOWN
	}
	return kept, firstOf(
		short(kept.GetVersion(), kept.GetOs(), kept.GetOsVersion(), kept.GetDeviceModel(), kept.GetBrowser(), kept.GetBrowserVersion(),
			kept.GetNetwork(), kept.GetOtherSdks()),
		atMost(maxClientProtocol, int(kept.GetClientProtocol())),
		atMost(maxFeatures, len(said.GetCapabilities())),
	)
}

// unwrap decodes a request to join as the media server does, and says how it
// was compressed.
func unwrap(text string) (*livekit.JoinRequest, livekit.WrappedJoinRequest_Compression, error) {
	packed, err := base64.URLEncoding.DecodeString(text)
	if err != nil {
		return nil, 0, errMalformed
	}
	var wrapped livekit.WrappedJoinRequest
	if proto.Unmarshal(packed, &wrapped) != nil {
		return nil, 0, errMalformed
	}
	message := wrapped.GetJoinRequest()
	switch wrapped.GetCompression() {
	case livekit.WrappedJoinRequest_NONE:
	case livekit.WrappedJoinRequest_GZIP:
		if message, err = gunzip(message); err != nil {
			return nil, 0, err
		}
	default:
		return nil, 0, errMalformed
	}
	if len(message) > maxRequest {
		return nil, 0, errTooLarge
	}
	var said livekit.JoinRequest
	if (proto.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(message, &said) != nil {
		return nil, 0, errMalformed
	}
	return &said, wrapped.GetCompression(), nil
}

// gunzip reads one byte more than the limit, so that the caller notices when
// there is more.
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

// wrap encodes a request to join with its former compression, because the
// length of an address is limited.
func wrap(kept *livekit.JoinRequest, compression livekit.WrappedJoinRequest_Compression) (string, error) {
	message := encode(kept)
	if compression == livekit.WrappedJoinRequest_GZIP {
		var out bytes.Buffer
		z := gzip.NewWriter(&out)
		if _, err := z.Write(message); err != nil {
			return "", errMalformed
		}
		if err := z.Close(); err != nil {
			return "", errMalformed
		}
		message = out.Bytes()
	}
	return base64.URLEncoding.EncodeToString(encode(&livekit.WrappedJoinRequest{Compression: compression, JoinRequest: message})), nil
}
