package livekit_test

import (
	"context"
	"crypto/rand"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/livekit/protocol/livekit"
	"google.golang.org/protobuf/proto"

	"github.com/conclave-rooms/conclave/internal/media"
	"github.com/conclave-rooms/conclave/internal/media/mediaclient"
	"github.com/conclave-rooms/conclave/internal/media/mediatest"
)

// place makes a room and connects people to it.
type place struct {
	room string
	ctx  context.Context //nolint:containedctx // the life of one test
}

func newPlace(t *testing.T) *place {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	p := &place{room: "test-" + strings.ToLower(rand.Text()), ctx: ctx}
	if _, err := shared.EnsureRoom(ctx, p.room); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = shared.CloseRoom(context.WithoutCancel(ctx), p.room) })
	return p
}

func (p *place) grant(identity string) media.Grant {
	return media.Grant{
		Room: p.room, Identity: identity, Name: identity, TTL: time.Minute, PublishData: true,
		PublishSources: []media.Source{media.Microphone, media.Camera},
	}
}

func (p *place) join(t *testing.T, identity, passphrase string) *mediaclient.Participant {
	t.Helper()
	token, err := shared.MintToken(p.grant(identity))
	if err != nil {
		t.Fatal(err)
	}
	return mediatest.Join(t, mediaclient.Options{URL: shared.Upstream(), Token: token, Passphrase: passphrase})
}

func (p *place) publish(t *testing.T, who *mediaclient.Participant, source media.Source) string {
	t.Helper()
	id, err := who.Publish(p.ctx, source)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

func TestTwoPeopleHearAndSeeEachOther(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	ada, ben := p.join(t, "ada", "the passphrase"), p.join(t, "ben", "the passphrase")
	eve := p.join(t, "eve", "another passphrase")
	for _, who := range []*mediaclient.Participant{ada, ben} {
		p.publish(t, who, media.Microphone)
		p.publish(t, who, media.Camera)
	}
	for _, source := range []media.Source{media.Microphone, media.Camera} {
		check(t, ada.WaitFrames(p.ctx, "ben", source, 20))
		check(t, ben.WaitFrames(p.ctx, "ada", source, 20))
		check(t, eve.WaitUndecryptable(p.ctx, "ada", source, 20))
		if n := eve.FramesDecrypted("ada", source); n != 0 {
			t.Errorf("with another passphrase %d frames of %s made sense", n, source)
		}
		if n := ada.Undecryptable("ben", source); n != 0 {
			t.Errorf("with the passphrase %d frames of %s made no sense", n, source)
		}
	}
	if transport, err := ada.Transport(); err != nil || transport != "udp" {
		t.Errorf("transport: got %q, %v", transport, err)
	}
}

// A device that never publishes has only the subscribing half of a connection.
// It is listed as arrived by its first frame, whether it uses one connection
// for both directions, like LiveKit's newer libraries, or two.
func TestADeviceThatHearsHasArrived(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	ada := p.join(t, "ada", "x")
	p.publish(t, ada, media.Microphone)
	arrived := func(identity string) {
		t.Helper()
		people, err := shared.Participants(p.ctx, p.room)
		check(t, err)
		for _, who := range people {
			if who.Identity == identity && !who.Arriving {
				return
			}
		}
		t.Errorf("%s hears and is not listed as having arrived: %+v", identity, people)
	}
	ben := p.join(t, "ben", "x")
	check(t, ben.WaitFrames(p.ctx, "ada", media.Microphone, 1))
	arrived("ben")
	token, err := shared.MintToken(p.grant("cy"))
	check(t, err)
	cy, err := mediaclient.ConnectStock(p.ctx, mediaclient.Options{URL: shared.Upstream(), Token: token, Passphrase: "x"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cy.Disconnect)
	check(t, cy.WaitFrames(p.ctx, "ada", 1))
	arrived("cy")
}

func TestDataArrivesOrIsRefused(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	ada, ben, cy := p.join(t, "ada", "x"), p.join(t, "ben", "x"), p.join(t, "cy", "x")
	silence := p.grant("ada")
	silence.PublishData = false
	check(t, shared.UpdateGrant(p.ctx, silence))
	check(t, ada.SendData(p.ctx, "conclave.chat", []byte("refused")))
	check(t, ada.WaitDataTaken(p.ctx))
	// The media server does not report that it refused data. Ben receives what
	// cy sends after the server took ada's message, and never ada's before it.
	// Ada is not allowed to send again in between: her message might still wait
	// for its reader, which checks her rights only then.
	check(t, cy.SendData(p.ctx, "conclave.chat", []byte("allowed")))
	p.wantData(t, ben, "cy", "allowed")
	silence.Identity = "cy"
	check(t, shared.UpdateGrant(p.ctx, silence))
	check(t, shared.UpdateGrant(p.ctx, p.grant("cy")))
	check(t, cy.SendData(p.ctx, "conclave.chat", []byte("allowed again")))
	p.wantData(t, ben, "cy", "allowed again")
}

// Everybody receives what a person says about themselves, so its size is
// limited.
func TestAttributesAreShort(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	grant := p.grant("ada")
	grant.OwnAttributes = true
	token, err := shared.MintToken(grant)
	check(t, err)
	ada := mediatest.Join(t, mediaclient.Options{URL: shared.Upstream(), Token: token, Passphrase: "x"})
	said := func() map[string]string {
		people, err := shared.Participants(p.ctx, p.room)
		check(t, err)
		if len(people) == 0 {
			return nil // she is still arriving
		}
		return people[0].Attributes
	}
	most := 4<<10 - len("mood")
	ada.SetAttributes(map[string]string{"mood": strings.Repeat("x", most)})
	p.until(t, func() bool { return len(said()["mood"]) == most })
	ada.SetAttributes(map[string]string{"mood": ""})
	ada.SetAttributes(map[string]string{"mood": strings.Repeat("x", most+1)})
	ada.SetAttributes(map[string]string{"hand_raised": "true"}) // processed in order, so the other one was processed before
	p.until(t, func() bool { return said()["hand_raised"] == "true" })
	if n := len(said()["mood"]); n > 0 {
		t.Errorf("%d bytes were taken, one more than may be", n)
	}
}

// wantData checks the next message that a participant receives.
func (p *place) wantData(t *testing.T, who *mediaclient.Participant, sender, text string) {
	t.Helper()
	select {
	case got := <-who.Data():
		if got.Sender != sender || got.Topic != "conclave.chat" || string(got.Payload) != text {
			t.Errorf("got %q of %s on %s, want %q of %s", got.Payload, got.Sender, got.Topic, text, sender)
		}
	case <-p.ctx.Done():
		t.Fatalf("%q did not arrive", text)
	}
}

// quiet waits until the frames of a source stop: none arrives for as long as
// twenty would take.
func (p *place) quiet(t *testing.T, who *mediaclient.Participant, identity string, source media.Source) {
	t.Helper()
	for {
		short, cancel := context.WithTimeout(p.ctx, 400*time.Millisecond)
		err := who.WaitFrames(short, identity, source, 1)
		cancel()
		if err != nil {
			break
		}
	}
	if p.ctx.Err() != nil {
		t.Errorf("%s of %s never stopped", source, identity)
	}
}

// until polls a condition until it holds.
func (p *place) until(t *testing.T, so func() bool) {
	t.Helper()
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for !so() {
		select {
		case <-again.C:
		case <-p.ctx.Done():
			t.Fatal("the condition never held")
		}
	}
}

func TestMutingStopsTheSound(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	ada, ben := p.join(t, "ada", "x"), p.join(t, "ben", "x")
	id := p.publish(t, ada, media.Microphone)
	check(t, ben.WaitFrames(p.ctx, "ada", media.Microphone, 10))
	check(t, shared.MuteTrack(p.ctx, p.room, "ada", id, true))
	p.quiet(t, ben, "ada", media.Microphone)
	p.until(t, func() bool { muted, err := ada.Muted(id); check(t, err); return muted }) // or the delayed message would mute her again
	check(t, ada.SetMuted(id, false))                                                    // people unmute themselves
	check(t, ben.WaitFrames(p.ctx, "ada", media.Microphone, 10))
}

func TestRevokingStopsSoundAndPicture(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	ada, ben := p.join(t, "ada", "x"), p.join(t, "ben", "x")
	p.publish(t, ada, media.Microphone)
	p.publish(t, ada, media.Camera)
	check(t, ben.WaitFrames(p.ctx, "ada", media.Microphone, 10))
	check(t, ben.WaitFrames(p.ctx, "ada", media.Camera, 10))
	grant := p.grant("ada")
	grant.PublishSources = []media.Source{media.Microphone}
	check(t, shared.UpdateGrant(p.ctx, grant))
	p.quiet(t, ben, "ada", media.Camera)
	check(t, ben.WaitFrames(p.ctx, "ada", media.Microphone, 10))
	grant.PublishSources = nil
	check(t, shared.UpdateGrant(p.ctx, grant))
	p.quiet(t, ben, "ada", media.Microphone)
}

// A person who loses the network is listed as gone within 25 seconds, and not
// as having left deliberately.
func TestKilledParticipantIsNoticed(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes twenty seconds, because LiveKit does")
	}
	p := newPlace(t)
	ada := p.join(t, "ada", "x")
	p.publish(t, ada, media.Microphone)
	ben := p.join(t, "ben", "x")
	check(t, ben.WaitFrames(p.ctx, "ada", media.Microphone, 10))
	ada.Kill()
	killed := time.Now()
	for again := time.NewTicker(50 * time.Millisecond); ; <-again.C {
		people, err := shared.Participants(p.ctx, p.room)
		if err != nil {
			t.Fatal(err)
		}
		if len(people) == 1 {
			break
		}
	}
	if after := time.Since(killed); after > 25*time.Second || after < time.Second {
		t.Errorf("noticed after %s", after)
	} else {
		t.Logf("noticed after %s", after)
	}
}

// Devices are not told of servers of other companies.
func TestNoForeignAddressInTheJoinAnswer(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	token, err := shared.MintToken(p.grant("ada"))
	if err != nil {
		t.Fatal(err)
	}
	conn, res, err := websocket.DefaultDialer.DialContext(p.ctx, shared.Upstream()+"/rtc?protocol=16&access_token="+token, nil)
	if err != nil {
		t.Fatalf("connect: %v (%v)", err, res)
	}
	defer func() { _ = conn.Close() }()
	_, message, err := conn.ReadMessage()
	if err != nil {
		t.Fatal(err)
	}
	var answer livekit.SignalResponse
	if err := proto.Unmarshal(message, &answer); err != nil {
		t.Fatal(err)
	}
	join := answer.GetJoin()
	if join == nil {
		t.Fatalf("the first message is %v", &answer)
	}
	for _, server := range join.IceServers {
		for _, address := range server.Urls {
			if !strings.HasPrefix(address, "stun:127.0.0.1:") {
				t.Errorf("devices are sent to %s", address)
			}
		}
	}
	for _, codec := range join.GetEnabledPublishCodecs() {
		if mime := strings.ToLower(codec.Mime); strings.Contains(mime, "av1") || strings.Contains(mime, "vp9") {
			t.Errorf("offers %s", codec.Mime)
		}
	}
	if len(join.GetEnabledPublishCodecs()) == 0 {
		t.Error("offers no codecs")
	}
}
