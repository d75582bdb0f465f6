package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/config"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/event"
	"github.com/conclave-rooms/conclave/internal/identity"
	"github.com/conclave-rooms/conclave/internal/media"
	"github.com/conclave-rooms/conclave/internal/media/mediatest"
	"github.com/conclave-rooms/conclave/internal/server"
)

// running is the whole service with its embedded media server, as an integrator
// and people with LiveKit's own Go client meet it.
type running struct {
	url       string
	key       string
	workspace string
	ctx       context.Context //nolint:containedctx // it ends with the test
	service   *server.Server
	book      *logBook

	mu      sync.Mutex
	secrets []string // everything secret that was handed out
}

// issued notes secrets, none of which may be found in the log.
func (r *running) issued(secrets ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.secrets = append(r.secrets, secrets...)
}

// logBook is the service's log, at its most talkative.
type logBook struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logBook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p) //nolint:wrapcheck // it cannot fail
}

// holds says whether some text stands in the log.
func (l *logBook) holds(text string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return bytes.Contains(l.text.Bytes(), []byte(text))
}

// keepsSecrets fails when a secret stands in the log.
func (l *logBook) keepsSecrets(t *testing.T, secrets []string) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.text.Len() == 0 || len(secrets) < 3 {
		t.Errorf("%d bytes of log and %d secrets: too little to say anything", l.text.Len(), len(secrets))
	}
	for _, secret := range secrets {
		if i := bytes.Index(l.text.Bytes(), []byte(secret)); i >= 0 {
			t.Errorf("a secret stands in the log, after %q", l.text.Bytes()[max(0, i-200):i])
		}
	}
}

// start runs the service until the end of the test.
func start(t *testing.T) *running {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	address := freeAddress(t)
	c := config.Serve{
		Data: config.Data{Data: t.TempDir(), PublicURL: "http://" + address}, Listen: address, StopTimeout: 5 * time.Second, RateLimits: "off",
		MediaNodeIP: "127.0.0.1",
	}
	book := &logBook{}
	s, err := server.New(ctx, c, slog.New(slog.NewTextHandler(book, &slog.HandlerOptions{Level: slog.LevelDebug})), server.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w, _, err := s.Identity.CreateWorkspace(ctx, "Test", "owner@example.com")
	if err != nil {
		t.Fatal(err)
	}
	key, _, err := s.Identity.CreateKey(ctx, identity.KeyRequest{WorkspaceID: w.ID, Scopes: api.Scopes()})
	if err != nil {
		t.Fatal(err)
	}
	r := &running{url: c.PublicURL, key: key, workspace: w.ID, ctx: ctx, service: s, book: book}
	r.issued(key)
	run, stop := context.WithCancel(context.Background())
	up, done := make(chan struct{}), make(chan error, 1)
	go func() { done <- s.Run(run, func() { close(up) }) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Errorf("the service ended with: %v", err)
		}
		book.keepsSecrets(t, r.secrets)
	})
	select {
	case <-up:
	case <-ctx.Done():
		t.Fatal("the service did not start")
	}
	return r
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

// call sends a request and reads the answer into out.
func (r *running) call(t *testing.T, method, path, bearer string, in, out any) int {
	t.Helper()
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		body = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(r.ctx, method, r.url+path, body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+bearer)
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	defer func() { _ = res.Body.Close() }()
	text, _ := io.ReadAll(res.Body)
	if res.StatusCode/100 == 2 && out != nil {
		if err := json.Unmarshal(text, out); err != nil {
			t.Fatalf("%s %s: %v in %s", method, path, err, text)
		}
	}
	return res.StatusCode
}

// api is call with the key, where anything but success ends the test.
func (r *running) api(t *testing.T, method, path string, in, out any) {
	t.Helper()
	if status := r.call(t, method, "/api/v1"+path, r.key, in, out); status/100 != 2 {
		t.Fatalf("%s %s: status %d", method, path, status)
	}
}

func (r *running) room(t *testing.T, settings map[string]any) api.Room {
	t.Helper()
	var room api.Room
	r.api(t, http.MethodPost, "/rooms", map[string]any{"name": "Room", "settings": settings}, &room)
	return room
}

func (r *running) token(t *testing.T, room api.Room, name, role string) api.RoomToken {
	t.Helper()
	var token api.RoomToken
	r.api(t, http.MethodPost, "/rooms/"+room.ID+"/tokens", map[string]any{"name": name, "role": role, "user_id": name}, &token)
	r.issued(token.Token, token.E2EEPassphrase)
	return token
}

func (r *running) join(t *testing.T, token api.RoomToken) *mediatest.Participant {
	t.Helper()
	return mediatest.Join(t, mediatest.Options{URL: token.ServerURL, Token: token.Token, Passphrase: token.E2EEPassphrase})
}

func (r *running) people(t *testing.T, room api.Room) map[string]api.Participant {
	t.Helper()
	var list api.List[api.Participant]
	r.api(t, http.MethodGet, "/rooms/"+room.ID+"/participants", nil, &list)
	by := map[string]api.Participant{}
	for _, p := range list.Data {
		by[p.Name] = p
	}
	return by
}

// within waits for something to become true, looking again until then.
func (r *running) within(t *testing.T, limit time.Duration, what string, so func() bool) {
	t.Helper()
	deadline := time.Now().Add(limit)
	for !so() {
		if time.Now().After(deadline) {
			t.Fatalf("after %v it is not so that %s", limit, what)
		}
		time.Sleep(50 * time.Millisecond) // polling what only a request can tell
	}
}

// One service and one meeting after the other, because starting is the dear
// part.
//
//nolint:paralleltest // each of them says t.Parallel itself
func TestMeetingsWithRealMedia(t *testing.T) {
	t.Parallel()
	r := start(t)
	t.Run("two people hear and see each other, a third with a wrong passphrase does not", r.testTwoMeet)
	t.Run("LiveKit's own Go library joins with what the API gives, as it is", r.testStockLibrary)
	t.Run("mute on entry is the server's doing for a stock client", r.testMuteOnEntry)
	t.Run("a share that is no longer allowed stops", r.testShareRevoked)
	t.Run("a lock keeps new people out and lets those who were in come back", r.testLock)
	t.Run("a raised hand of a stock client", r.testHand)
	t.Run("deleting the room ends its meeting", r.testDelete)
	t.Run("a webinar's audience cannot publish", r.testWebinar)
	t.Run("after a mute no packet of the microphone is forwarded", r.testMuted)
	t.Run("off the stage no packet is forwarded", r.testOffStage)
	t.Run("whoever is removed is disconnected at once", r.testRemoved)
	t.Run("no line of the log tells how somebody voted", r.testVotesAreNotLogged)
	t.Run("a client that vanishes is gone within 25 seconds", r.testVanish)
}

func (r *running) testTwoMeet(t *testing.T) {
	t.Parallel()
	room := r.room(t, nil)
	adaToken := r.token(t, room, "Ada", "host")
	ada, ben := r.join(t, adaToken), r.join(t, r.token(t, room, "Ben", "participant"))
	wrong := r.token(t, room, "Eve", "participant")
	wrong.E2EEPassphrase = strings.Repeat("x", 43)
	eve := r.join(t, wrong)
	for _, who := range []*mediatest.Participant{ada, ben} {
		for _, source := range []media.Source{media.Microphone, media.Camera} {
			if _, err := who.Publish(r.ctx, source); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, source := range []media.Source{media.Microphone, media.Camera} {
		for _, err := range []error{
			ada.WaitFrames(r.ctx, ben.Identity(), source, 20), ben.WaitFrames(r.ctx, ada.Identity(), source, 20),
			eve.WaitUndecryptable(r.ctx, ada.Identity(), source, 20),
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
	stock, err := mediatest.ConnectStock(r.ctx, mediatest.Options{URL: token.ServerURL, Token: token.Token, Passphrase: token.E2EEPassphrase})
	if err != nil {
		t.Fatal(err)
	}
	defer stock.Disconnect()
	if stock.Identity() != token.Identity {
		t.Errorf("it is %q in the room, %q in the token", stock.Identity(), token.Identity)
	}
	ada := r.join(t, r.token(t, room, "Ada", "participant"))
	if err := stock.Speak(); err != nil {
		t.Fatal(err)
	}
	if _, err := ada.Publish(r.ctx, media.Microphone); err != nil {
		t.Fatal(err)
	}
	if err := ada.WaitFrames(r.ctx, stock.Identity(), media.Microphone, 20); err != nil {
		t.Errorf("Ada does not hear it: %v", err)
	}
	if err := stock.WaitFrames(r.ctx, ada.Identity(), 20); err != nil {
		t.Errorf("it does not hear Ada: %v", err)
	}
}

func (r *running) testMuteOnEntry(t *testing.T) {
	t.Parallel()
	room := r.room(t, map[string]any{"mute_on_entry": true})
	ada := r.join(t, r.token(t, room, "Ada", "participant"))
	track, err := ada.Publish(r.ctx, media.Microphone)
	if err != nil {
		t.Fatal(err)
	}
	r.within(t, 5*time.Second, "Ada is muted", func() bool { return r.people(t, room)["Ada"].AudioMuted })
	r.within(t, 5*time.Second, "Ada's client knows it", func() bool { muted, err := ada.Muted(track); return err == nil && muted })
	if err := ada.SetMuted(track, false); err != nil {
		t.Fatal(err)
	}
	r.within(t, 5*time.Second, "Ada has unmuted herself", func() bool { return !r.people(t, room)["Ada"].AudioMuted })
}

func (r *running) testShareRevoked(t *testing.T) {
	t.Parallel()
	room := r.room(t, nil)
	host, guest := r.join(t, r.token(t, room, "Host", "host")), r.join(t, r.token(t, room, "Guest", "participant"))
	if _, err := guest.Publish(r.ctx, media.ScreenShare); err != nil {
		t.Fatal(err)
	}
	if err := host.WaitFrames(r.ctx, guest.Identity(), media.ScreenShare, 5); err != nil {
		t.Fatal(err)
	}
	r.api(t, http.MethodPatch, "/rooms/"+room.ID, map[string]any{"settings": map[string]any{"screen_share": "hosts"}}, nil)
	r.within(t, 5*time.Second, "the guest's share has stopped", func() bool { return !r.people(t, room)["Guest"].ScreenSharing })
	if _, err := host.Publish(r.ctx, media.ScreenShare); err != nil {
		t.Errorf("the host cannot share: %v", err)
	}
}

func (r *running) testLock(t *testing.T) {
	t.Parallel()
	room := r.room(t, nil)
	token := r.token(t, room, "Ada", "participant")
	late := r.token(t, room, "Late", "host")
	ada := r.join(t, token)
	r.within(t, 5*time.Second, "Ada is in", func() bool { return len(r.people(t, room)) == 1 })
	r.api(t, http.MethodPatch, "/rooms/"+room.ID, map[string]any{"locked": true}, nil)
	ctx, cancel := context.WithTimeout(r.ctx, 10*time.Second)
	defer cancel()
	if p, err := mediatest.Connect(ctx, mediatest.Options{URL: late.ServerURL, Token: late.Token, Passphrase: late.E2EEPassphrase}); err == nil {
		p.Disconnect()
		t.Error("somebody new came into a locked room")
	}
	ada.Kill() // lost, without a word
	again := r.join(t, token)
	if again.Identity() != token.Identity {
		t.Errorf("Ada came back as %q", again.Identity())
	}
}

func (r *running) testHand(t *testing.T) {
	t.Parallel()
	room := r.room(t, nil)
	ada := r.join(t, r.token(t, room, "Ada", "participant"))
	r.within(t, 5*time.Second, "Ada is in", func() bool { return len(r.people(t, room)) == 1 })
	ada.SetAttributes(map[string]string{"hand_raised": "true"})
	r.within(t, 5*time.Second, "the hand is up", func() bool { return r.people(t, room)["Ada"].HandRaised })
	ada.SetAttributes(map[string]string{"hand_raised": ""})
	r.within(t, 5*time.Second, "the hand is down", func() bool { return !r.people(t, room)["Ada"].HandRaised })
}

func (r *running) testDelete(t *testing.T) {
	t.Parallel()
	room := r.room(t, nil)
	token := r.token(t, room, "Ada", "participant")
	ada := r.join(t, token)
	r.within(t, 5*time.Second, "Ada is in", func() bool { return len(r.people(t, room)) == 1 })
	r.api(t, http.MethodDelete, "/rooms/"+room.ID, nil, nil)
	select {
	case <-ada.Gone():
	case <-time.After(5 * time.Second):
		t.Error("Ada is still connected to a deleted room")
	}
	ctx, cancel := context.WithTimeout(r.ctx, 10*time.Second)
	defer cancel()
	if p, err := mediatest.Connect(ctx, mediatest.Options{URL: token.ServerURL, Token: token.Token, Passphrase: token.E2EEPassphrase}); err == nil {
		p.Disconnect()
		t.Error("a token of a deleted room still connects")
	}
}

// webinar makes a room that the API cannot make, as the command line does.
func (r *running) webinar(t *testing.T) api.Room {
	t.Helper()
	members, err := r.service.Identity.Members(r.ctx, r.workspace)
	if err != nil {
		t.Fatal(err)
	}
	made, err := r.service.Rooms.Create(r.ctx, auth.Principal{WorkspaceID: r.workspace, AccountID: members[0].AccountID}, api.RoomCreate{Name: "Webinar"}, "webinar")
	if err != nil {
		t.Fatal(err)
	}
	return made.Object(r.url)
}

func (r *running) testWebinar(t *testing.T) {
	t.Parallel()
	room := r.webinar(t)
	host, watcher := r.join(t, r.token(t, room, "Host", "host")), r.join(t, r.token(t, room, "Watcher", "participant"))
	if _, err := host.Publish(r.ctx, media.Camera); err != nil {
		t.Fatal(err)
	}
	if err := watcher.WaitFrames(r.ctx, host.Identity(), media.Camera, 5); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithTimeout(r.ctx, 3*time.Second)
	defer cancel()
	if _, err := watcher.Publish(ctx, media.Microphone); err == nil {
		t.Error("the audience of a webinar publishes")
	}
}

// silent fails when frames of somebody still arrive a moment after they must
// have stopped.
func (r *running) silent(t *testing.T, listener, speaker *mediatest.Participant, source media.Source) {
	t.Helper()
	time.Sleep(300 * time.Millisecond) // what is under way arrives
	before := listener.FramesDecrypted(speaker.Identity(), source)
	time.Sleep(time.Second) // that nothing arrives can only be seen by waiting
	if after := listener.FramesDecrypted(speaker.Identity(), source); after != before {
		t.Errorf("%d frames of %s arrived after it had to stop", after-before, source)
	}
}

func (r *running) testMuted(t *testing.T) {
	t.Parallel()
	room := r.room(t, nil)
	ada, ben := r.join(t, r.token(t, room, "Ada", "participant")), r.join(t, r.token(t, room, "Ben", "participant"))
	if _, err := ada.Publish(r.ctx, media.Microphone); err != nil {
		t.Fatal(err)
	}
	if err := ben.WaitFrames(r.ctx, ada.Identity(), media.Microphone, 10); err != nil {
		t.Fatal(err)
	}
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
	r.within(t, 5*time.Second, "both are in", func() bool { return len(r.people(t, room)) == 2 })
	r.api(t, http.MethodPost, stage, nil, nil)
	r.within(t, 5*time.Second, "Ada may publish", func() bool {
		ctx, cancel := context.WithTimeout(r.ctx, time.Second)
		defer cancel()
		_, err := ada.Publish(ctx, media.Microphone)
		return err == nil
	})
	if err := host.WaitFrames(r.ctx, ada.Identity(), media.Microphone, 10); err != nil {
		t.Fatal(err)
	}
	r.api(t, http.MethodDelete, stage, nil, nil)
	r.within(t, 2*time.Second, "her microphone is off", func() bool { return r.people(t, room)["Ada"].AudioMuted })
	r.silent(t, host, ada, media.Microphone)
}

func (r *running) testRemoved(t *testing.T) {
	t.Parallel()
	room := r.room(t, nil)
	ada := r.join(t, r.token(t, room, "Ada", "participant"))
	r.within(t, 5*time.Second, "Ada is in", func() bool { return len(r.people(t, room)) == 1 })
	r.api(t, http.MethodDelete, "/rooms/"+room.ID+"/participants/"+ada.Identity(), nil, nil)
	select {
	case <-ada.Gone():
	case <-time.After(5 * time.Second):
		t.Error("Ada is still connected")
	}
	r.within(t, 15*time.Second, "the meeting has closed", func() bool {
		return slices.Equal(r.events(t, room), []string{"room.created", "room.started", "participant.joined", "participant.left removed", "room.finished"})
	})
}

func (r *running) testVanish(t *testing.T) {
	t.Parallel()
	room := r.room(t, nil)
	ada, ben := r.join(t, r.token(t, room, "Ada", "participant")), r.join(t, r.token(t, room, "Ben", "participant"))
	r.within(t, 5*time.Second, "both are in", func() bool { return len(r.people(t, room)) == 2 })
	ben.Kill()
	killed := time.Now()
	r.within(t, 25*time.Second, "Ben is off the list", func() bool { return len(r.people(t, room)) == 1 })
	t.Logf("noticed after %v", time.Since(killed).Round(time.Millisecond))
	ada.Disconnect()
	r.within(t, 2*time.Second, "nobody is left", func() bool { return len(r.people(t, room)) == 0 })
	want := []string{"room.created", "room.started", "participant.joined", "participant.joined", "participant.left disconnected", "participant.left left"}
	if got := r.events(t, room); !slices.Equal(got, want) {
		t.Errorf("events %q, want %q", got, want)
	}
}

// events are the event log's words about one room.
func (r *running) events(t *testing.T, room api.Room) []string {
	t.Helper()
	var out []string
	err := r.service.DB().Read(r.ctx, func(tx *db.Tx) error {
		all, err := r.service.Events.List(r.ctx, tx, event.Filter{})
		for _, e := range all {
			var data struct {
				Room   struct{ ID string }
				Reason string
			}
			if err := json.Unmarshal(e.Data, &data); err != nil {
				return err
			}
			if data.Room.ID == room.ID {
				out = append(out, strings.TrimSpace(string(e.Type)+" "+data.Reason))
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
