package main_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
)

// Every change that was acknowledged survives a crash at any moment, with its
// event.
func TestNothingAcknowledgedIsLostInACrash(t *testing.T) {
	t.Parallel()
	for _, engine := range []db.Engine{db.SQLite, db.PostgreSQL} {
		t.Run(string(engine), func(t *testing.T) {
			t.Parallel()
			where := dbtest.Empty(t, engine)
			_, key := newKey(t, where)
			p := start(t, "serve", where)
			acknowledged := makeRoomsUntilKilled(t, p, key)
			p = start(t, "serve", where)
			rooms := everyRoom(p, key)
			for id := range acknowledged {
				if rooms[id] == "" {
					t.Errorf("the room %s was acknowledged and is gone", id)
				}
			}
			checkOneEventEach(t, where)
			t.Logf("%d rooms were acknowledged, %d are there", len(acknowledged), len(rooms))
			p.stop()
		})
	}
}

// makeRoomsUntilKilled makes rooms from several clients at once, kills the
// service meanwhile, and returns the ids of those that it had acknowledged.
func makeRoomsUntilKilled(t *testing.T, p *process, key string) map[string]bool {
	t.Helper()
	const enough = 80
	var (
		mu           sync.Mutex
		acknowledged = map[string]bool{}
		reached      = make(chan struct{})
		makers       sync.WaitGroup
	)
	for range 4 {
		makers.Go(func() {
			for {
				res, err := p.send(http.MethodPost, "/api/v1/rooms", key, `{"name": "Room"}`)
				if err != nil {
					return // killed
				}
				var r api.Room
				err = json.NewDecoder(res.Body).Decode(&r)
				_ = res.Body.Close()
				if err != nil || res.StatusCode != http.StatusCreated {
					return
				}
				mu.Lock()
				acknowledged[r.ID] = true
				if len(acknowledged) == enough {
					close(reached)
				}
				mu.Unlock()
			}
		})
	}
	select {
	case <-reached:
	case <-time.After(patience):
		t.Errorf("the service is too slow\n%s", p.log)
	}
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	p.wait()
	makers.Wait()
	return acknowledged
}

// everyRoom lists all rooms, page by page, and returns their names by id.
func everyRoom(p *process, key string) map[string]string {
	p.t.Helper()
	rooms := map[string]string{}
	for after := ""; ; {
		var page api.List[api.Room]
		p.get("/api/v1/rooms?limit=100"+after, key, &page)
		for _, r := range page.Data {
			rooms[r.ID] = r.Name
			after = "&starting_after=" + r.ID
		}
		if !*page.HasMore {
			return rooms
		}
	}
}

// After SIGTERM, devices that follow a meeting are notified, requests finish,
// and the service exits with status 0 in time.
func TestTheServiceStopsProperly(t *testing.T) {
	t.Parallel()
	where := dbtest.Empty(t, db.SQLite)
	_, key := newKey(t, where)
	p := start(t, "serve", where)
	_, body := p.call(http.MethodPost, "/api/v1/rooms", key, `{"name": "Weekly"}`)
	var room api.Room
	if err := json.Unmarshal(body, &room); err != nil {
		t.Fatal(err)
	}
	var seat struct{ Ticket string }
	status, body := p.call(http.MethodPost, "/meet/v1/join", "", fmt.Sprintf(`{"code": %q, "name": "Ada"}`, room.Code))
	if err := json.Unmarshal(body, &seat); err != nil || status != http.StatusOK {
		t.Fatalf("join: %d %s", status, body)
	}
	stream, err := p.send(http.MethodGet, "/meet/v1/events", seat.Ticket, "")
	if err != nil || stream.StatusCode != http.StatusOK {
		t.Fatalf("follow: %v %v", stream, err)
	}
	defer func() { _ = stream.Body.Close() }()
	events := bufio.NewReader(stream.Body)
	waitFor(t, events, "event: door")

	slow := begin(t, p, key, `{"name": "`, `Begun before the end"}`)
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	told := time.Now()
	waitFor(t, events, "event: restarting")
	if line := slow(); !strings.Contains(line, "201") {
		t.Errorf("the request under way is answered %q", line)
	}
	if status := p.wait(); status != 0 {
		t.Errorf("the exit status is %d\n%s", status, p.log)
	}
	if took := time.Since(told); took > 10*time.Second {
		t.Errorf("stopping took %v", took)
	}
	if strings.Contains(p.log.String(), "level=ERROR") {
		t.Errorf("the log has errors:\n%s", p.log)
	}

	// The request under way has made its room.
	p = start(t, "serve", where)
	names := everyRoom(p, key)
	if len(names) != 2 {
		t.Errorf("the rooms are %v", names)
	}
	p.stop()
}

// waitFor reads a stream up to a line.
func waitFor(t *testing.T, r *bufio.Reader, line string) {
	t.Helper()
	for {
		got, err := r.ReadString('\n')
		if err != nil {
			t.Fatalf("the stream ended before %q: %v", line, err)
		}
		if strings.TrimSpace(got) == line {
			return
		}
	}
}

// begin sends a request except for its end. The returned function sends the end
// and reads the first line of the answer.
func begin(t *testing.T, p *process, key, head, tail string) func() string {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(p.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_, err = fmt.Fprintf(conn, "POST /api/v1/rooms HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n",
		key, len(head)+len(tail))
	if err != nil {
		t.Fatal(err)
	}
	// The service asks for the body once it works on the request.
	answers := bufio.NewReader(conn)
	waitFor(t, answers, "HTTP/1.1 100 Continue")
	waitFor(t, answers, "")
	if _, err := fmt.Fprint(conn, head); err != nil {
		t.Fatal(err)
	}
	return func() string {
		if _, err := fmt.Fprint(conn, tail); err != nil {
			return err.Error()
		}
		line, err := answers.ReadString('\n')
		if err != nil {
			return err.Error()
		}
		return line
	}
}

// A start that cannot work is refused in a sentence that names the setting.
func TestAStartThatCannotWorkNamesTheSetting(t *testing.T) {
	t.Parallel()
	busy, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = busy.Close() }) // the subtests run after this function
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args   []string
		status int
		says   string
	}{
		{[]string{"--public-url", "meet.example.com"}, 1, "--public-url"},
		{[]string{"--public-url", "https://example.com/meet"}, 1, "--public-url"},
		{[]string{"--database-url", "mysql://localhost/x"}, 1, "--database-url"},
		{[]string{"--database-url", "postgres://127.0.0.1:1/nothing"}, 1, "database"},
		{[]string{"--listen", "nowhere"}, 1, "--listen"},
		{[]string{"--listen", busy.Addr().String()}, 1, busy.Addr().String()},
		{[]string{"--metrics-listen", "nowhere"}, 1, "--metrics-listen"},
		{[]string{"--tls-cert", file}, 1, "--tls-key"},
		{[]string{"--tls-cert", "no-such-file", "--tls-key", file}, 1, "--tls-cert"},
		{[]string{"--tls-cert", file, "--tls-key", "no-such-file"}, 1, "--tls-key"},
		{[]string{"--media-udp-port", "70000"}, 1, "--media-udp-port"},
		{[]string{"--media-tcp-port=-1"}, 1, "--media-tcp-port"},
		{[]string{"--media-node-ip", "here"}, 1, "--media-node-ip"},
		{[]string{"--media-url", "https://livekit.example.com"}, 1, "--media-url"},
		{[]string{"--media-url", "wss://livekit.example.com"}, 1, "--media-api-key"},
		{[]string{"--redis-url", "localhost"}, 1, "--redis-url"},
		{[]string{"--trusted-proxy", "10.0.0.1"}, 1, "--trusted-proxy"},
		{[]string{"--frame-ancestor", "example.com"}, 1, "--frame-ancestor"},
		{[]string{"--stop-timeout", "0s"}, 1, "--stop-timeout"},
		{[]string{"--master-key", "short"}, 1, "--master-key"},
		{[]string{"--rate-limits", "maybe"}, 1, "--rate-limits"},
		{[]string{"--log-level", "loud"}, 2, "--log-level"},
		{[]string{"--data", file}, 1, "data directory"},
		{[]string{"--config", file}, 2, "--config"},
		{[]string{"--no-such-flag"}, 2, "--no-such-flag"},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			t.Parallel()
			args := append([]string{
				"serve", "--data", t.TempDir(), "--listen", "127.0.0.1:0", "--media-udp-port", "0", "--media-tcp-port", "0", "--media-node-ip", "127.0.0.1", "--log-level", "error",
			}, c.args...)
			r := command(t, args...)
			_, sentence, found := strings.Cut(r.stderr, "conclave: ")
			if r.status != c.status || !found || !strings.Contains(sentence, c.says) || strings.Contains(r.stderr, "goroutine ") {
				t.Errorf("status %d, %s; want status %d and a sentence with %q", r.status, r.stderr, c.status, c.says)
			}
		})
	}
}

// A person who corrects the command then starts with the settings that they meant,
// not with data that a first try has made.
func TestAMistakeInTheSettingsLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	for _, args := range []string{"--rate-limits maybe", "--tls-cert no-such-file --tls-key no-such-file"} {
		data := filepath.Join(t.TempDir(), "data")
		r := command(t, append([]string{"serve", "--data", data, "--listen", "127.0.0.1:0"}, strings.Fields(args)...)...)
		if _, err := os.Stat(data); r.status != 1 || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("conclave serve %s: status %d, %s; the data directory: %v", args, r.status, r.stderr, err)
		}
	}
}

// conclave dev prints where to go. A second start on the same data prints the
// same, because people can only note a key that does not change.
func TestDev(t *testing.T) {
	t.Parallel()
	where := db.Config{Dir: t.TempDir()}
	first := dev(t, where)
	second := dev(t, where)
	if first != second {
		t.Errorf("the second start prints %s, the first %s", second, first)
	}
}

// dev starts conclave dev, tries what it prints, and returns the key and the
// room.
func dev(t *testing.T, where db.Config) string {
	t.Helper()
	p := start(t, "dev", where)
	var key string
	select {
	case m := <-p.out.found:
		key = m[1]
	case <-time.After(patience):
		t.Fatalf("dev prints no key\n%s\n%s", p.out, p.log)
	}
	rooms := everyRoom(p, key)
	p.stop()
	m := regexp.MustCompile(`Room +http://localhost:8080/(\S+)`).FindStringSubmatch(p.out.String())
	if m == nil || len(rooms) != 1 {
		t.Fatalf("dev printed %s; the rooms are %v", p.out, rooms)
	}
	return m[1] + " " + key
}
