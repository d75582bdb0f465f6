package main_test

import (
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
)

// A service manager learns when the service answers, that it is alive, and when it
// stops.
func TestTheServiceReportsToItsManager(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "notify")
	manager, err := (&net.ListenConfig{}).ListenPacket(t.Context(), "unixgram", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = manager.Close() }()
	if err := manager.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	hears := func(want string) {
		t.Helper()
		for message := make([]byte, 100); ; {
			n, _, err := manager.ReadFrom(message)
			if err != nil {
				t.Fatalf("waiting for %s: %v", want, err)
			}
			if string(message[:n]) == want {
				return
			}
		}
	}
	t.Setenv("NOTIFY_SOCKET", socket)
	t.Setenv("WATCHDOG_USEC", "300000")
	p := start(t, "serve", db.Config{Dir: t.TempDir()})
	hears("READY=1")
	hears("WATCHDOG=1")
	hears("WATCHDOG=1")
	p.stop()
	hears("STOPPING=1")
}
