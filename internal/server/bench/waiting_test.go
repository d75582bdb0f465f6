package bench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"
)

// fullWaitingRoom is how many people may wait for a room.
const fullWaitingRoom = 2000

// BenchmarkWaitingRoom measures a full waiting room. Everybody follows on their
// own connection until a host lets all of them in, or arrives. The time is from
// the request, or the host's connection, until the last device knows that it
// may enter; 40 ms of it are deliberate.
//
// The memory is that of a process with both ends of every connection, heap and
// stacks, for each visitor; "bare" is the same with a handler of net/http that
// sends a line and waits.
func BenchmarkWaitingRoom(b *testing.B) {
	each(b, func(b *testing.B, r *rig) {
		for _, way := range []string{"admit-all", "host-arrives"} {
			b.Run(way, func(b *testing.B) {
				var last, middle []time.Duration
				var arriving, letting, cpu time.Duration
				var memory float64
				for range b.N {
					began := time.Now()
					l := knockAll(b, r, way)
					arriving += time.Since(began)
					memory = l.memory
					used := processTime(b)
					took, answered := l.letIn(b)
					cpu += processTime(b) - used
					letting += answered
					last, middle = append(last, percentile(took, 1)), append(middle, percentile(took, 0.5))
					l.close()
				}
				b.ReportMetric(0, "ns/op") // most of it is arriving
				b.ReportMetric(memory, "KiB/visitor")
				b.ReportMetric(bareStreams(b), "bare-KiB/visitor")
				b.ReportMetric(float64(b.N)*fullWaitingRoom/arriving.Seconds(), "arrivals/s")
				b.ReportMetric(millis(letting)/float64(b.N), "request-ms")
				b.ReportMetric(millis(percentile(middle, 0.5)), "median-ms")
				b.ReportMetric(millis(percentile(last, 0.5)), "last-ms")
				b.ReportMetric(millis(cpu)/float64(b.N), "cpu-ms")
			})
		}
	})
}

// line is the people who wait for a room.
type line struct {
	letIn  func(b *testing.B) (took []time.Duration, answered time.Duration)
	memory float64 // KiB for each of them
	conns  []net.Conn
}

// close ends all their connections.
func (l *line) close() {
	for _, c := range l.conns {
		_ = c.Close()
	}
}

// knockAll lets everybody come to a room, several at once, and follow. If the
// room waits for its host, they come before the host; if they knock, the host
// is there and follows too.
func knockAll(b *testing.B, r *rig, way string) *line {
	b.Helper()
	p, key := r.workspace(b)
	roomID := r.rooms(b, p, 1)
	settings, waits := `{"settings": {"admission": "knock"}}`, `"decision":"knock"`
	if way == "host-arrives" {
		settings, waits = `{"settings": {"before_host": "wait"}}`, `"decision":"wait_for_host"`
	}
	var room struct{ Code string }
	r.call(b, http.MethodPatch, "/api/v1/rooms/"+roomID, key, settings, &room)
	var host struct{ Token, Ticket string }
	r.call(b, http.MethodPost, "/api/v1/rooms/"+roomID+"/tokens", key, `{"name": "Host", "role": "host"}`, &host)
	l := &line{}
	told := make(chan time.Time, 2*fullWaitingRoom)
	before := used()
	if way == "admit-all" {
		r.call(b, http.MethodPost, "/meet/v1/tickets", "", fmt.Sprintf(`{"token": %q}`, host.Token), &host)
		r.connect(b, host.Token)
		l.mustFollow(b, r.address, host.Ticket)
	}
	l.arrive(b, r, room.Code, waits, told)
	l.memory = (used() - before) / fullWaitingRoom / 1024
	l.letIn = func(b *testing.B) ([]time.Duration, time.Duration) {
		b.Helper()
		began := time.Now()
		if way == "admit-all" {
			r.call(b, http.MethodPost, "/meet/v1/admit-all", host.Ticket, "{}", nil)
		} else {
			r.connect(b, host.Token)
		}
		answered := time.Since(began)
		took := make([]time.Duration, fullWaitingRoom)
		for i, at := range await(b, told, fullWaitingRoom) {
			took[i] = at.Sub(began)
		}
		return took, answered
	}
	return l
}

// arrive lets everybody ask to join and follow. It returns when all of them
// know that they wait.
func (l *line) arrive(b *testing.B, r *rig, code, waits string, told chan time.Time) {
	b.Helper()
	waiting := make(chan time.Time, fullWaitingRoom)
	conns := make(chan net.Conn, fullWaitingRoom)
	t := &team{}
	for range 8 {
		client := &http.Client{Transport: &http.Transport{}}
		t.calls = append(t.calls, func() error {
			ticket, err := joins(b.Context(), client, r.address, code)
			if err != nil {
				return err
			}
			conn, err := follow(b.Context(), r.address, ticket, says{[]byte(waits), waiting}, says{[]byte(`"decision":"enter"`), told})
			conns <- conn
			return err
		})
	}
	if err := t.work(fullWaitingRoom); err != nil {
		b.Fatal(err)
	}
	close(conns)
	for conn := range conns {
		l.conns = append(l.conns, conn)
	}
	await(b, waiting, fullWaitingRoom)
}

// joins asks for a seat with a room's link, and returns its ticket.
func joins(ctx context.Context, client *http.Client, address, code string) (string, error) {
	body := strings.NewReader(fmt.Sprintf(`{"code": %q, "name": "Somebody"}`, code))
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+"/meet/v1/join", body)
	if err != nil {
		return "", fmt.Errorf("join: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := client.Do(req)
	if err != nil {
		return "", fmt.Errorf("join: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	var seat struct{ Ticket string }
	if err := json.NewDecoder(res.Body).Decode(&seat); err != nil {
		return "", fmt.Errorf("join: %w", err)
	}
	if seat.Ticket == "" {
		return "", fmt.Errorf("join: the answer is %s", res.Status)
	}
	return seat.Ticket, nil
}

// says is a text to look for in a stream, and where to report its time.
type says struct {
	word []byte
	when chan<- time.Time
}

// follow opens a stream and reads it until the connection is closed. It uses as
// little memory as it can.
func follow(ctx context.Context, address, ticket string, words ...says) (net.Conn, error) {
	conn, err := (&net.Dialer{Timeout: time.Minute}).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("follow: %w", err)
	}
	if _, err := conn.Write(request(http.MethodGet, "/meet/v1/events", ticket, "")); err != nil {
		return conn, fmt.Errorf("follow: %w", err)
	}
	go func() {
		lines := bufio.NewScanner(conn)
		lines.Buffer(make([]byte, 0, 1<<10), 4<<20)
		for lines.Scan() {
			for _, s := range words {
				if bytes.Contains(lines.Bytes(), s.word) {
					s.when <- time.Now()
				}
			}
		}
	}()
	return conn, nil
}

// mustFollow is follow, not measured.
func (l *line) mustFollow(b *testing.B, address, ticket string, words ...says) {
	b.Helper()
	conn, err := follow(b.Context(), address, ticket, words...)
	if err != nil {
		b.Fatal(err)
	}
	l.conns = append(l.conns, conn)
}

// await waits for n times.
func await(b *testing.B, told <-chan time.Time, n int) []time.Time {
	b.Helper()
	at := make([]time.Time, 0, n)
	late := time.After(5 * time.Minute)
	for len(at) < n {
		select {
		case t := <-told:
			at = append(at, t)
		case <-late:
			b.Fatalf("%d of %d devices were told", len(at), n)
		}
	}
	return at
}

// bareStreams is the memory of as many streams of a bare server, in KiB each.
func bareStreams(b *testing.B) float64 {
	b.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte("data: x\n\n"))
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	defer s.Close()
	l := &line{}
	defer l.close()
	heard := make(chan time.Time, fullWaitingRoom)
	before := used()
	for range fullWaitingRoom {
		l.mustFollow(b, s.Listener.Addr().String(), "", says{[]byte("data"), heard})
	}
	await(b, heard, fullWaitingRoom)
	return (used() - before) / fullWaitingRoom / 1024
}

// used is the memory in use: heap and stacks.
func used() float64 {
	runtime.GC()
	runtime.GC() // frees what the first one left in pools
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapInuse + m.StackInuse)
}
