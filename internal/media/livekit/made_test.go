package livekit_test

import (
	"context"
	"crypto/rand"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/livekit/protocol/livekit"

	server "github.com/conclave-rooms/conclave/internal/media/livekit"
	"github.com/conclave-rooms/conclave/internal/media/mediaclient"
	"github.com/conclave-rooms/conclave/internal/media/mediatest"
)

// A room that a connection makes stays as long as one that EnsureRoom makes.
func TestAConnectionMakesTheRoomThatEnsureRoomMakes(t *testing.T) {
	t.Parallel()
	ensured := newPlace(t)
	made := &place{room: "test-" + strings.ToLower(rand.Text()), ctx: ensured.ctx}
	t.Cleanup(func() { _ = shared.CloseRoom(context.WithoutCancel(made.ctx), made.room) })
	for _, p := range []*place{ensured, made} {
		grant := p.grant("ada")
		grant.MakesRoom = true
		token, err := shared.MintToken(grant)
		if err != nil {
			t.Fatal(err)
		}
		var room *livekit.Room
		mediatest.Join(t, mediaclient.Options{URL: shared.Upstream(), Token: token, Passphrase: "a passphrase", Mishear: func(r *livekit.SignalResponse) {
			if join := r.GetJoin(); join != nil {
				room = join.GetRoom()
			}
		}})
		empty, departure := time.Duration(room.GetEmptyTimeout())*time.Second, time.Duration(room.GetDepartureTimeout())*time.Second
		if room.GetName() != p.room || empty != 5*time.Minute || departure != time.Minute {
			t.Errorf("%s: it stays for %s if nobody comes, and for %s after the last one left", room.GetName(), empty, departure)
		}
	}
}

// While the media server is away, it is known that nobody can come in.
func TestNoTokenMakesARoomWhileTheMediaServerIsAway(t *testing.T) {
	t.Parallel()
	o := newOwn(t, nil)
	grant := (&place{room: "r"}).grant("ada")
	grant.MakesRoom = true
	mint := func() error { _, err := o.MintToken(grant); return err }
	check(t, mint())
	away := make(chan error, 1)
	o.SetHooks(server.Hooks{
		Ended: func(end server.End) {
			away <- mint()
			o.ended <- end
		},
		Returned: func() { o.returned <- struct{}{} },
	})
	o.signal(t, syscall.SIGKILL)
	o.end(t)
	if err := <-away; err == nil {
		t.Error("a token makes a room while the media server is away")
	}
	check(t, mint())
}
