package livekit_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/media/livekit"
	"github.com/conclave-rooms/conclave/internal/media/mediaclient"
	"github.com/conclave-rooms/conclave/internal/media/mediatest"
)

const (
	testKey    = "test-key"
	testSecret = "test-secret-of-more-than-32-characters"
)

// trustEnv is the variable with which operators name certificate authorities of their
// own. The child gets it.
const trustEnv = "SSL_CERT_FILE"

// shared is one server for all tests of the package that do not crash it.
var shared *livekit.Embedded

func TestMain(m *testing.M) {
	livekit.RunIfChild()
	if err := os.Setenv("CONCLAVE_MASTER_KEY", testSecret); err != nil { // operators may set it like this, and the child must not get it
		panic(err)
	}
	dir, err := os.MkdirTemp("", "conclave-trust")
	if err != nil {
		panic(err)
	}
	// A test writes this file, and media servers that start later read it.
	if err := os.Setenv(trustEnv, filepath.Join(dir, "authority.pem")); err != nil {
		panic(err)
	}
	code, err := run(m)
	_ = os.RemoveAll(dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if shared, err = livekit.Embed(ctx, config()); err != nil {
		return 0, err
	}
	code = m.Run()
	stop, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return code, shared.Stop(stop)
}

// config is for a server on loopback only.
func config() livekit.EmbedConfig {
	return livekit.EmbedConfig{
		APIKey: testKey, APISecret: testSecret, NodeIP: "127.0.0.1",
		Logger: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	}
}

func TestLiveKit(t *testing.T) {
	t.Parallel()
	mediatest.Exercise(t, mediatest.Subject{
		Server: shared,
		Enter: func(ctx context.Context, token string) (mediatest.Person, error) {
			return mediaclient.Connect(ctx, mediaclient.Options{URL: shared.Upstream(), Token: token, Passphrase: "a passphrase"})
		},
		Arrive: func(ctx context.Context, token string) (mediatest.Person, error) {
			return mediaclient.Connect(ctx, mediaclient.Options{URL: shared.Upstream(), Token: token, Passphrase: "a passphrase", Half: true})
		},
	})
}
