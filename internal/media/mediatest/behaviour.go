package mediatest

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/media"
)

const ada = "api_~hada.k3v9"

func testMissing(t *testing.T, x *exercise) {
	ctx := x.context(t)
	here := x.room(ctx, t).Name
	for place, room := range map[string]string{"missing room": "test-nowhere", "missing person": here} {
		grant := everything(room, "guest_nobody.1")
		wantErr(t, place+": remove", x.Server.Remove(ctx, room, "guest_nobody.1", ""), media.ErrNotFound)
		wantErr(t, place+": mute", x.Server.MuteTrack(ctx, room, "guest_nobody.1", "TR_x", true), media.ErrNotFound)
		wantErr(t, place+": grant", x.Server.UpdateGrant(ctx, grant), media.ErrNotFound)
		wantErr(t, place+": attributes", x.Server.SetAttributes(ctx, room, "guest_nobody.1", map[string]string{"a": "b"}), media.ErrNotFound)
	}
	_, err := x.Server.Participants(ctx, "test-nowhere")
	wantErr(t, "participants of a missing room", err, media.ErrNotFound)
	x.enter(ctx, t, everything(here, ada))
	wantErr(t, "mute a missing track", x.Server.MuteTrack(ctx, here, ada, "TR_x", true), media.ErrNotFound)
}

func testJoinLeave(t *testing.T, x *exercise) {
	ctx := x.context(t)
	room := x.room(ctx, t)
	before := time.Now().Add(-time.Minute)
	p := x.enter(ctx, t, everything(room.Name, ada))
	hint := x.heard.wait(t, media.HintJoined, room.Name, p.SessionID())
	if hint.Identity != ada || hint.Deliberate {
		t.Errorf("hint of joining: got %+v", hint)
	}
	in, ok := x.see(ctx, t, room.Name, ada)
	if !ok {
		t.Fatal("nobody there")
	}
	if in.Arriving || in.Name != "Ada" || in.Attributes["role"] != "host" || len(in.Tracks) != 0 {
		t.Errorf("joined as %+v", in)
	}
	if in.JoinedAt.Before(before) || in.JoinedAt.After(time.Now().Add(time.Minute)) {
		t.Errorf("joined at %s", in.JoinedAt)
	}

	p.Disconnect()
	hint = x.heard.wait(t, media.HintLeft, room.Name, p.SessionID())
	if hint.Identity != ada || !hint.Deliberate || !hint.JoinedAt.Equal(in.JoinedAt) {
		t.Errorf("hint of leaving: got %+v, want a deliberate one of %s, who joined at %s", hint, ada, in.JoinedAt)
	}
	x.eventually(ctx, t, "be out", func() bool { _, in := x.see(ctx, t, room.Name, ada); return !in })
	rooms, err := x.Server.Rooms(ctx, room.Name)
	must(t, "list", err)
	if len(rooms) != 1 || rooms[0] != room {
		t.Errorf("the room after the last one left: got %v, want %v still there", rooms, room)
	}
}

// A device with only the publishing half of its connection is arriving, even
// while it can be heard. Its tracks are listed and cause hints. It can be
// muted, given another grant, and removed.
func testHalf(t *testing.T, x *exercise) {
	ctx := x.context(t)
	room := x.room(ctx, t)
	token, err := x.Server.MintToken(everything(room.Name, ada))
	must(t, "mint", err)
	p, err := x.Arrive(ctx, token)
	must(t, "arrive", err)
	defer p.Disconnect()
	in, ok := x.see(ctx, t, room.Name, ada)
	if !ok || !in.Arriving || in.SessionID != p.SessionID() {
		t.Fatalf("listed as %+v", in)
	}
	microphone, err := p.Publish(ctx, media.Microphone)
	must(t, "publish", err)
	x.heard.wait(t, media.HintPublished, room.Name, p.SessionID())
	x.eventually(ctx, t, "be seen to publish", func() bool { in, _ = x.see(ctx, t, room.Name, ada); return len(in.Tracks) == 1 && in.Arriving })
	must(t, "mute", x.Server.MuteTrack(ctx, room.Name, ada, microphone, true))
	x.eventually(ctx, t, "be muted", func() bool {
		track, ok := x.track(ctx, t, room.Name, ada, microphone)
		return ok && track.Muted
	})
	less := everything(room.Name, ada)
	less.PublishSources = []media.Source{media.Camera}
	must(t, "update the grant", x.Server.UpdateGrant(ctx, less))
	x.eventually(ctx, t, "lose the microphone", func() bool { in, _ = x.see(ctx, t, room.Name, ada); return len(in.Tracks) == 0 && in.Arriving })
	must(t, "remove", x.Server.Remove(ctx, room.Name, ada, ""))
	x.eventually(ctx, t, "be out", func() bool { _, in := x.see(ctx, t, room.Name, ada); return !in })
}

func testRemove(t *testing.T, x *exercise) {
	ctx := x.context(t)
	room := x.room(ctx, t).Name
	p := x.enter(ctx, t, everything(room, ada))
	must(t, "remove", x.Server.Remove(ctx, room, ada, ""))
	<-p.Gone()
	if hint := x.heard.wait(t, media.HintLeft, room, p.SessionID()); hint.Deliberate {
		t.Errorf("the hint says that the removed participant left: %+v", hint)
	}
	if _, in := x.see(ctx, t, room, ada); in {
		t.Error("still there")
	}
}

func testCloseFull(t *testing.T, x *exercise) {
	ctx := x.context(t)
	room := x.room(ctx, t).Name
	p := x.enter(ctx, t, everything(room, ada))
	must(t, "close", x.Server.CloseRoom(ctx, room))
	<-p.Gone()
	if hint := x.heard.wait(t, media.HintLeft, room, p.SessionID()); hint.Deliberate {
		t.Errorf("the hint says that somebody left: %+v", hint)
	}
	_, err := x.Server.Participants(ctx, room)
	wantErr(t, "participants", err, media.ErrNotFound)
}

func testPublishMute(t *testing.T, x *exercise) {
	ctx := x.context(t)
	room := x.room(ctx, t).Name
	p := x.enter(ctx, t, everything(room, ada))
	for _, source := range everything("", "").PublishSources {
		id, err := p.Publish(ctx, source)
		must(t, "publish", err)
		x.eventually(ctx, t, "publish "+string(source), func() bool {
			track, ok := x.track(ctx, t, room, ada, id)
			return ok && track.Source == source && !track.Muted
		})
		x.heard.wait(t, media.HintPublished, room, p.SessionID())
		must(t, "mute", x.Server.MuteTrack(ctx, room, ada, id, true))
		x.eventually(ctx, t, "mute "+string(source), func() bool {
			track, ok := x.track(ctx, t, room, ada, id)
			return ok && track.Muted
		})
		wantErr(t, "unmute", x.Server.MuteTrack(ctx, room, ada, id, false), media.ErrRefused)
	}
}

// refused checks that a person cannot publish a source.
func (x *exercise) refused(ctx context.Context, t *testing.T, p Person, room string, source media.Source) {
	t.Helper()
	if id, err := p.Publish(ctx, source); !errors.Is(err, media.ErrRefused) {
		t.Errorf("%s was published as %q, or it was not said that it may not be: %v", source, id, err)
	}
	in, _ := x.see(ctx, t, room, ada)
	for _, track := range in.Tracks {
		if track.Source == source {
			t.Errorf("there is a track %+v", track)
		}
	}
}

func testGrantPublish(t *testing.T, x *exercise) {
	ctx := x.context(t)
	room := x.room(ctx, t).Name
	grant := everything(room, ada)
	grant.PublishSources = []media.Source{media.Microphone}
	p := x.enter(ctx, t, grant)
	x.refused(ctx, t, p, room, media.Camera)
	id, err := p.Publish(ctx, media.Microphone)
	must(t, "publish what is allowed", err)
	x.eventually(ctx, t, "be heard", func() bool { _, ok := x.track(ctx, t, room, ada, id); return ok })
}

func testGrantRevoke(t *testing.T, x *exercise) {
	ctx := x.context(t)
	room := x.room(ctx, t).Name
	grant := everything(room, ada)
	p := x.enter(ctx, t, grant)
	microphone, err := p.Publish(ctx, media.Microphone)
	must(t, "publish", err)
	screen, err := p.Publish(ctx, media.ScreenShare)
	must(t, "publish", err)
	x.eventually(ctx, t, "be seen", func() bool { _, ok := x.track(ctx, t, room, ada, screen); return ok })
	x.eventually(ctx, t, "be heard", func() bool { _, ok := x.track(ctx, t, room, ada, microphone); return ok })
	if in, _ := x.see(ctx, t, room, ada); !sameRights(in.Grant, grant) {
		t.Errorf("it shows that she may %+v, want %+v", in.Grant, grant)
	}

	grant.PublishSources, grant.PublishData, grant.OwnAttributes = []media.Source{media.Microphone, media.Camera}, false, false
	must(t, "update the grant", x.Server.UpdateGrant(ctx, grant))
	if in, _ := x.see(ctx, t, room, ada); !sameRights(in.Grant, grant) {
		t.Errorf("at once it shows that she may %+v, want %+v", in.Grant, grant)
	}
	x.eventually(ctx, t, "lose the screen", func() bool { _, ok := x.track(ctx, t, room, ada, screen); return !ok })
	if _, ok := x.track(ctx, t, room, ada, microphone); !ok {
		t.Error("the microphone, which is still allowed, is gone")
	}
	in, _ := x.see(ctx, t, room, ada)
	if in.SessionID != p.SessionID() || in.Name != "Ada" || in.Attributes["role"] != "host" {
		t.Errorf("the grant changed more than that: %+v", in)
	}
	must(t, "the same grant again", x.Server.UpdateGrant(ctx, grant))
}

func testGrantRename(t *testing.T, x *exercise) {
	ctx := x.context(t)
	room := x.room(ctx, t).Name
	grant := everything(room, ada)
	p := x.enter(ctx, t, grant)
	microphone, err := p.Publish(ctx, media.Microphone)
	must(t, "publish", err)
	x.eventually(ctx, t, "be heard", func() bool { _, ok := x.track(ctx, t, room, ada, microphone); return ok })
	grant.Name = strings.Repeat("\U0001f1e6", 60) // as long as a name can be, in bytes
	must(t, "rename", x.Server.UpdateGrant(ctx, grant))
	in, _ := x.see(ctx, t, room, ada)
	if in.Name != grant.Name {
		t.Errorf("called %q, want %q", in.Name, grant.Name)
	}
	if in.SessionID != p.SessionID() || in.Attributes["role"] != "host" || !sameRights(in.Grant, grant) {
		t.Errorf("the new name changed more than that: %+v", in)
	}
	if _, ok := x.track(ctx, t, room, ada, microphone); !ok {
		t.Error("the microphone is gone")
	}
	nameless := grant
	nameless.Name = ""
	must(t, "update without a name", x.Server.UpdateGrant(ctx, nameless))
	if in, _ := x.see(ctx, t, room, ada); in.Name != grant.Name {
		t.Errorf("without a name in the grant, called %q, want %q", in.Name, grant.Name)
	}
}

// sameRights says whether two grants allow the same.
func sameRights(a, b media.Grant) bool {
	sources := func(g media.Grant) []media.Source { return slices.Sorted(slices.Values(g.PublishSources)) }
	return a.PublishData == b.PublishData && a.OwnAttributes == b.OwnAttributes && slices.Equal(sources(a), sources(b))
}

func testGrantNothing(t *testing.T, x *exercise) {
	ctx := x.context(t)
	room := x.room(ctx, t).Name
	grant := everything(room, ada)
	p := x.enter(ctx, t, grant)
	id, err := p.Publish(ctx, media.Microphone)
	must(t, "publish", err)
	x.eventually(ctx, t, "be heard", func() bool { _, ok := x.track(ctx, t, room, ada, id); return ok })
	grant.PublishSources = nil
	must(t, "update the grant", x.Server.UpdateGrant(ctx, grant))
	x.eventually(ctx, t, "be silent", func() bool { _, ok := x.track(ctx, t, room, ada, id); return !ok })
	x.refused(ctx, t, p, room, media.Camera)
}

func testAttributes(t *testing.T, x *exercise) {
	ctx := x.context(t)
	room := x.room(ctx, t).Name
	x.enter(ctx, t, everything(room, ada))
	must(t, "set", x.Server.SetAttributes(ctx, room, ada, map[string]string{"avatar": "a03", "hand_raised": "true"}))
	x.wantAttributes(ctx, t, room, map[string]string{"role": "host", "avatar": "a03", "hand_raised": "true"})
	must(t, "merge", x.Server.SetAttributes(ctx, room, ada, map[string]string{"avatar": "a04", "hand_raised": ""}))
	x.wantAttributes(ctx, t, room, map[string]string{"role": "host", "avatar": "a04"})
}

func (x *exercise) wantAttributes(ctx context.Context, t *testing.T, room string, want map[string]string) {
	t.Helper()
	x.eventually(ctx, t, "attributes", func() bool {
		in, _ := x.see(ctx, t, room, ada)
		return maps.Equal(in.Attributes, want)
	})
}

func testOwnAttributes(t *testing.T, x *exercise) {
	ctx := x.context(t)
	room := x.room(ctx, t).Name
	grant := everything(room, ada)
	grant.OwnAttributes = false
	p := x.enter(ctx, t, grant)
	p.SetAttributes(map[string]string{"hand_raised": "true"})
	// Signals are processed in order. Once this one is answered, the one before
	// it has been refused, and a grant that comes later does not help it.
	_, err := p.Publish(ctx, media.Microphone)
	must(t, "publish", err)
	grant.OwnAttributes = true
	must(t, "allow it", x.Server.UpdateGrant(ctx, grant))
	p.SetAttributes(map[string]string{"mood": "good"})
	x.eventually(ctx, t, "second attribute", func() bool {
		in, _ := x.see(ctx, t, room, ada)
		return in.Attributes["mood"] == "good" || in.Attributes["hand_raised"] != ""
	})
	x.wantAttributes(ctx, t, room, map[string]string{"role": "host", "mood": "good"})
}

func testSameIdentity(t *testing.T, x *exercise) {
	ctx := x.context(t)
	room := x.room(ctx, t).Name
	first := x.enter(ctx, t, everything(room, ada))
	second := x.enter(ctx, t, everything(room, ada))
	<-first.Gone()
	if first.SessionID() == second.SessionID() {
		t.Errorf("both are session %s", first.SessionID())
	}
	x.heard.wait(t, media.HintLeft, room, first.SessionID())
	people, err := x.Server.Participants(ctx, room)
	must(t, "list", err)
	if len(people) != 1 || people[0].SessionID != second.SessionID() {
		t.Errorf("in the room: got %+v, want session %s alone", people, second.SessionID())
	}
	wantErr(t, "remove the first, which is gone", x.Server.Remove(ctx, room, ada, first.SessionID()), media.ErrNotFound)
	if _, in := x.see(ctx, t, room, ada); !in {
		t.Fatal("a removal of the first session removed the second")
	}
	must(t, "remove the second", x.Server.Remove(ctx, room, ada, second.SessionID()))
	<-second.Gone()
}

func testTokens(t *testing.T, x *exercise) {
	for name, change := range map[string]func(*media.Grant){
		"no room":     func(g *media.Grant) { g.Room = "" },
		"no identity": func(g *media.Grant) { g.Identity = "" },
		"no time":     func(g *media.Grant) { g.TTL = 0 },
	} {
		grant := everything("r", ada)
		change(&grant)
		if token, err := x.Server.MintToken(grant); err == nil {
			t.Errorf("%s: minted %q", name, token)
		}
	}
}

func testCancelled(t *testing.T, x *exercise) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := x.Server.EnsureRoom(ctx, "test-cancelled")
	wantErr(t, "make a room", err, context.Canceled)
	_, err = x.Server.Rooms(ctx)
	wantErr(t, "list", err, context.Canceled)
	wantErr(t, "be ready", x.Server.Ready(ctx), context.Canceled)
}
