package nettest

import (
	"context"
	"log/slog"
	"os"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/media"
	"github.com/conclave-rooms/conclave/internal/media/livekit"
	"github.com/conclave-rooms/conclave/internal/media/mediaclient"
	"github.com/conclave-rooms/conclave/internal/media/mediatest"
)

// On a network that blocks UDP, two people meet over TCP.
func TestMeetOverTCP(t *testing.T) {
	t.Parallel()
	if os.Getenv(role) != "" {
		meetOverTCP(t)
		return
	}
	n := newNamespace(t)
	n.run(t, "nft", "add table inet test; add chain inet test out { type filter hook output priority 0; }; add rule inet test out meta l4proto udp drop")
	n.runTest(t, "all")
}

func meetOverTCP(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	server, err := livekit.Embed(ctx, livekit.EmbedConfig{
		APIKey: "test-key", APISecret: "test-secret-of-more-than-32-characters",
		NodeIP: "127.0.0.1", TCPPort: 7881, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop(context.WithoutCancel(ctx)) })
	if _, err := server.EnsureRoom(ctx, "r"); err != nil {
		t.Fatal(err)
	}
	join := func(name string) *mediaclient.Participant {
		token, err := server.MintToken(media.Grant{
			Room: "r", Identity: name, TTL: time.Minute, PublishSources: []media.Source{media.Microphone, media.Camera},
		})
		if err != nil {
			t.Fatal(err)
		}
		return mediatest.Join(t, mediaclient.Options{URL: server.Upstream(), Token: token, Passphrase: "the passphrase", TCPOnly: true})
	}
	ada, ben := join("ada"), join("ben")
	for name, who := range map[string]*mediaclient.Participant{"ada": ada, "ben": ben} {
		other := map[string]*mediaclient.Participant{"ada": ben, "ben": ada}[name]
		for _, source := range []media.Source{media.Microphone, media.Camera} {
			if _, err := who.Publish(ctx, source); err != nil {
				t.Fatal(err)
			}
			if err := other.WaitFrames(ctx, name, source, 20); err != nil {
				t.Error(err)
			}
		}
		if used, err := who.Transport(); err != nil || used != "tcp" {
			t.Errorf("%s's media takes %q, %v", name, used, err)
		}
	}
}
