package doctor

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/conclave-rooms/conclave/internal/db"
)

// taken takes a port for another program, until the end of the test.
func taken(t *testing.T, network string) (number int) {
	t.Helper()
	if network == "udp" {
		socket, err := (&net.ListenConfig{}).ListenPacket(t.Context(), network, ":0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = socket.Close() })
		return socket.LocalAddr().(*net.UDPAddr).Port
	}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), network, ":0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	return listener.Addr().(*net.TCPAddr).Port
}

// A port that a program uses is the service's, if one runs here, and otherwise keeps
// it from starting.
func TestAUsedPortIsGoodOnlyIfTheServiceRuns(t *testing.T) {
	t.Parallel()
	udp, tcp := taken(t, "udp"), taken(t, "tcp")
	service := httptest.NewServer(http.NotFoundHandler())
	defer service.Close()
	for _, c := range []struct {
		flag, name string
		use        func(o *Options) Finding
	}{
		{"--media-udp-port", fmt.Sprintf("UDP port %d", udp), func(o *Options) Finding {
			o.Config.MediaUDPPort, o.Config.MediaTCPPort = udp, 0
			return mediaPorts(t.Context(), o)
		}},
		{"--media-tcp-port", fmt.Sprintf("TCP port %d", tcp), func(o *Options) Finding {
			o.Config.MediaUDPPort, o.Config.MediaTCPPort = 0, tcp
			return mediaPorts(t.Context(), o)
		}},
		{"--turn-udp-port", fmt.Sprintf("UDP port %d", udp), func(o *Options) Finding {
			o.Config.MediaUDPPort, o.Config.MediaTCPPort, o.Config.TURNUDPPort, o.Config.MediaNodeIP = 0, 0, udp, "127.0.0.1"
			return mediaPorts(t.Context(), o)
		}},
		{"--http-listen", fmt.Sprintf("TCP port %d", tcp), func(o *Options) Finding {
			o.Config.HTTPListen = fmt.Sprintf("127.0.0.1:%d", tcp)
			return httpPort(t.Context(), o)
		}},
	} {
		o := usual(db.Config{Dir: t.TempDir()})
		f := c.use(o)
		want(t, f, Failed, "could not use "+c.name)
		if !strings.Contains(f.Found, "address already in use") || !strings.Contains(f.Advice, c.flag) || strings.Count(f.Found, "could not") != 1 {
			t.Errorf("%s: %s; %s", c.flag, f.Found, f.Advice)
		}
		o.Config.Listen = service.Listener.Addr().String()
		want(t, c.use(o), OK, c.name+" is used, as the running service does")
	}
}

func TestAFreePortIsReportedAsFree(t *testing.T) {
	t.Parallel()
	o := usual(db.Config{Dir: t.TempDir()})
	want(t, httpPort(t.Context(), o), Skipped, "--http-listen")
	o.Config.HTTPListen = "127.0.0.1:0"
	want(t, httpPort(t.Context(), o), OK, "is free")
	o.Config.HTTPListen = "192.0.2.7:80"
	f := httpPort(t.Context(), o)
	want(t, f, Failed, "could not use TCP port 80")
	if !strings.Contains(f.Advice, "does not have the address") {
		t.Errorf("the advice is %q", f.Advice)
	}
	o.Config.MediaUDPPort, o.Config.MediaTCPPort = 0, 0
	want(t, mediaPorts(t.Context(), o), OK, "UDP port 0 is free")
	o.Config.MediaURL = "wss://livekit.example.com"
	want(t, mediaPorts(t.Context(), o), Skipped, "elsewhere")
}

// A service that runs here and does not use a port has other settings than these.
func TestPortsThatAServiceDoesNotUse(t *testing.T) {
	t.Parallel()
	service := httptest.NewServer(http.NotFoundHandler())
	defer service.Close()
	free, err := (&net.ListenConfig{}).ListenPacket(t.Context(), "udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = free.Close()
	o := usual(db.Config{Dir: t.TempDir()})
	o.Config.Listen = service.Listener.Addr().String()
	o.Config.MediaUDPPort, o.Config.MediaTCPPort = free.LocalAddr().(*net.UDPAddr).Port, 0
	want(t, mediaPorts(t.Context(), o), Warning, "A service runs here, and does not use UDP port")
	o.Config.MediaUDPPort = 0
	want(t, mediaPorts(t.Context(), o), OK, "is free")
}

// Tests may run as root, who may use every port.
func TestPortAdvice(t *testing.T) {
	t.Parallel()
	for errno, part := range map[syscall.Errno]string{
		syscall.EACCES: "CAP_NET_BIND_SERVICE", syscall.EADDRNOTAVAIL: "does not have the address", syscall.EADDRINUSE: "Stop the other program",
	} {
		err := fmt.Errorf("listen: %w", &net.OpError{Op: "listen", Err: os.NewSyscallError("bind", errno)})
		if advice := portAdvice(err, "--http-listen"); !strings.Contains(advice, part) || !strings.Contains(advice, "--http-listen") {
			t.Errorf("%v: the advice is %q, want ...%s...", err, advice, part)
		}
	}
}
