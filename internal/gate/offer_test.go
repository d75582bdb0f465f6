package gate_test

import (
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/livekit/protocol/livekit"
)

func joined() []byte {
	return write(&livekit.SignalResponse{Message: &livekit.SignalResponse_Join{Join: &livekit.JoinResponse{}}})
}

// sections is how the media server asks for an offer.
func sections(videos uint32) []byte {
	return write(&livekit.SignalResponse{Message: &livekit.SignalResponse_MediaSectionsRequirement{
		MediaSectionsRequirement: &livekit.MediaSectionsRequirement{NumVideos: videos},
	}})
}

// joinsWith connects a client with a request to join. It returns the client's
// connection, and the media server's.
func joinsWith(t *testing.T, b *bundle, request *livekit.JoinRequest) (client, upstream *websocket.Conn) {
	t.Helper()
	client = b.dial(t, "/rtc/v1?access_token="+clientToken+"&join_request="+joinRequest(request), nil)
	upstream = <-b.upstream
	t.Cleanup(func() { _ = upstream.Close() })
	return client, upstream
}

func requestWithOffer() *livekit.JoinRequest {
	settings := &livekit.ConnectionSettings{AutoSubscribe: true}
	return &livekit.JoinRequest{ClientInfo: client(17), ConnectionSettings: settings, PublisherOffer: &livekit.SessionDescription{Type: "offer", Sdp: session, Id: 7}}
}

func answered() []byte {
	return write(&livekit.SignalResponse{Message: &livekit.SignalResponse_Answer{Answer: &livekit.SessionDescription{Type: "answer", Id: 7}}})
}

func TestTheOfferWaitsUntilTheMediaServerHasTracks(t *testing.T) {
	t.Parallel()
	b := setup(t, false)
	b.gate.OfferPause = time.Hour
	client, upstream := joinsWith(t, b, requestWithOffer())
	if asked := unpacked(t, (<-b.asked).URL.Query().Get("join_request")); asked.GetPublisherOffer() != nil {
		t.Errorf("the request to join has the offer: %v", asked)
	}
	send(t, upstream, joined())
	wantMessage(t, client, joined())
	send(t, upstream, sections(1))
	wantMessage(t, upstream, offer(session))
	// The client learns only of requests for offers that the media server makes after its
	// answer.
	send(t, upstream, sections(2))
	send(t, upstream, answered())
	wantMessage(t, client, answered())
	send(t, upstream, sections(3))
	wantMessage(t, client, sections(3))
}

// Where nobody else has tracks, the media server asks for no offer, so the client's
// offer must not wait for that.
func TestTheOfferDoesNotWaitForLong(t *testing.T) {
	t.Parallel()
	client, upstream := joinsWith(t, setup(t, false), requestWithOffer())
	send(t, upstream, joined())
	wantMessage(t, client, joined())
	wantMessage(t, upstream, offer(session))
}

// An offer that waits has passed the same filter as one that does not.
func TestAnOfferThatWaitsIsFiltered(t *testing.T) {
	t.Parallel()
	request := requestWithOffer()
	const before, after = "v=0\r\nm=video 9 UDP/TLS/RTP/SAVPF 96\r\n", "a=rtpmap:96 VP8/90000\r\n"
	request.PublisherOffer.Sdp = before + "a=extmap:9 urn:ietf:params:rtp-hdrext:framemarking\r\n" + after
	client, upstream := joinsWith(t, setup(t, false), request)
	send(t, upstream, joined())
	wantMessage(t, client, joined())
	wantMessage(t, upstream, offer(before+after))
}

func TestOffersOfClientsThatResumeOrPickTracksDoNotWait(t *testing.T) {
	t.Parallel()
	resumed, picky := requestWithOffer(), requestWithOffer()
	resumed.Reconnect = true
	picky.ConnectionSettings.AutoSubscribe = false
	for name, request := range map[string]*livekit.JoinRequest{
		"of a client that resumes its connection":    resumed,
		"of a client that asks for tracks by itself": picky,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, false)
			client, upstream := joinsWith(t, b, request)
			if asked := unpacked(t, (<-b.asked).URL.Query().Get("join_request")); asked.GetPublisherOffer() == nil {
				t.Errorf("the request to join has no offer: %v", asked)
			}
			send(t, upstream, sections(1))
			wantMessage(t, client, sections(1))
		})
	}
}

func TestAClientThatMadeNoOfferIsAskedForOne(t *testing.T) {
	t.Parallel()
	request := requestWithOffer()
	request.PublisherOffer = nil
	client, upstream := joinsWith(t, setup(t, false), request)
	send(t, upstream, joined())
	wantMessage(t, client, joined())
	send(t, upstream, sections(1))
	wantMessage(t, client, sections(1))
}
