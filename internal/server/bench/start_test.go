package bench

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/config"
	"github.com/conclave-rooms/conclave/internal/media/fake"
	"github.com/conclave-rooms/conclave/internal/server"
)

// BinaryEnv names the environment variable with the path of the binary to
// measure; without it, the one that `make build` makes is measured.
const BinaryEnv = "CONCLAVE_BENCH_BINARY"

// idleFor is how long the service is left alone before its memory is read.
const idleFor = 5 * time.Second

// BenchmarkStart measures the built binary, with its embedded media server, on
// SQLite: the time from exec to the first 200 of /readyz (the median of five
// starts), and the memory of its two processes while nobody uses it.
func BenchmarkStart(b *testing.B) {
	binary := builtBinary(b)
	b.Run("fresh", func(b *testing.B) {
		startAndIdle(b, binary, func() string { return b.TempDir() })
	})
	b.Run("rooms=1000", func(b *testing.B) {
		dir := b.TempDir()
		prepare(b, dir, 1000)
		startAndIdle(b, binary, func() string { return dir })
	})
}

func builtBinary(b *testing.B) string {
	b.Helper()
	binary := os.Getenv(BinaryEnv)
	if binary == "" {
		binary = filepath.Join("..", "..", "..", "bin", "conclave")
	}
	if _, err := os.Stat(binary); err != nil {
		b.Skipf("there is no binary to start: `make build` makes one, or set %s (%v)", BinaryEnv, err)
	}
	return binary
}

// prepare makes rooms in a data directory before a service uses it.
func prepare(b *testing.B, dir string, rooms int) {
	b.Helper()
	c := config.Serve{Data: config.Data{Data: dir, PublicURL: "http://localhost:8080"}, RateLimits: "off", StopTimeout: time.Second}
	s, err := server.New(b.Context(), c, slog.New(slog.DiscardHandler), server.Options{Media: fake.New(time.Now)})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	r := &rig{Server: s}
	var p auth.Principal
	p, _ = r.workspace(b)
	r.rooms(b, p, rooms)
}

func startAndIdle(b *testing.B, binary string, dir func() string) {
	b.Helper()
	b.ReportMetric(0, "ns/op")
	for range b.N {
		var ready []time.Duration
		for range 4 {
			p, took := launch(b, binary, dir())
			ready = append(ready, took)
			p.stop(b)
		}
		p, took := launch(b, binary, dir())
		ready = append(ready, took)
		time.Sleep(idleFor) // the idle service is what is measured
		memory := memoryOf(b, p.cmd.Process.Pid)
		mediaMemory := map[string]float64{}
		for _, child := range p.children(b) {
			mediaMemory = memoryOf(b, child)
		}
		p.stop(b)
		b.ReportMetric(millis(percentile(ready, 0.5)), "ready-ms")
		b.ReportMetric(millis(percentile(ready, 1)), "slowest-ms")
		b.ReportMetric(memory["VmRSS"], "rss-MB")
		b.ReportMetric(memory["RssAnon"], "anon-MB") // its own memory; the rest is the binary's file, shared and freed when needed
		b.ReportMetric(mediaMemory["VmRSS"], "media-rss-MB")
		b.ReportMetric(mediaMemory["RssAnon"], "media-anon-MB")
	}
}

// process is a running binary.
type process struct{ cmd *exec.Cmd }

// launch starts the binary and waits until it is ready. The binary chooses its
// port: a process that repeatedly connects to a free port may be given that
// port as its own, and would then connect to itself.
func launch(b *testing.B, binary, dir string) (*process, time.Duration) {
	b.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(b.Context()), binary, "serve", "--data", dir, "--listen", "127.0.0.1:0",
		"--media-udp-port", "0", "--media-tcp-port", port(b, freeAddress(b, "tcp")))
	cmd.Env = []string{"HOME=" + dir}
	log, err := cmd.StderrPipe()
	if err != nil {
		b.Fatal(err)
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	p := &process{cmd: cmd}
	b.Cleanup(func() { _ = cmd.Process.Kill() })
	address := answersAt(b, log)
	client := &http.Client{Timeout: time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	for time.Since(began) < 30*time.Second {
		if status, err := get(b, client, "http://"+address+"/readyz"); err == nil && status == http.StatusOK {
			return p, time.Since(began)
		}
		time.Sleep(time.Millisecond) // there is no signal for it
	}
	b.Fatal("the service was not ready within 30 s")
	return nil, 0
}

// answersAt reads a service's log until it says where the service listens, and
// then discards the rest.
func answersAt(b *testing.B, log io.Reader) string {
	b.Helper()
	var said strings.Builder
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		said.WriteString(lines.Text() + "\n")
		if _, address, ok := strings.Cut(lines.Text(), " listen="); ok && strings.Contains(lines.Text(), "the service answers") {
			go func() { _, _ = io.Copy(io.Discard, log) }()
			return address
		}
	}
	b.Fatalf("the service has ended before it answered:\n%s", said.String())
	return ""
}

func port(b *testing.B, address string) string {
	b.Helper()
	_, p, err := net.SplitHostPort(address)
	if err != nil {
		b.Fatal(err)
	}
	return p
}

func get(b *testing.B, client *http.Client, url string) (int, error) {
	b.Helper()
	req, err := http.NewRequestWithContext(b.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		b.Fatal(err)
	}
	res, err := client.Do(req)
	if err != nil {
		return 0, err //nolint:wrapcheck // the caller tries again
	}
	_ = res.Body.Close()
	return res.StatusCode, nil
}

// children are the processes that this process has started.
func (p *process) children(b *testing.B) []int {
	b.Helper()
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", p.cmd.Process.Pid))
	if err != nil {
		b.Fatal(err)
	}
	var out []int
	for _, task := range tasks {
		text, err := os.ReadFile(task)
		if err != nil {
			continue // the thread has ended
		}
		for _, field := range strings.Fields(string(text)) {
			pid, err := strconv.Atoi(field)
			if err != nil {
				b.Fatal(err)
			}
			out = append(out, pid)
		}
	}
	return out
}

// memoryOf reads from the kernel how much memory a process uses, in megabytes.
func memoryOf(b *testing.B, pid int) map[string]float64 {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Fatal(err)
	}
	out := map[string]float64{}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) != 3 || fields[2] != "kB" {
			continue
		}
		kilobytes, err := strconv.ParseFloat(fields[1], 64)
		if err != nil {
			b.Fatal(err)
		}
		out[strings.TrimSuffix(fields[0], ":")] = kilobytes / 1000
	}
	return out
}

// stop stops the process as an operator does.
func (p *process) stop(b *testing.B) {
	b.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		b.Fatal(err)
	}
	if err := p.cmd.Wait(); err != nil {
		b.Fatalf("the service ended with: %v", err)
	}
}
