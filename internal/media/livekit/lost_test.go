package livekit_test

import (
	"errors"
	"fmt"
	"maps"
	"syscall"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/media"
	server "github.com/conclave-rooms/conclave/internal/media/livekit"
)

// A node dies and nobody comes back to one of its rooms, which soon is gone on the other
// nodes, too. The room to which somebody came back stays.
func TestARoomOfADeadNodeIsForgotten(t *testing.T) {
	t.Parallel()
	r := newRedis(t)
	inCluster := func(c *server.EmbedConfig) { c.Redis.Address = r.address }
	dies := newOwn(t, inCluster) // it gets all rooms, because it is alone
	everybody := meet(t, "left", map[string]*own{"ada": dies, "bob": dies})
	maps.Copy(everybody, meet(t, "kept", map[string]*own{"cid": dies, "dan": dies}))
	stays := newOwn(t, inCluster)
	dies.signal(t, syscall.SIGKILL)
	for _, p := range everybody {
		p.Disconnect()
	}
	wait(t, 20*time.Second, "somebody comes back", func() error {
		p, err := enter(t.Context(), stays, "kept", "cid")
		if err == nil {
			t.Cleanup(p.Disconnect)
		}
		return err
	})
	took := wait(t, 40*time.Second, "the room is gone", func() error {
		people, err := stays.Participants(t.Context(), "left")
		if errors.Is(err, media.ErrNotFound) {
			return nil
		}
		return fmt.Errorf("the room still lists %v, %w", people, err)
	})
	t.Logf("the room was gone %s later", took.Round(100*time.Millisecond))
	wait(t, 10*time.Second, "the other room goes on", func() error { return listed(t.Context(), stays, "kept", "cid") })
}
