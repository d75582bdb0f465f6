package mediatest

import (
	"context"
	"crypto/rand"
	"strings"
	"testing"

	"github.com/conclave-rooms/conclave/internal/media"
)

func testRooms(t *testing.T, x *exercise) {
	ctx := x.context(t)
	room := x.room(ctx, t)
	if room.Generation == "" {
		t.Error("the room has no generation")
	}
	again, err := x.Server.EnsureRoom(ctx, room.Name)
	must(t, "ensure again", err)
	if again != room {
		t.Errorf("ensured twice: got %v, want %v", again, room)
	}
	other := x.room(ctx, t)
	listed, err := x.Server.Rooms(ctx, room.Name, "test-nothing")
	must(t, "list by name", err)
	if len(listed) != 1 || listed[0] != room {
		t.Errorf("listed by name: got %v, want %v alone", listed, room)
	}
	all, err := x.Server.Rooms(ctx)
	must(t, "list", err)
	seen := map[media.Room]bool{}
	for _, r := range all {
		seen[r] = true
	}
	if !seen[room] || !seen[other] {
		t.Errorf("listed: got %v, want %v and %v among them", all, room, other)
	}
	people, err := x.Server.Participants(ctx, room.Name)
	if err != nil || len(people) != 0 {
		t.Errorf("participants of an empty room: got %v, %v", people, err)
	}

	must(t, "close", x.Server.CloseRoom(ctx, room.Name))
	must(t, "close again", x.Server.CloseRoom(ctx, room.Name))
	if listed, err := x.Server.Rooms(ctx, room.Name); err != nil || len(listed) != 0 {
		t.Errorf("listed after closing: got %v, %v", listed, err)
	}
	anew, err := x.Server.EnsureRoom(ctx, room.Name)
	must(t, "make anew", err)
	if anew.Generation == room.Generation {
		t.Errorf("the new room has the generation %q of the old one", anew.Generation)
	}
	must(t, "be ready", x.Server.Ready(ctx))
}

func testJoinMissing(t *testing.T, x *exercise) {
	ctx := x.context(t)
	token, err := x.Server.MintToken(everything("test-nowhere-to-go", ada))
	must(t, "mint", err)
	if p, err := x.Enter(ctx, token); err == nil {
		p.Disconnect()
		t.Error("somebody joined a room that nobody made")
	}
	if rooms, err := x.Server.Rooms(ctx, "test-nowhere-to-go"); err != nil || len(rooms) != 0 {
		t.Errorf("rooms: got %v, %v, want none", rooms, err)
	}
}

func testJoinMakes(t *testing.T, x *exercise) {
	ctx := x.context(t)
	name := "test-" + strings.ToLower(rand.Text())
	t.Cleanup(func() { must(t, "close", x.Server.CloseRoom(context.WithoutCancel(ctx), name)) })
	first, second := everything(name, ada), everything(name, "api_~hbob.k3v9")
	first.MakesRoom, second.MakesRoom = true, true
	x.enter(ctx, t, first)
	made, err := x.Server.Rooms(ctx, name)
	if err != nil || len(made) != 1 || made[0].Generation == "" {
		t.Fatalf("after the first came: rooms %v, %v", made, err)
	}
	x.enter(ctx, t, second)
	found, err := x.Server.EnsureRoom(ctx, name)
	must(t, "ensure", err)
	people, err := x.Server.Participants(ctx, name)
	if found != made[0] || err != nil || len(people) != 2 {
		t.Errorf("after the second came: %v instead of %v, with %v, %v", found, made[0], people, err)
	}
}
