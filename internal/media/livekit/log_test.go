package livekit

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
)

// roomName is a string type of its own, as LiveKit's are.
type roomName string

func TestLogKeepsSecretsOut(t *testing.T) {
	t.Parallel()
	const secret = "eyJhbGciOiJIUzI1NiJ9.eyJpZGVudGl0eSI6ImFkYSJ9.c2lnbmF0dXJl"
	var out bytes.Buffer
	b := bridge{log: slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	b.WithValues("token", secret).WithComponent("room").Warnw("refused "+secret, errors.New("invalid token: "+secret),
		"room", roomName("r"), "text", secret, "cause", errors.New(secret), "offer", struct{ SDP string }{"a=ice-pwd:secret"}, "odd")
	b.Debugw("never")
	b.WithComponent("pion.ice").Warnw("never", nil)
	logged := out.String()
	for _, hidden := range []string{secret, "ice-pwd", "never"} {
		if strings.Contains(logged, hidden) {
			t.Errorf("%q is in the log: %s", hidden, logged)
		}
	}
	for _, shown := range []string{"level=INFO", "[redacted]", "room=r", "component=room"} {
		if !strings.Contains(logged, shown) {
			t.Errorf("%q is not in the log: %s", shown, logged)
		}
	}
}
