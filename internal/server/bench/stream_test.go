package bench

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
)

// BenchmarkFanOut measures the time from a change of a room's settings, sent
// by the API, to the devices that follow the meeting having it, each on a
// connection of its own. 40 ms of it are deliberate: the service gathers changes
// that come close together into one message.
//
// Turning chat off only has to be told. Who may share a screen is also a right
// that the media server enforces, so the service tells it of every person.
func BenchmarkFanOut(b *testing.B) {
	each(b, func(b *testing.B, r *rig) {
		for _, people := range []int{100, 500} {
			b.Run(fmt.Sprintf("people=%d", people), func(b *testing.B) {
				m := meet(b, r, people)
				b.Run("chat", func(b *testing.B) {
					m.fanOut(b, change{`{"settings": {"chat": false}}`, `"chat":false`}, change{`{"settings": {"chat": true}}`, `"chat":true`})
				})
				b.Run("screen_share", func(b *testing.B) {
					m.fanOut(b, change{`{"settings": {"screen_share": "hosts"}}`, `"screen_share":"hosts"`},
						change{`{"settings": {"screen_share": "everyone"}}`, `"screen_share":"everyone"`})
				})
			})
		}
	})
}

// meeting is one with people in it, each following it.
type meeting struct {
	r      *rig
	key    string
	roomID string
	people int

	wanted atomic.Pointer[string] // what the room part has to say
	having chan time.Time         // when a device had it
	bytes  atomic.Int64           // that devices received
}

// meet lets people join a room's link, as a browser does, and follow it.
func meet(b *testing.B, r *rig, people int) *meeting {
	b.Helper()
	p, key := r.workspace(b)
	m := &meeting{r: r, key: key, roomID: r.rooms(b, p, 1), people: people, having: make(chan time.Time, people)}
	var room api.Room
	r.call(b, http.MethodGet, "/api/v1/rooms/"+m.roomID, key, "", &room)
	tickets := make([]string, people)
	for i := range tickets {
		var seat struct{ Ticket, Token string }
		r.call(b, http.MethodPost, "/meet/v1/join", "", fmt.Sprintf(`{"code": %q, "name": "Person %d"}`, room.Code, i+1), &seat)
		r.connect(b, seat.Token)
		tickets[i] = seat.Ticket
	}
	r.Live.Quiesce()
	var list api.List[api.Participant]
	r.call(b, http.MethodGet, "/api/v1/rooms/"+m.roomID+"/participants", key, "", &list)
	if len(list.Data) != people {
		b.Fatalf("%d people are in the meeting, want %d", len(list.Data), people)
	}
	first := `"chat":true`
	m.wanted.Store(&first)
	for _, ticket := range tickets {
		m.follow(b, ticket)
	}
	m.await(b)
	return m
}

// connect lets somebody through the gate and into the media server.
func (r *rig) connect(b *testing.B, token string) {
	b.Helper()
	upstream, _, err := r.Joins.Admit(b.Context(), token)
	if err == nil {
		_, err = r.media.Connect(upstream)
	}
	if err != nil {
		b.Fatal(err)
	}
}

// follow opens one device's stream and reads it until the benchmark is over.
func (m *meeting) follow(b *testing.B, ticket string) {
	b.Helper()
	c := dial(b, m.r.address)
	c.in = bufio.NewReaderSize(io.TeeReader(c.conn, counter{&m.bytes}), 16<<10)
	res, err := c.send(request(http.MethodGet, "/meet/v1/events", ticket, ""))
	if err != nil || res.StatusCode != http.StatusOK {
		b.Fatalf("follow the meeting: %v, %v", res, err)
	}
	go func() {
		lines := bufio.NewReaderSize(res.Body, 16<<10)
		inRoom := false
		for {
			line, err := lines.ReadSlice('\n')
			if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
				return // the connection was closed
			}
			switch {
			case bytes.HasPrefix(line, []byte("event: ")):
				inRoom = bytes.Equal(line, []byte("event: room\n"))
			case inRoom && bytes.HasPrefix(line, []byte("data: ")) && bytes.Contains(line, []byte(*m.wanted.Load())):
				m.having <- time.Now()
			}
		}
	}()
}

type counter struct{ n *atomic.Int64 }

// Write counts.
func (c counter) Write(p []byte) (int, error) {
	c.n.Add(int64(len(p)))
	return len(p), nil
}

// await waits until every device had what is wanted, and says when.
func (m *meeting) await(b *testing.B) []time.Time {
	b.Helper()
	at := make([]time.Time, 0, m.people)
	late := time.After(2 * time.Minute)
	for len(at) < m.people {
		select {
		case t := <-m.having:
			at = append(at, t)
		case <-late:
			b.Fatalf("%d of %d devices heard of the change", len(at), m.people)
		}
	}
	return at
}

// change is a body of PATCH, and what the room part says afterwards.
type change struct{ body, says string }

// fanOut changes the room there and back, and there, and back.
func (m *meeting) fanOut(b *testing.B, there, back change) {
	b.Helper()
	var last, middle []time.Duration
	m.bytes.Store(0)
	used := processTime(b)
	b.ResetTimer()
	for i := range b.N {
		c := there
		if i%2 == 1 {
			c = back
		}
		took := m.apply(b, c)
		last, middle = append(last, percentile(took, 1)), append(middle, percentile(took, 0.5))
	}
	b.StopTimer()
	used = processTime(b) - used
	b.ReportMetric(millis(percentile(last, 0.5)), "last-ms")
	b.ReportMetric(millis(percentile(middle, 0.5)), "median-ms")
	b.ReportMetric(millis(used)/float64(b.N), "cpu-ms/change")
	b.ReportMetric(float64(m.bytes.Load())/float64(b.N)/float64(m.people), "B/device")
	m.apply(b, back) // the next benchmark finds the room as this one did
}

// apply changes the room, unless it is so already, and says how long each
// device waited for it. It returns when the media server knows of it too.
func (m *meeting) apply(b *testing.B, c change) []time.Duration {
	b.Helper()
	if *m.wanted.Load() == c.says {
		return nil
	}
	m.wanted.Store(&c.says)
	began := time.Now()
	m.r.call(b, http.MethodPatch, "/api/v1/rooms/"+m.roomID, m.key, c.body, nil)
	took := m.await(b)
	m.r.Live.Quiesce()
	out := make([]time.Duration, len(took))
	for i, at := range took {
		out[i] = at.Sub(began)
	}
	return out
}

// processTime is the processor time that this process has used.
func processTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
