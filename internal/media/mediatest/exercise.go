package mediatest

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/media"
)

// patience is how long the suite waits for a media server, which needs
// milliseconds, on a machine that is busy with other tests.
const patience = time.Minute

// Person is a person that the suite controls.
type Person interface {
	SessionID() string
	Publish(ctx context.Context, source media.Source) (trackID string, err error)
	SetAttributes(attributes map[string]string)
	Disconnect()
	Gone() <-chan struct{} // closed when the media server removed the person
}

// Subject is a media server under test.
type Subject struct {
	Server media.Server
	// Enter connects a person who has a token. An error says that the media
	// server refused.
	Enter func(ctx context.Context, token string) (Person, error)
	// Arrive connects only the publishing half: the person can be heard and
	// never hears.
	Arrive func(ctx context.Context, token string) (Person, error)
}

// Exercise is the suite. It reads the server's hints, so nobody else may do so.
func Exercise(t *testing.T, s Subject) {
	t.Helper()
	x := &exercise{Subject: s, heard: newListener(t, s.Server.Hints())}
	for name, test := range map[string]func(*testing.T, *exercise){
		"rooms are made once":                    testRooms,
		"what is missing is not found":           testMissing,
		"joining and leaving":                    testJoinLeave,
		"nobody joins a room that is not there":  testJoinMissing,
		"a connection may make its room":         testJoinMakes,
		"half a connection":                      testHalf,
		"removing":                               testRemove,
		"closing a room with people in it":       testCloseFull,
		"publishing and muting":                  testPublishMute,
		"a grant says what may be published":     testGrantPublish,
		"a grant changes what is published":      testGrantRevoke,
		"a grant changes the name":               testGrantRename,
		"a grant that allows nothing":            testGrantNothing,
		"attributes":                             testAttributes,
		"own attributes need a grant":            testOwnAttributes,
		"the same identity twice":                testSameIdentity,
		"tokens need a room, identity and time":  testTokens,
		"a call that is cancelled fails at once": testCancelled,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, x)
		})
	}
}

type exercise struct {
	Subject
	heard *listener
}

// context bounds one test.
func (x *exercise) context(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	t.Cleanup(cancel)
	return ctx
}

// room makes a room for one test.
func (x *exercise) room(ctx context.Context, t *testing.T) media.Room {
	t.Helper()
	room, err := x.Server.EnsureRoom(ctx, "test-"+strings.ToLower(rand.Text()))
	if err != nil {
		t.Fatalf("make a room: %v", err)
	}
	t.Cleanup(func() {
		if err := x.Server.CloseRoom(context.WithoutCancel(ctx), room.Name); err != nil {
			t.Errorf("close the room: %v", err)
		}
	})
	return room
}

// everything is a grant that allows everything that can be allowed.
func everything(room, identity string) media.Grant {
	return media.Grant{
		Room: room, Identity: identity, Name: "Ada", Attributes: map[string]string{"role": "host"},
		PublishSources: []media.Source{media.Microphone, media.Camera, media.ScreenShare, media.ScreenShareAudio},
		PublishData:    true, OwnAttributes: true, TTL: time.Minute,
	}
}

// enter connects a person and waits until they are in the room.
func (x *exercise) enter(ctx context.Context, t *testing.T, g media.Grant) Person {
	t.Helper()
	token, err := x.Server.MintToken(g)
	if err != nil {
		t.Fatalf("mint a token: %v", err)
	}
	p, err := x.Enter(ctx, token)
	if err != nil {
		t.Fatalf("enter: %v", err)
	}
	t.Cleanup(p.Disconnect)
	x.eventually(ctx, t, "be in", func() bool {
		in, ok := x.see(ctx, t, g.Room, g.Identity)
		return ok && in.SessionID == p.SessionID() && !in.Arriving
	})
	return p
}

// see finds a person in the list.
func (x *exercise) see(ctx context.Context, t *testing.T, room, identity string) (media.Participant, bool) {
	t.Helper()
	people, err := x.Server.Participants(ctx, room)
	if err != nil {
		t.Fatalf("list participants: %v", err)
	}
	i := slices.IndexFunc(people, func(p media.Participant) bool { return p.Identity == identity })
	if i < 0 {
		return media.Participant{}, false
	}
	return people[i], true
}

// track finds a person's track in the list.
func (x *exercise) track(ctx context.Context, t *testing.T, room, identity, id string) (media.Track, bool) {
	t.Helper()
	p, _ := x.see(ctx, t, room, identity)
	i := slices.IndexFunc(p.Tracks, func(t media.Track) bool { return t.ID == id })
	if i < 0 {
		return media.Track{}, false
	}
	return p.Tracks[i], true
}

// eventually polls a condition until it holds. A media server only gives hints
// of people who come and go, so there is no other signal to wait for.
func (x *exercise) eventually(ctx context.Context, t *testing.T, what string, so func() bool) {
	t.Helper()
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	for !so() {
		select {
		case <-again.C:
		case <-timeout.C:
			t.Fatalf("%s: not after %s", what, patience)
		case <-ctx.Done():
			t.Fatalf("%s: %v", what, context.Cause(ctx))
		}
	}
}

func wantErr(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: got %v, want %v", what, err, want)
	}
}

func must(t *testing.T, what string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// listener keeps all hints, for tests that run in parallel.
type listener struct {
	mu      sync.Mutex
	hints   []media.Hint
	changed chan struct{}
}

func newListener(t *testing.T, hints <-chan media.Hint) *listener {
	l := &listener{changed: make(chan struct{})}
	stop := make(chan struct{})
	t.Cleanup(func() { close(stop) })
	go func() {
		for {
			select {
			case h := <-hints:
				l.mu.Lock()
				l.hints = append(l.hints, h)
				close(l.changed)
				l.changed = make(chan struct{})
				l.mu.Unlock()
			case <-stop:
				return
			}
		}
	}()
	return l
}

func (l *listener) find(which func(media.Hint) bool) (media.Hint, bool, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.IndexFunc(l.hints, which); i >= 0 {
		return l.hints[i], true, nil
	}
	return media.Hint{}, false, l.changed
}

// wait waits for a hint of a kind about somebody's session.
func (l *listener) wait(t *testing.T, kind media.HintKind, room, session string) media.Hint {
	t.Helper()
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	for {
		h, ok, changed := l.find(func(h media.Hint) bool {
			return h.Kind == kind && h.Room == room && h.SessionID == session
		})
		if ok {
			return h
		}
		select {
		case <-changed:
		case <-timeout.C:
			t.Fatalf("no hint %q of %s in %s", kind, session, room)
		}
	}
}
