package gate

import (
	"log/slog"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/livekit/protocol/livekit"
)

// message is how a request of a client counts.
func message(t *testing.T, r *livekit.SignalRequest) passage {
	t.Helper()
	what, err := new(requests).pass(websocket.BinaryMessage, encode(r))
	if err != nil {
		t.Fatal(err)
	}
	return what
}

func muted() *livekit.SignalRequest {
	return &livekit.SignalRequest{Message: &livekit.SignalRequest_Mute{Mute: &livekit.MuteTrackRequest{Sid: "TR_1", Muted: true}}}
}

func pinged() *livekit.SignalRequest {
	return &livekit.SignalRequest{Message: &livekit.SignalRequest_PingReq{PingReq: &livekit.Ping{Timestamp: 1}}}
}

// A burst of messages up to the limit passes at once. The next message waits for its
// turn.
func TestAClientThatSendsTooOftenIsSlowedDown(t *testing.T) {
	t.Parallel()
	tracks := func(n int) *livekit.UpdateSubscription {
		return &livekit.UpdateSubscription{TrackSids: make([]string, n)}
	}
	for name, c := range map[string]struct {
		request *livekit.SignalRequest
		most    int           // pass at once
		turn    time.Duration // of each one after them
	}{
		"a ping":      {pinged(), 1000, 10 * time.Millisecond},
		"nothing":     {&livekit.SignalRequest{Message: &livekit.SignalRequest_Simulate{Simulate: &livekit.SimulateScenario{}}}, 1000, 10 * time.Millisecond},
		"a candidate": {&livekit.SignalRequest{Message: &livekit.SignalRequest_Trickle{Trickle: &livekit.TrickleRequest{CandidateInit: "{}"}}}, 1000, 10 * time.Millisecond},
		"settings": {
			&livekit.SignalRequest{Message: &livekit.SignalRequest_TrackSetting{TrackSetting: &livekit.UpdateTrackSettings{TrackSids: make([]string, 99)}}},
			1000, 10 * time.Millisecond,
		},
		"settings of many tracks": {
			&livekit.SignalRequest{Message: &livekit.SignalRequest_TrackSetting{TrackSetting: &livekit.UpdateTrackSettings{TrackSids: make([]string, 900)}}},
			100, 100 * time.Millisecond,
		},
		"a subscription to many tracks": {&livekit.SignalRequest{Message: &livekit.SignalRequest_Subscription{Subscription: tracks(900)}}, 100, 100 * time.Millisecond},
		"a subscription to many people": {
			&livekit.SignalRequest{Message: &livekit.SignalRequest_Subscription{Subscription: &livekit.UpdateSubscription{
				ParticipantTracks: []*livekit.ParticipantTracks{{TrackSids: make([]string, 899)}},
			}}}, 100, 100 * time.Millisecond,
		},
		"a mute":     {muted(), 30, 100 * time.Millisecond},
		"an offer":   {&livekit.SignalRequest{Message: &livekit.SignalRequest_Offer{Offer: &livekit.SessionDescription{Type: "offer", Sdp: "v=0\r\n"}}}, 30, 100 * time.Millisecond},
		"attributes": {&livekit.SignalRequest{Message: &livekit.SignalRequest_UpdateMetadata{UpdateMetadata: &livekit.UpdateParticipantMetadata{}}}, 30, 100 * time.Millisecond},
		"sound":      {&livekit.SignalRequest{Message: &livekit.SignalRequest_UpdateAudioTrack{UpdateAudioTrack: &livekit.UpdateLocalAudioTrack{}}}, 30, 100 * time.Millisecond},
		"a picture":  {&livekit.SignalRequest{Message: &livekit.SignalRequest_UpdateVideoTrack{UpdateVideoTrack: &livekit.UpdateLocalVideoTrack{}}}, 30, 100 * time.Millisecond},
		"permission": {
			&livekit.SignalRequest{Message: &livekit.SignalRequest_SubscriptionPermission{SubscriptionPermission: &livekit.SubscriptionPermission{AllParticipants: true}}},
			30, 100 * time.Millisecond,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, m, now := newPace(), message(t, c.request), time.Now()
			for i := range c.most {
				if d := p.delay(now, m); d != 0 {
					t.Fatalf("message %d waits for %v", i+1, d)
				}
			}
			if d := p.delay(now, m).Round(time.Millisecond); d != c.turn {
				t.Errorf("message %d waits for %v, want %v", c.most+1, d, c.turn)
			}
			now = now.Add(2 * c.turn)
			if d := p.delay(now, m); d != 0 {
				t.Errorf("the one after its turn waits for %v", d)
			}
		})
	}
}

// A client that sends too many messages about which others are told can still send the
// kinds that concern only itself.
func TestPingsDoNotWaitForMutes(t *testing.T) {
	t.Parallel()
	p, now := newPace(), time.Now()
	for range loudBurst + 1 {
		p.delay(now, message(t, muted()))
	}
	if d := p.delay(now, message(t, pinged())); d != 0 {
		t.Errorf("a ping waits for %v", d)
	}
}

// Messages that had to wait pass later, in order, and so do those after them.
func TestMessagesPassInTheirTurn(t *testing.T) {
	t.Parallel()
	client, person, _ := dialTorn(t)
	upstream, server, _ := dialTorn(t)
	waits, turn, start := make(chan time.Duration), make(chan struct{}), time.Now()
	p := newPace()
	p.now = func() time.Time { return start }
	p.pause = func(d time.Duration) { waits <- d; <-turn }
	l := &relay{gate: &Gate{Logger: slog.New(slog.DiscardHandler)}, client: client, upstream: upstream, pace: p}
	ended := make(chan struct{})
	go func() { defer close(ended); l.run() }()

	for range loudBurst + 1 {
		if err := person.WriteMessage(websocket.BinaryMessage, encode(muted())); err != nil {
			t.Fatal(err)
		}
	}
	if d := (<-waits).Round(time.Millisecond); d != 100*time.Millisecond {
		t.Errorf("the last one waits for %v", d)
	}
	// Meanwhile the media server gets other messages, but no more of the client's.
	between := encode(pinged())
	l.write(l.upstream, websocket.BinaryMessage, between)
	close(turn)
	for i := range loudBurst + 2 {
		_, got, err := server.ReadMessage()
		if err != nil {
			t.Fatal(err)
		}
		if is := string(got) == string(between); is != (i == loudBurst) {
			t.Errorf("message %d is the one between: %v", i+1, is)
		}
	}
	if err := person.Close(); err != nil {
		t.Fatal(err)
	}
	_, _, _ = server.ReadMessage()
	_ = server.Close()
	<-ended
}

// Pings and pongs of the WebSocket count like messages: each costs the media server an
// answer, or at least its reading.
func TestPingsOfTheConnectionWaitForTheirTurn(t *testing.T) {
	t.Parallel()
	client, person, _ := dialTorn(t)
	upstream, server, _ := dialTorn(t)
	waits, start := make(chan time.Duration, 1), time.Now()
	p := newPace()
	p.now = func() time.Time { return start }
	p.pause = func(d time.Duration) { waits <- d }
	l := &relay{gate: &Gate{Logger: slog.New(slog.DiscardHandler)}, client: client, upstream: upstream, pace: p}
	ended := make(chan struct{})
	go func() { defer close(ended); l.run() }()
	go func() {
		for { // answers the pings
			if _, _, err := server.ReadMessage(); err != nil {
				return
			}
		}
	}()
	for i := range burst + 1 {
		kind := []int{websocket.PingMessage, websocket.PongMessage}[i%2]
		if err := person.WriteControl(kind, nil, time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	if d := (<-waits).Round(time.Millisecond); d != 10*time.Millisecond {
		t.Errorf("the last one waits for %v", d)
	}
	_, _ = person.Close(), server.Close()
	<-ended
}

// When a client has to go while its message waits, that message does not pass any more.
func TestAMessageThatWaitsIsDroppedWhenItsClientHasToGo(t *testing.T) {
	t.Parallel()
	l := &relay{gate: &Gate{}, pace: newPace()}
	l.pace.now = func() time.Time { return time.Time{} }
	l.pace.pause = func(time.Duration) { l.dismissed.Store(true) }
	for i := range loudBurst + 1 {
		what, err := l.passRequest(websocket.BinaryMessage, encode(muted()))
		if err != nil {
			t.Fatal(err)
		}
		if passes := what.forward != nil; passes != (i < loudBurst) {
			t.Errorf("message %d passes: %v", i+1, passes)
		}
	}
}
