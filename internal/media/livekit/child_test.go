package livekit_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/livekit/protocol/livekit"

	"github.com/conclave-rooms/conclave/internal/logtest"
	"github.com/conclave-rooms/conclave/internal/media"
	server "github.com/conclave-rooms/conclave/internal/media/livekit"
	"github.com/conclave-rooms/conclave/internal/media/mediaclient"
	"github.com/conclave-rooms/conclave/internal/media/mediatest"
)

// own is a media server that one test may crash.
type own struct {
	*server.Embedded
	ctx      context.Context //nolint:containedctx // the life of one test
	log      *logtest.Book
	config   server.EmbedConfig
	ended    chan server.End
	returned chan struct{}
}

func newOwn(t *testing.T, change func(*server.EmbedConfig)) *own {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	o := &own{ctx: ctx, log: &logtest.Book{}, ended: make(chan server.End, 16), returned: make(chan struct{}, 16)}
	o.config = config()
	o.config.Logger = slog.New(slog.NewTextHandler(o.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	if change != nil {
		change(&o.config)
	}
	var err error
	if o.Embedded, err = server.Embed(ctx, o.config); err != nil {
		t.Fatal(err)
	}
	o.SetHooks(server.Hooks{
		Ended:    func(end server.End) { o.ended <- end },
		Returned: func() { o.returned <- struct{}{} },
	})
	t.Cleanup(func() {
		if err := o.Stop(context.WithoutCancel(ctx)); err != nil {
			t.Errorf("stop: %v", err)
		}
		if strings.Contains(o.log.String(), testSecret) {
			t.Error("the secret is in the log")
		}
	})
	return o
}

// signal sends the child a signal.
func (o *own) signal(t *testing.T, s syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(o.Process(), s); err != nil {
		t.Fatal(err)
	}
}

// end waits until the child has ended and another one has started.
func (o *own) end(t *testing.T) server.End {
	t.Helper()
	var end server.End
	select {
	case end = <-o.ended:
	case <-o.ctx.Done():
		t.Fatalf("the child does not end\n%s", o.log)
	}
	select {
	case <-o.returned:
	case <-o.ctx.Done():
		t.Fatalf("the child does not come back\n%s", o.log)
	}
	return end
}

// The child can be killed repeatedly. Each time it returns on the same port,
// with its rooms gone.
func TestTheChildComesBack(t *testing.T) {
	t.Parallel()
	o := newOwn(t, nil)
	upstream, before := o.Upstream(), 0
	for range 5 {
		room, err := o.EnsureRoom(o.ctx, "r")
		check(t, err)
		pid := o.Process()
		if pid == before || pid == 0 {
			t.Errorf("the process is %d, and was %d before it was killed", pid, before)
		}
		before = pid
		killed := time.Now()
		o.signal(t, syscall.SIGKILL)
		end := o.end(t)
		t.Logf("back after %s", time.Since(killed).Round(time.Millisecond))
		if end.Status != "signal: killed" || end.Hung {
			t.Errorf("the child ended with %+v", end)
		}
		check(t, o.Ready(o.ctx))
		again, err := o.EnsureRoom(o.ctx, "r")
		check(t, err)
		if again.Generation == room.Generation {
			t.Error("the room is the one of before")
		}
		if _, err := os.Stat(fmt.Sprintf("/proc/%d", pid)); err == nil {
			t.Error("the process that was killed is a zombie")
		}
	}
	if o.Upstream() != upstream {
		t.Errorf("the child is at %s now, and was at %s", o.Upstream(), upstream)
	}
}

// A child that no longer answers is killed.
func TestAChildThatHangsIsStartedAgain(t *testing.T) {
	t.Parallel()
	o := newOwn(t, func(c *server.EmbedConfig) { c.AskEvery = 200 * time.Millisecond })
	o.signal(t, syscall.SIGSTOP)
	if end := o.end(t); !end.Hung {
		t.Errorf("the child ended with %+v", end)
	}
	check(t, o.Ready(o.ctx))
}

// The child ignores the signals that a terminal or a service manager sends to
// all processes of a service.
func TestSignalsForTheServiceDoNotEndTheChild(t *testing.T) {
	t.Parallel()
	o := newOwn(t, nil)
	before := o.Process()
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		o.signal(t, s)
	}
	for range 3 {
		check(t, o.Ready(o.ctx))
	}
	if o.Process() != before || len(o.ended) > 0 {
		t.Error("the signals ended the child")
	}
	if group, err := syscall.Getpgid(before); err != nil || group == syscall.Getpgrp() {
		t.Errorf("the child is in the process group %d of its parent (%v)", group, err)
	}
}

// A participant's message makes LiveKit panic. The log says where, and the
// media server is started again.
func TestAPanicIsLogged(t *testing.T) {
	t.Parallel()
	o := newOwn(t, nil)
	if _, err := o.EnsureRoom(o.ctx, "r"); err != nil {
		t.Fatal(err)
	}
	token, err := o.MintToken((&place{room: "r"}).grant("eve"))
	check(t, err)
	eve := mediatest.Join(t, mediaclient.Options{
		URL: o.Upstream(), Token: token, Passphrase: "x",
		Craft: func(r *livekit.AddTrackRequest) { r.Layers = []*livekit.VideoLayer{{Quality: -1}} },
	})
	publishing, enough := context.WithCancel(o.ctx)
	defer enough()
	go func() { _, _ = eve.Publish(publishing, media.Camera) }()
	end := o.end(t)
	if !strings.HasPrefix(end.Trace, "panic: ") || !strings.Contains(end.Trace, "goroutine ") || end.Status == "" {
		t.Errorf("the child ended with %+v", end)
	}
	first, _, _ := strings.Cut(end.Trace, "\n")
	if !strings.Contains(o.log.String(), first) {
		t.Errorf("%q is not in the log", first)
	}
	t.Logf("status %s, %s", end.Status, first)
	check(t, o.Ready(o.ctx))
}

// LiveKit's log lines appear in our log, with their level and origin.
func TestTheChildsLogIsCarriedOver(t *testing.T) {
	t.Parallel()
	o := newOwn(t, nil)
	if _, err := o.EnsureRoom(o.ctx, "r"); err != nil {
		t.Fatal(err)
	}
	check(t, o.Stop(o.ctx))
	if !strings.Contains(o.log.String(), `level=DEBUG msg="starting LiveKit server" from=livekit`) {
		t.Errorf("the log holds\n%s", o.log)
	}
}

// Other programs may read a process's arguments, environment and open files.
func TestTheChildHoldsNothingOfItsParent(t *testing.T) {
	t.Parallel()
	o := newOwn(t, nil)
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	check(t, err)
	defer func() { _ = listener.Close() }()
	check(t, syscall.Kill(o.Process(), syscall.SIGKILL)) // the next child is started while the listener is open
	o.end(t)
	dir := fmt.Sprintf("/proc/%d", o.Process())
	for _, name := range []string{"cmdline", "environ"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		check(t, err)
		if bytes.Contains(text, []byte(testSecret)) || bytes.Contains(text, []byte("CONCLAVE_")) {
			t.Errorf("%s is %q", name, text)
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, "oom_score_adj")); err != nil || strings.TrimSpace(string(text)) != "500" {
		t.Errorf("oom_score_adj is %q, %v", text, err)
	}
	ours := sockets(t, "/proc/self/fd")
	for _, socket := range sockets(t, filepath.Join(dir, "fd")) {
		if slices.Contains(ours, socket) {
			t.Errorf("the child holds its parent's %s", socket)
		}
	}
}

// sockets returns the sockets and files of a process, without pipes, which are
// shared on purpose.
func sockets(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	check(t, err)
	var out []string
	for _, e := range entries {
		if to, err := os.Readlink(filepath.Join(dir, e.Name())); err == nil && (strings.HasPrefix(to, "socket:") || strings.HasPrefix(to, "/") && !strings.HasPrefix(to, "/dev/") && !strings.HasPrefix(to, "/sys/")) {
			out = append(out, to)
		}
	}
	return out
}

// A port that another program uses is an error at the first start. Later starts
// are repeated until the port is free.
func TestATakenPortFailsTheFirstStartOnly(t *testing.T) {
	t.Parallel()
	taken, err := (&net.ListenConfig{}).ListenPacket(t.Context(), "udp", "127.0.0.1:0")
	check(t, err)
	defer func() { _ = taken.Close() }()
	c := config()
	c.UDPPort = taken.LocalAddr().(*net.UDPAddr).Port
	if e, err := server.Embed(t.Context(), c); err == nil || !strings.Contains(err.Error(), "address already in use") {
		t.Errorf("embedded on a port that is taken: %v", err)
		if err == nil {
			_ = e.Stop(t.Context())
		}
	}

	port, err := (&net.ListenConfig{}).ListenPacket(t.Context(), "udp", "127.0.0.1:0")
	check(t, err)
	check(t, port.Close())
	o := newOwn(t, func(c *server.EmbedConfig) { c.UDPPort = port.LocalAddr().(*net.UDPAddr).Port })
	var thief net.PacketConn
	o.SetHooks(server.Hooks{
		Ended: func(server.End) { // called before the next start
			var err error
			thief, err = (&net.ListenConfig{}).ListenPacket(o.ctx, "udp", port.LocalAddr().String())
			check(t, err)
			o.ended <- server.End{}
		},
		Returned: func() { o.returned <- struct{}{} },
	})
	o.signal(t, syscall.SIGKILL)
	<-o.ended
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for strings.Count(o.log.String(), "does not start; trying again") < 2 {
		select {
		case <-again.C:
		case <-o.ctx.Done():
			t.Fatalf("the start is not tried again\n%s", o.log)
		}
	}
	if err := o.Ready(o.ctx); err == nil {
		t.Error("the child is ready without its port")
	}
	check(t, thief.Close())
	<-o.returned
	check(t, o.Ready(o.ctx))
}

// LiveKit's metrics come from the child, and those of its process have a label
// that ours lack.
func TestTheChildsMetrics(t *testing.T) {
	t.Parallel()
	o := newOwn(t, nil)
	families, err := o.Gather()
	check(t, err)
	found := map[string]bool{}
	for _, f := range families {
		found[f.GetName()] = true
		own := strings.HasPrefix(f.GetName(), "go_") || strings.HasPrefix(f.GetName(), "process_")
		for _, m := range f.GetMetric() {
			labelled := false
			for _, l := range m.GetLabel() {
				labelled = labelled || l.GetName() == "process" && l.GetValue() == "media"
			}
			if own != labelled {
				t.Errorf("%s: %v", f.GetName(), m)
			}
		}
	}
	for _, name := range []string{"livekit_room_total", "go_goroutines", "process_resident_memory_bytes"} {
		if !found[name] {
			t.Errorf("%s is missing", name)
		}
	}
	check(t, o.Stop(o.ctx))
	if families, err := o.Gather(); err != nil || len(families) > 0 {
		t.Errorf("after its end: %d families, %v", len(families), err)
	}
}

// A modified client opens data channels by the thousand. It is removed before
// they cost much memory, and nobody else notices.
func TestAClientThatOpensManyDataChannelsIsRemoved(t *testing.T) {
	t.Parallel()
	o := newOwn(t, nil)
	if _, err := o.EnsureRoom(o.ctx, "r"); err != nil {
		t.Fatal(err)
	}
	join := func(name string) *mediaclient.Participant {
		token, err := o.MintToken((&place{room: "r"}).grant(name))
		check(t, err)
		return mediatest.Join(t, mediaclient.Options{URL: o.Upstream(), Token: token, Passphrase: "x"})
	}
	ada, ben, eve := join("ada"), join("ben"), join("eve")
	if _, err := ada.Publish(o.ctx, media.Microphone); err != nil {
		t.Fatal(err)
	}
	check(t, ben.WaitFrames(o.ctx, "ada", media.Microphone, 10))
	before := memory(t, o.Process())
	opened, err := eve.OpenChannels(o.ctx, 1000)
	check(t, err)
	select {
	case <-eve.Gone():
	case <-o.ctx.Done():
		t.Fatal("she is still in")
	}
	if why := eve.GoneReason(); why != "PARTICIPANT_REMOVED" {
		t.Errorf("she is gone because of %q", why)
	}
	check(t, ben.WaitFrames(o.ctx, "ada", media.Microphone, 50))
	after := memory(t, o.Process())
	t.Logf("%d channels; %d MB before, %d MB after", opened, before>>20, after>>20)
	if after-before > 64<<20 { // a thousand channels with their buffers are that much
		t.Errorf("%d MB before, %d MB after", before>>20, after>>20)
	}
	if len(o.ended) > 0 {
		t.Error("the media server ended")
	}
}

// memory is how many bytes of private memory a process has.
func memory(t *testing.T, pid int) int64 {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	check(t, err)
	_, rest, _ := strings.Cut(string(text), "RssAnon:")
	var kilobytes int64
	if _, err := fmt.Sscan(rest, &kilobytes); err != nil {
		t.Fatal(err)
	}
	return kilobytes << 10
}
