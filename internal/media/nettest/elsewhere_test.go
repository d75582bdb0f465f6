package nettest

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/gate"
	"github.com/conclave-rooms/conclave/internal/media"
	"github.com/conclave-rooms/conclave/internal/media/livekit"
	"github.com/conclave-rooms/conclave/internal/media/mediaclient"
	"github.com/conclave-rooms/conclave/internal/media/mediatest"
)

const (
	testKey    = "test-key"
	testSecret = "test-secret-of-more-than-32-characters"
	serverSide = "192.0.2.1:8080" // a documentation address, RFC 5737
)

// Two people on one machine meet through a server on another, which has the
// default configuration.
func TestTwoPeopleMeetThroughAServerElsewhere(t *testing.T) {
	t.Parallel()
	switch os.Getenv(role) {
	case "server":
		serveElsewhere(t)
	case "people":
		meetFromElsewhere(t)
	default:
		server, people := newNamespace(t), newNamespace(t)
		// Like the bridges of containers: an unreachable address that is found
		// before ours.
		server.run(t, "ip", "link", "add", "bridge", "type", "veth", "peer", "name", "container")
		server.run(t, "ip", "address", "add", "198.51.100.1/24", "dev", "bridge")
		server.run(t, "ip", "link", "set", "bridge", "up")
		link(t, server, "192.0.2.1/24", people, "192.0.2.2/24")
		server.run(t, "ip", "route", "add", "default", "via", "192.0.2.2")
		server.startTest(t, "server")
		people.runTest(t, "people")
	}
}

func serveElsewhere(t *testing.T) {
	server, err := livekit.Embed(t.Context(), livekit.EmbedConfig{
		APIKey: testKey, APISecret: testSecret, TCPPort: 7881, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := server.EnsureRoom(t.Context(), "r"); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", serverSide)
	if err != nil {
		t.Fatal(err)
	}
	front := &http.Server{Handler: openGate(server)}
	go func() { _ = front.Serve(listener) }()
	serve()
	_ = front.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = server.Stop(ctx)
}

// openGate lets everybody through.
func openGate(server *livekit.Embedded) *gate.Gate {
	return &gate.Gate{
		Upstream: server.Upstream(), Logger: slog.New(slog.DiscardHandler),
		Verify: func(string) (string, error) { return "anybody", nil },
		LetThrough: func(_ context.Context, token string, _ *http.Request) (gate.Decision, error) {
			return gate.Decision{Token: token, Identity: "anybody", Room: "r"}, nil
		},
	}
}

func meetFromElsewhere(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	minter, err := livekit.Connect("ws://"+serverSide, testKey, testSecret, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	people := map[string]*mediaclient.Participant{}
	for _, name := range []string{"ada", "ben"} {
		token, err := minter.MintToken(media.Grant{
			Room: "r", Identity: name, TTL: time.Minute, PublishSources: []media.Source{media.Microphone},
		})
		if err != nil {
			t.Fatal(err)
		}
		people[name] = mediatest.Join(t, mediaclient.Options{URL: "ws://" + serverSide, Token: token, Passphrase: "the passphrase"})
		if _, err := people[name].Publish(ctx, media.Microphone); err != nil {
			t.Fatal(err)
		}
	}
	for name, other := range map[string]string{"ada": "ben", "ben": "ada"} {
		if err := people[other].WaitFrames(ctx, name, media.Microphone, 50); err != nil {
			t.Error(err)
		}
		if used, err := people[name].Transport(); err != nil || used != "udp" {
			t.Errorf("%s's media takes %q, %v", name, used, err)
		}
	}
}
