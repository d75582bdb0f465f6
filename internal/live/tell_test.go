package live_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/actor"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/media"
	"github.com/conclave-rooms/conclave/internal/media/fake"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/schema"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// held is a media server that runs hooks before and after a request. Each hook is
// called once.
type held struct {
	*fake.Server

	mu sync.Mutex

	beforeMute, beforeGrant, granted, beforeRemove func()
}

func (h *held) once(hook *func()) {
	h.mu.Lock()
	f := *hook
	*hook = nil
	h.mu.Unlock()
	if f != nil {
		f()
	}
}

func (h *held) MuteTrack(ctx context.Context, name, identity, trackID string, muted bool) error {
	h.once(&h.beforeMute)
	return h.Server.MuteTrack(ctx, name, identity, trackID, muted)
}

func (h *held) Remove(ctx context.Context, name, identity, session string) error {
	h.once(&h.beforeRemove)
	return h.Server.Remove(ctx, name, identity, session)
}

func (h *held) UpdateGrant(ctx context.Context, g media.Grant) error {
	h.once(&h.beforeGrant)
	err := h.Server.UpdateGrant(ctx, g)
	h.once(&h.granted)
	return err
}

// one is a service with a room, and Ada in its meeting.
type one struct {
	*servertest.Service

	p        auth.Principal
	roomID   string
	identity string
	token    string
}

func withAda(t *testing.T, s *servertest.Service, settings api.RoomSettingsUpdate) one {
	t.Helper()
	return withAdaIn(t, s, settings, room.TypeMeeting)
}

func withAdaIn(t *testing.T, s *servertest.Service, settings api.RoomSettingsUpdate, kind string) one {
	t.Helper()
	p, r := servertest.NewRoom(t, s.Server, api.RoomCreate{Name: "Room", Settings: settings}, kind)
	o := one{Service: s, p: p, roomID: r.ID}
	o.token = o.tokenFor(t, "Ada")
	o.connect(t, o.token)
	people := o.people(t)
	if len(people) != 1 {
		t.Fatalf("the list is %v, want Ada", people)
	}
	o.identity = people[0].Identity
	s.Settle()
	return o
}

func (o one) tokenFor(t *testing.T, name string) string {
	t.Helper()
	token, err := o.Joins.CreateToken(t.Context(), o.p, o.roomID, schema.Filled(api.TokenCreate{Name: name}))
	if err != nil {
		t.Fatal(err)
	}
	return token.Token
}

// connect lets somebody through the gate to the media server.
func (o one) connect(t *testing.T, token string) {
	t.Helper()
	upstream, _, err := o.Joins.LetThrough(t.Context(), token)
	if err == nil {
		_, err = o.Media.Connect(upstream)
	}
	if err != nil {
		t.Error(err)
	}
}

// arrive lets somebody through the gate to the media server, where they have only
// their signalling, and returns their identity.
func (o one) arrive(t *testing.T, token string) (identity string, err error) {
	t.Helper()
	upstream, held, err := o.Joins.LetThrough(t.Context(), token)
	if err != nil {
		return "", err
	}
	_, err = o.Media.Arrive(upstream)
	o.Tick()
	return held.Identity, err
}

func (o one) people(t *testing.T) []api.Participant {
	t.Helper()
	people, err := o.Live.Participants(t.Context(), o.p, o.roomID)
	if err != nil {
		t.Error(err)
	}
	return people
}

func (o one) set(t *testing.T, u api.RoomSettingsUpdate) {
	t.Helper()
	if _, err := o.Rooms.Update(t.Context(), o.p, o.roomID, api.RoomUpdate{Settings: u}); err != nil {
		t.Error(err)
	}
}

// ticket takes a ticket for somebody with a media token: only devices with one can be
// moved.
func (o one) ticket(t *testing.T, token string) string {
	t.Helper()
	var seat struct{ Ticket string }
	a := o.Send(servertest.Request{Method: http.MethodPost, Path: "/meet/v1/tickets", Body: fmt.Sprintf(`{"token": %q}`, token)})
	if err := json.Unmarshal(a.Body, &seat); err != nil || a.Status != http.StatusOK {
		t.Fatalf("no ticket: %d %s", a.Status, a.Body)
	}
	return seat.Ticket
}

// follows connects a device to the media room where it belongs now.
func (o one) follows(t *testing.T, ticket string) {
	t.Helper()
	var fresh struct{ Token string }
	a := o.Send(servertest.Request{Method: http.MethodPost, Path: "/meet/v1/token", Bearer: ticket})
	if err := json.Unmarshal(a.Body, &fresh); err != nil || a.Status != http.StatusOK {
		t.Fatalf("no token: %d %s", a.Status, a.Body)
	}
	o.connect(t, fresh.Token)
}

// Ada's device has arrived in a breakout room, and its connection in the main room has to
// go after five seconds. Just then the device ends that connection itself, is sent back
// to the main room, and connects there anew. The new connection stays.
func TestComingBackWhileTheOldConnectionIsRemoved(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	ada := withAda(t, servertest.Start(t, dbtest.Config(t, db.SQLite), servertest.Options{}), api.RoomSettingsUpdate{})
	ticket, host := ada.ticket(t, ada.token), actor.ByKey(ada.p, ada.roomID)
	create := schema.Filled(api.BreakoutCreate{Rooms: api.CountOrList[string]{Count: 1}, Assign: api.Set("manual")})
	create.Placements = []api.BreakoutPlacement{{Participant: ada.identity}}
	session, err := ada.Breakouts.Start(ctx, host, create)
	if err != nil || len(session.Rooms[0].Members) != 1 {
		t.Fatalf("Ada is not sent to the breakout room: %+v, %v", session, err)
	}
	ada.Settle()
	h := &held{Server: ada.Media}
	ada.Live.Media = h
	removed := false
	h.beforeRemove = func() {
		removed = true
		if err := h.Leave(ada.roomID, ada.identity); err != nil {
			t.Error(err)
		}
		back := api.BreakoutAssign{Participant: ada.identity, BreakoutID: api.Clear[string]()}
		if _, err := ada.Breakouts.Assign(ctx, host, back); err != nil {
			t.Error(err)
		}
		ada.follows(t, ticket)
	}
	ada.follows(t, ticket)
	ada.Advance(4999 * time.Millisecond)
	ada.Settle()
	if removed {
		t.Fatal("Ada's connection in the main room is removed before five seconds are over")
	}
	ada.Advance(time.Millisecond)
	ada.Settle()
	if !removed {
		t.Fatal("Ada's connection in the main room was not to be removed")
	}
	people, err := h.Participants(ctx, ada.roomID)
	if err != nil || len(people) != 1 {
		t.Errorf("connected in the main room: %v (%v), want Ada", people, err)
	}
}

// Ada comes in with an open microphone and is muted by the room's setting. She
// unmutes herself. A Sync that began before this must not mute her again.
func TestAPersonIsMutedOnEntryOnlyOnce(t *testing.T) {
	t.Parallel()
	ada := withAda(t, servertest.Start(t, dbtest.Config(t, db.SQLite), servertest.Options{}), api.RoomSettingsUpdate{MuteOnEntry: api.Set(true)})
	h := &held{Server: ada.Media}
	ada.Live.Media = h
	track, err := h.Publish(ada.roomID, ada.identity, media.Microphone, false)
	if err != nil {
		t.Fatal(err)
	}
	var (
		another sync.WaitGroup
		done    = make(chan struct{})
	)
	h.beforeMute = func() {
		another.Go(func() {
			defer close(done)
			ada.people(t)
			if err := h.SetMuted(ada.roomID, ada.identity, track, false); err != nil {
				t.Error(err)
			}
		})
		select {
		case <-done: // it did not wait for this Sync
		case <-time.After(300 * time.Millisecond): // many times longer than it takes
		}
	}
	ada.people(t)
	another.Wait()
	ada.Settle()
	if people := ada.people(t); len(people) != 1 || people[0].AudioMuted {
		t.Errorf("Ada unmuted herself, and is muted: %+v", people)
	}
}

// Ada loses the right to send messages. She asks the gate for another connection
// and does not make it. She must lose the right on her present connection too.
func TestAskingToConnectKeepsNoRight(t *testing.T) {
	t.Parallel()
	ada := withAda(t, servertest.Start(t, dbtest.Config(t, db.SQLite), servertest.Options{}), api.RoomSettingsUpdate{})
	ada.Live.Settle() // no Sync runs until the end
	ada.set(t, api.RoomSettingsUpdate{Chat: api.Set(false), Reactions: api.Set(false)})
	if _, _, err := ada.Joins.LetThrough(t.Context(), ada.token); err != nil {
		t.Fatal(err)
	}
	ada.people(t)
	if grant, err := ada.Media.Grant(ada.roomID, ada.identity); err != nil || grant.PublishData {
		t.Errorf("Ada may still send messages (%v)", err)
	}
}

// Two nodes send Ada's rights to the media server, the later ones first. In the
// end her rights are those that the room now gives.
func TestTwoNodesSendTheLatestRights(t *testing.T) {
	t.Parallel()
	here := servertest.Start(t, dbtest.Config(t, db.PostgreSQL), servertest.Options{})
	there := here.AnotherNode()
	ada := withAda(t, here, api.RoomSettingsUpdate{})
	fromHere, fromThere := &held{Server: here.Media}, &held{Server: here.Media}
	here.Live.Media, there.Live.Media = fromHere, fromThere

	// This node has read that only hosts share their screens. Before it sends
	// this, chat and reactions go off as well, and the other node sends that.
	var (
		other    sync.WaitGroup
		told     = make(chan struct{})
		overhere = make(chan struct{})
	)
	fromThere.granted = func() { close(told); <-overhere }
	fromHere.beforeGrant = func() {
		there := one{there, ada.p, ada.roomID, ada.identity, ""}
		there.set(t, api.RoomSettingsUpdate{Chat: api.Set(false), Reactions: api.Set(false)})
		other.Go(func() { there.people(t) })
		<-told
	}
	ada.set(t, api.RoomSettingsUpdate{ScreenShare: api.Set("hosts")})
	here.Settle()
	close(overhere)
	other.Wait()
	there.Settle()
	here.Settle()
	grant, err := here.Media.Grant(ada.roomID, ada.identity)
	if err != nil {
		t.Fatal(err)
	}
	if grant.PublishData {
		t.Error("Ada may send messages, in a room without chat and reactions")
	}
}
