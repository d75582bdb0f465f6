package server_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/config"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/media"
	"github.com/conclave-rooms/conclave/internal/media/mediaclient"
	"github.com/conclave-rooms/conclave/internal/server"
)

// One service runs one meeting after the other, because starting it is slow.
//
//nolint:paralleltest // each of them calls t.Parallel
func TestMeetingsWithRealMedia(t *testing.T) {
	t.Parallel()
	r := start(t)
	t.Run("two people hear and see each other, a third with a wrong passphrase does not", r.testTwoMeet)
	t.Run("LiveKit's own Go library joins with the API's answer", r.testStockLibrary)
	t.Run("the server mutes a stock client on entry", r.testOffOnEntry("mute_on_entry", media.Microphone,
		func(p api.Participant) bool { return p.AudioMuted }))
	t.Run("the server turns the camera of a stock client off on entry", r.testOffOnEntry("camera_off_on_entry", media.Camera,
		func(p api.Participant) bool { return p.VideoMuted }))
	t.Run("a share that is no longer allowed stops", r.testShareRevoked)
	t.Run("a lock keeps new people out and lets those who were in come back", r.testLock)
	t.Run("a raised hand of a stock client", r.testHand)
	t.Run("deleting the room ends its meeting", r.testDelete)
	t.Run("a webinar's audience cannot publish", r.testWebinar)
	t.Run("after a mute no packet of the microphone is forwarded", r.testMuted)
	t.Run("off the stage no packet is forwarded", r.testOffStage)
	t.Run("a removed participant is disconnected at once", r.testRemoved)
	t.Run("stock clients that are removed learn it", r.testStockRemoved)
	t.Run("somebody who comes back as the meeting closes is in", r.testComesBackAsItCloses)
	t.Run("people who leave on the way to a breakout room have left at once", r.testLeavesOnTheWay)
	t.Run("a device with half of a connection is in the meeting", r.testHalves)
	t.Run("a device with half of a connection says goodbye and has left", r.testHalfLeaves)
	t.Run("no line of the log tells how somebody voted", r.testVotesAreNotLogged)
	t.Run("a connection test connects and opens nothing else", r.testConnectionTest)
	t.Run("a client that vanishes is gone within 25 seconds", r.testVanish)
}

// The moment when a meeting closes is a race between transactions, and PostgreSQL
// orders them in another way than SQLite.
func TestComingBackAsAMeetingClosesOnPostgreSQL(t *testing.T) {
	t.Parallel()
	where := dbtest.Config(t, db.PostgreSQL)
	r := startAs(t, server.Options{}, func(c *config.Serve) { c.DatabaseURL = where.URL })
	t.Run("somebody who comes back as the meeting closes is in", r.testComesBackAsItCloses)
}

func (r *running) testTwoMeet(t *testing.T) {
	t.Parallel()
	room := r.room(t, nil)
	adaToken := r.token(t, room, "Ada", "host")
	ada, ben := r.join(t, adaToken), r.join(t, r.token(t, room, "Ben", "participant"))
	wrong := r.token(t, room, "Eve", "participant")
	wrong.E2EEPassphrase = strings.Repeat("x", 43)
	eve := r.join(t, wrong)
	for _, who := range []*mediaclient.Participant{ada, ben} {
		for _, source := range []media.Source{media.Microphone, media.Camera} {
			if _, err := who.Publish(limited(t), source); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, source := range []media.Source{media.Microphone, media.Camera} {
		for _, err := range []error{
			ada.WaitFrames(limited(t), ben.Identity(), source, 20), ben.WaitFrames(limited(t), ada.Identity(), source, 20),
			eve.WaitUndecryptable(limited(t), ada.Identity(), source, 20),
		} {
			if err != nil {
				t.Error(err)
			}
		}
		if n := eve.FramesDecrypted(ada.Identity(), source); n != 0 {
			t.Errorf("with a wrong passphrase %d frames of %s open", n, source)
		}
	}
	people := r.people(t, room)
	if len(people) != 3 || people["Ada"].Role != api.RoleHost || people["Ada"].AudioMuted || people["Ada"].VideoMuted || !people["Eve"].AudioMuted {
		t.Errorf("participants: %+v", people)
	}
	if people["Ada"].Identity != adaToken.Identity || !strings.HasPrefix(adaToken.Identity, "api_Ada.") {
		t.Errorf("Ada is %q in the list, %q in the token", people["Ada"].Identity, adaToken.Identity)
	}
}

func (r *running) testStockLibrary(t *testing.T) {
	t.Parallel()
	room := r.room(t, nil)
	token := r.token(t, room, "Stock", "participant")
	stock, err := mediaclient.ConnectStock(limited(t), mediaclient.Options{URL: token.ServerURL, Token: token.Token, Passphrase: token.E2EEPassphrase})
	if err != nil {
		t.Fatal(err)
	}
	defer stock.Disconnect()
	if stock.Identity() != token.Identity {
		t.Errorf("the client is %q in the room, %q in the token", stock.Identity(), token.Identity)
	}
	ada := r.join(t, r.token(t, room, "Ada", "participant"))
	if err := stock.Speak(); err != nil {
		t.Fatal(err)
	}
	if _, err := ada.Publish(limited(t), media.Microphone); err != nil {
		t.Fatal(err)
	}
	if err := ada.WaitFrames(limited(t), stock.Identity(), media.Microphone, 20); err != nil {
		t.Errorf("Ada does not hear the stock client: %v", err)
	}
	if err := stock.WaitFrames(limited(t), ada.Identity(), 20); err != nil {
		t.Errorf("the stock client does not hear Ada: %v", err)
	}
}

// testOffOnEntry tests that the first track of a source is muted by a setting of the
// room. off says whether the API lists a person with the source off.
func (r *running) testOffOnEntry(setting string, source media.Source, off func(api.Participant) bool) func(*testing.T) {
	return func(t *testing.T) {
		t.Parallel()
		room := r.room(t, map[string]any{setting: true})
		ada := r.join(t, r.token(t, room, "Ada", "participant"))
		track, err := ada.Publish(limited(t), source)
		if err != nil {
			t.Fatal(err)
		}
		r.within(t, patience, "Ada's "+string(source)+" is off", func() bool { return off(r.people(t, room)["Ada"]) })
		r.within(t, patience, "Ada's client knows it", func() bool { muted, err := ada.Muted(track); return err == nil && muted })
		if err := ada.SetMuted(track, false); err != nil {
			t.Fatal(err)
		}
		r.within(t, patience, "Ada has turned it on herself", func() bool { return !off(r.people(t, room)["Ada"]) })
	}
}

func (r *running) testShareRevoked(t *testing.T) {
	t.Parallel()
	room := r.room(t, nil)
	host, guest := r.join(t, r.token(t, room, "Host", "host")), r.join(t, r.token(t, room, "Guest", "participant"))
	if _, err := guest.Publish(limited(t), media.ScreenShare); err != nil {
		t.Fatal(err)
	}
	if err := host.WaitFrames(limited(t), guest.Identity(), media.ScreenShare, 5); err != nil {
		t.Fatal(err)
	}
	r.api(t, http.MethodPatch, "/rooms/"+room.ID, map[string]any{"settings": map[string]any{"screen_share": "hosts"}}, nil)
	r.within(t, patience, "the guest's share has stopped", func() bool { return !r.people(t, room)["Guest"].ScreenSharing })
	if _, err := host.Publish(limited(t), media.ScreenShare); err != nil {
		t.Errorf("the host cannot share: %v", err)
	}
}

func (r *running) testLock(t *testing.T) {
	t.Parallel()
	room := r.room(t, nil)
	token := r.token(t, room, "Ada", "participant")
	late := r.token(t, room, "Late", "host")
	ada := r.join(t, token)
	r.within(t, patience, "Ada is in", func() bool { return len(r.people(t, room)) == 1 })
	r.api(t, http.MethodPatch, "/rooms/"+room.ID, map[string]any{"locked": true}, nil)
	ctx, cancel := context.WithTimeout(limited(t), 10*time.Second)
	defer cancel()
	if p, err := mediaclient.Connect(ctx, mediaclient.Options{URL: late.ServerURL, Token: late.Token, Passphrase: late.E2EEPassphrase}); err == nil {
		p.Disconnect()
		t.Error("somebody new came into a locked room")
	}
	ada.Kill() // the network is gone, without a goodbye
	again := r.join(t, token)
	if again.Identity() != token.Identity {
		t.Errorf("Ada came back as %q", again.Identity())
	}
}

func (r *running) testHand(t *testing.T) {
	t.Parallel()
	room := r.room(t, nil)
	ada := r.join(t, r.token(t, room, "Ada", "participant"))
	r.within(t, patience, "Ada is in", func() bool { return len(r.people(t, room)) == 1 })
	ada.SetAttributes(map[string]string{"hand_raised": "true"})
	r.within(t, patience, "the hand is up", func() bool { return r.people(t, room)["Ada"].HandRaised })
	ada.SetAttributes(map[string]string{"hand_raised": ""})
	r.within(t, patience, "the hand is down", func() bool { return !r.people(t, room)["Ada"].HandRaised })
}

func (r *running) testDelete(t *testing.T) {
	t.Parallel()
	room := r.room(t, nil)
	token := r.token(t, room, "Ada", "participant")
	ada := r.join(t, token)
	r.within(t, patience, "Ada is in", func() bool { return len(r.people(t, room)) == 1 })
	r.api(t, http.MethodDelete, "/rooms/"+room.ID, nil, nil)
	select {
	case <-ada.Gone():
	case <-time.After(patience):
		t.Error("Ada is still connected to a deleted room")
	}
	ctx, cancel := context.WithTimeout(limited(t), 10*time.Second)
	defer cancel()
	if p, err := mediaclient.Connect(ctx, mediaclient.Options{URL: token.ServerURL, Token: token.Token, Passphrase: token.E2EEPassphrase}); err == nil {
		p.Disconnect()
		t.Error("a token of a deleted room still connects")
	}
}

func (r *running) testWebinar(t *testing.T) {
	t.Parallel()
	room := r.webinar(t)
	host, watcher := r.join(t, r.token(t, room, "Host", "host")), r.join(t, r.token(t, room, "Watcher", "participant"))
	if _, err := host.Publish(limited(t), media.Camera); err != nil {
		t.Fatal(err)
	}
	if err := watcher.WaitFrames(limited(t), host.Identity(), media.Camera, 5); err != nil {
		t.Error(err)
	}
	if _, err := watcher.Publish(limited(t), media.Microphone); !errors.Is(err, media.ErrRefused) {
		t.Errorf("the audience of a webinar publishes, or is not refused: %v", err)
	}
}

// silent waits until frames under way have arrived and no more come.
func (r *running) silent(t *testing.T, listener, speaker *mediaclient.Participant, source media.Source) {
	t.Helper()
	for ctx := limited(t); ; {
		before := listener.FramesDecrypted(speaker.Identity(), source)
		time.Sleep(time.Second) // only waiting shows that nothing arrives
		after := listener.FramesDecrypted(speaker.Identity(), source)
		if after == before {
			return
		}
		if ctx.Err() != nil {
			t.Fatalf("%s still arrives, %d frames in the last second", source, after-before)
		}
	}
}

func (r *running) testMuted(t *testing.T) {
	t.Parallel()
	room := r.room(t, nil)
	ada, ben := r.join(t, r.token(t, room, "Ada", "participant")), r.join(t, r.token(t, room, "Ben", "participant"))
	if _, err := ada.Publish(limited(t), media.Microphone); err != nil {
		t.Fatal(err)
	}
	if err := ben.WaitFrames(limited(t), ada.Identity(), media.Microphone, 10); err != nil {
		t.Fatal(err)
	}
	r.within(t, patience, "both are in", func() bool { return len(r.people(t, room)) == 2 })
	r.api(t, http.MethodPost, "/rooms/"+room.ID+"/participants/"+ada.Identity()+"/mute", nil, nil)
	if !r.people(t, room)["Ada"].AudioMuted {
		t.Error("Ada is not muted")
	}
	r.silent(t, ben, ada, media.Microphone)
}

func (r *running) testOffStage(t *testing.T) {
	t.Parallel()
	room := r.webinar(t)
	host, ada := r.join(t, r.token(t, room, "Host", "host")), r.join(t, r.token(t, room, "Ada", "participant"))
	stage := "/rooms/" + room.ID + "/participants/" + ada.Identity() + "/stage"
	r.within(t, patience, "both are in", func() bool { return len(r.people(t, room)) == 2 })
	r.api(t, http.MethodPost, stage, nil, nil)
	r.within(t, patience, "Ada may publish", func() bool {
		_, err := ada.Publish(limited(t), media.Microphone)
		if err != nil && !errors.Is(err, media.ErrRefused) {
			t.Fatal(err)
		}
		return err == nil
	})
	if err := host.WaitFrames(limited(t), ada.Identity(), media.Microphone, 10); err != nil {
		t.Fatal(err)
	}
	r.api(t, http.MethodDelete, stage, nil, nil)
	r.within(t, patience, "her microphone is off", func() bool { return r.people(t, room)["Ada"].AudioMuted })
	r.silent(t, host, ada, media.Microphone)
}

func (r *running) testRemoved(t *testing.T) {
	t.Parallel()
	room := r.room(t, nil)
	ada := r.join(t, r.token(t, room, "Ada", "participant"))
	r.within(t, patience, "Ada is in", func() bool { return len(r.people(t, room)) == 1 })
	r.api(t, http.MethodDelete, "/rooms/"+room.ID+"/participants/"+ada.Identity(), nil, nil)
	select {
	case <-ada.Gone():
	case <-time.After(patience):
		t.Error("Ada is still connected")
	}
	r.within(t, 2*patience, "the meeting has closed", func() bool {
		return slices.Equal(r.events(t, room), []string{"room.created", "room.started", "participant.joined", "participant.left removed", "room.finished"})
	})
}

func (r *running) testVanish(t *testing.T) {
	t.Parallel()
	room := r.room(t, nil)
	ada, ben := r.join(t, r.token(t, room, "Ada", "participant")), r.join(t, r.token(t, room, "Ben", "participant"))
	r.within(t, patience, "both are in", func() bool { return len(r.people(t, room)) == 2 })
	ben.Kill()
	killed := time.Now()
	r.within(t, 25*time.Second, "Ben is off the list", func() bool { return len(r.people(t, room)) == 1 })
	t.Logf("noticed after %v", time.Since(killed).Round(time.Millisecond))
	ada.Disconnect()
	r.within(t, patience, "nobody is left", func() bool { return len(r.people(t, room)) == 0 })
	// LiveKit reports Ada's goodbye separately. The report may arrive after the
	// service has noticed that she is gone: then she counts as disconnected.
	want := []string{"room.created", "room.started", "participant.joined", "participant.joined", "participant.left disconnected", "participant.left"}
	got := r.events(t, room)
	if len(got) == len(want) {
		got[len(got)-1], _, _ = strings.Cut(got[len(got)-1], " ")
	}
	if !slices.Equal(got, want) {
		t.Errorf("events %q, want %q", got, want)
	}
}

// A connection test connects to the media server, with a token that opens nothing else.
func (r *running) testConnectionTest(t *testing.T) {
	t.Parallel()
	room := r.room(t, nil)
	var test struct {
		ServerURL string `json:"server_url"`
		Token     string
	}
	if status := r.call(t, http.MethodPost, "/meet/v1/connection-tests", "", map[string]any{"code": room.Code}, &test); status != http.StatusCreated {
		t.Fatalf("the test begins with %d", status)
	}
	r.issued(test.Token)
	p, err := mediaclient.Connect(limited(t), mediaclient.Options{URL: test.ServerURL, Token: test.Token, Passphrase: "none is needed"})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Disconnect()
	if way, err := p.Transport(); err != nil || way != "udp" {
		t.Errorf("the test connects over %q, %v; want udp", way, err)
	}
	if _, err := p.Publish(limited(t), media.Microphone); !errors.Is(err, media.ErrRefused) {
		t.Errorf("the test publishes, or is not refused: %v", err)
	}
	if people := r.people(t, room); len(people) != 0 {
		t.Errorf("people in the meeting: %+v", people)
	}
}
