package nettest

import (
	"context"
	"crypto/rand"
	"log/slog"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/media"
	"github.com/conclave-rooms/conclave/internal/media/livekit"
	"github.com/conclave-rooms/conclave/internal/media/mediatest"
)

// inside tells a test that it runs in the namespace made for it.
const inside = "CONCLAVE_NETTEST_INSIDE"

// On a network that lets no UDP through, two people meet over TCP.
func TestMeetOverTCP(t *testing.T) {
	t.Parallel()
	if os.Getenv(inside) != "" {
		meetOverTCP(t)
		return
	}
	namespace := newNamespace(t)
	namespace.run(t, "ip", "link", "set", "lo", "up")
	namespace.run(t, "nft", "add table inet test; add chain inet test out { type filter hook output priority 0; }; add rule inet test out meta l4proto udp drop")
	namespace.run(t, os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v", "-test.timeout=2m")
}

func meetOverTCP(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	server, err := livekit.Embed(ctx, livekit.EmbedConfig{
		APIKey: "test-key", APISecret: "test-secret-of-more-than-32-characters",
		NodeIP: "127.0.0.1", EnableLoopback: true, TCPPort: 7881, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop(context.WithoutCancel(ctx)) })
	if _, err := server.EnsureRoom(ctx, "r"); err != nil {
		t.Fatal(err)
	}
	join := func(name string) *mediatest.TCPParticipant {
		token, err := server.MintToken(media.Grant{
			Room: "r", Identity: name, TTL: time.Minute, PublishSources: []media.Source{media.Microphone, media.Camera},
		})
		if err != nil {
			t.Fatal(err)
		}
		return mediatest.JoinOverTCP(t, mediatest.Options{URL: server.Upstream(), Token: token, Passphrase: "the passphrase"})
	}
	ada, ben := join("ada"), join("ben")
	for _, err := range []error{
		ada.Publish(media.Microphone), ben.Publish(media.Camera),
		ben.WaitFrames(ctx, media.Microphone, 50), ada.WaitFrames(ctx, media.Camera, 20),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	for _, p := range []*mediatest.TCPParticipant{ada, ben} {
		if used, err := p.Transports(); err != nil || !slices.Equal(used, []string{"tcp", "tcp"}) {
			t.Errorf("media takes %v, %v", used, err)
		}
	}
}

// namespace is a network namespace of a test's own.
type namespace string

func newNamespace(t *testing.T) namespace {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("making a network namespace needs root")
	}
	for _, tool := range []string{"ip", "nft"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("making a network namespace needs %s", tool)
		}
	}
	name := "conclave-" + strings.ToLower(rand.Text()[:8])
	if out, err := exec.CommandContext(t.Context(), "ip", "netns", "add", name).CombinedOutput(); err != nil {
		t.Skipf("this system makes no network namespaces: %v: %s", err, out)
	}
	t.Cleanup(func() { _ = exec.Command("ip", "netns", "del", name).Run() })
	return namespace(name)
}

// run runs a command inside and fails the test with its output if it fails.
func (n namespace) run(t *testing.T, command ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "ip", append([]string{"netns", "exec", string(n)}, command...)...)
	cmd.Env = append(os.Environ(), inside+"=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(command, " "), err, out)
	}
}
