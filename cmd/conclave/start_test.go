package main_test

import (
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
)

// startFails runs serve or dev, which must end with a sentence.
func startFails(t *testing.T, what string, where db.Config, sentence string, args ...string) {
	t.Helper()
	args = append(append([]string{what, "--media-udp-port", "0", "--media-tcp-port", "0", "--media-node-ip", "127.0.0.1"}, at(where)...), args...)
	if r := command(t, args...); r.status != 1 || !strings.Contains(r.stderr, sentence) {
		t.Errorf("conclave %v: status %d, %s; want a sentence with %q", args, r.status, r.stderr, sentence)
	}
}

// A second node without the master key does not start, and makes no key.
// Commands seal nothing: they work without a key, and make none either.
func TestASecondNodeNeedsTheMasterKey(t *testing.T) {
	t.Parallel()
	where := dbtest.Empty(t, db.PostgreSQL)
	start(t, "serve", where).stop()
	where.Dir = t.TempDir()
	for _, what := range []string{"serve", "dev"} {
		startFails(t, what, where, "master.key is missing: put the one of the first node or of the backup there", "--listen", "127.0.0.1:0")
	}
	var w map[string]any
	administrate(t, where, &w, "workspaces", "create", "--name", "Acme", "--owner", "ada@example.com")
	if left, err := os.ReadDir(where.Dir); err != nil || len(left) != 0 {
		t.Errorf("the directory holds %v (%v)", left, err)
	}
}

// A port that another program uses is an error that names its flag.
func TestATakenPortIsRefusedWithItsFlag(t *testing.T) {
	t.Parallel()
	udp, err := (&net.ListenConfig{}).ListenPacket(t.Context(), "udp4", ":0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = udp.Close() }()
	tcp, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tcp.Close() }()
	port := func(a net.Addr) string { _, port, _ := net.SplitHostPort(a.String()); return port }
	atTCP := "127.0.0.1:" + port(tcp.Addr())
	for sentence, args := range map[string][]string{
		"start the media server (--media-udp-port): ":                             {"--media-udp-port", port(udp.LocalAddr())},
		"start the media server (--media-tcp-port): ":                             {"--media-tcp-port", port(tcp.Addr())},
		"listen on " + atTCP + " (--metrics-listen): ":                            {"--metrics-listen", atTCP},
		"listen on UDP port " + port(udp.LocalAddr()) + " (--turn-udp-port): ":    {"--turn-udp-port", port(udp.LocalAddr())},
		"listen on " + atTCP + " (--http-listen): listen tcp " + atTCP + ": bind": {"--http-listen", atTCP, "--acme-domains", "meet.example.com", "--public-url", "https://meet.example.com"},
	} {
		startFails(t, "serve", db.Config{Dir: t.TempDir()}, sentence, append([]string{"--listen", "127.0.0.1:0"}, args...)...)
	}
}

// After a start that fails because the port is taken, commands still use the
// address of the service that ran before.
func TestAFailedStartPublishesNoAddress(t *testing.T) {
	t.Parallel()
	where := db.Config{Dir: t.TempDir()}
	start(t, "serve", where, "--public-url", "https://meet.example.com").stop()
	busy, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = busy.Close() }()
	startFails(t, "serve", where, "listen on "+busy.Addr().String()+" (--listen): ", "--listen", busy.Addr().String(), "--public-url", "https://other.example.com")

	var w, room map[string]any
	administrate(t, where, &w, "workspaces", "create", "--name", "Acme", "--owner", "ada@example.com")
	administrate(t, where, &room, "rooms", "create", "--workspace", w["id"].(string), "--name", "Weekly")
	if url, _ := room["url"].(string); !strings.HasPrefix(url, "https://meet.example.com/") {
		t.Errorf("the room's link is %v", room["url"])
	}
}

// A second process on the same data is refused, because people of one room would
// meet in two. It learns which process that is, and starts as soon as that one
// is gone, even by kill -9.
func TestASecondProcessOnTheSameDataIsRefused(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		first := start(t, "serve", where)
		for _, what := range []string{"serve", "dev"} {
			startFails(t, what, where, fmt.Sprintf("another process serves this data: process %d on ", first.cmd.Process.Pid), "--listen", "127.0.0.1:0")
		}
		first.signal(syscall.SIGKILL)
		start(t, "serve", where).stop()
	})
}
