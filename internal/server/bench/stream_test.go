package bench

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/schema"
)

// BenchmarkFanOut measures the time from a change until the devices that follow
// the meeting have it, each on its own connection.
//
// Turning chat off only needs a message to each device. Who may share a screen
// is also enforced by the media server, so the service updates every person
// there. A raised hand sends the whole list of people to everybody in it.
func BenchmarkFanOut(b *testing.B) {
	each(b, func(b *testing.B, r *rig) {
		for _, people := range []int{100, 500} {
			b.Run(fmt.Sprintf("people=%d", people), func(b *testing.B) {
				m := meet(b, r, people)
				b.Run("chat", func(b *testing.B) {
					m.fanOut(b, m.settings(`{"chat": false}`, `"chat":false`), m.settings(`{"chat": true}`, `"chat":true`))
				})
				b.Run("screen-share", func(b *testing.B) {
					m.fanOut(b, m.settings(`{"screen_share": "hosts"}`, `"screen_share":"hosts"`),
						m.settings(`{"screen_share": "everyone"}`, `"screen_share":"everyone"`))
				})
				b.Run("hand", func(b *testing.B) { m.fanOut(b, m.hand(true), m.hand(false)) })
			})
			b.Run(fmt.Sprintf("whole/people=%d", people), func(b *testing.B) {
				m := gather(b, r, people, "meeting", "")
				b.Run("hand", func(b *testing.B) { m.fanOut(b, m.hand(true), m.hand(false)) })
			})
		}
	})
}

// BenchmarkWebinar measures the same in a webinar with 1,000 viewers: a viewer
// raises a hand, and a viewer is invited to the stage and moved back.
func BenchmarkWebinar(b *testing.B) {
	each(b, func(b *testing.B, r *rig) {
		m := gather(b, r, 1000, "webinar", "people")
		b.Run("hand", func(b *testing.B) { m.fanOut(b, m.hand(true), m.hand(false)) })
		b.Run("stage", func(b *testing.B) { m.fanOut(b, m.stage(http.MethodPost), m.stage(http.MethodDelete)) })
	})
}

// meeting is a meeting whose people all follow it.
type meeting struct {
	r      *rig
	key    string
	roomID string
	people int
	event  string // that carries the list of people
	// The first person, who is a viewer of a webinar.
	ticket, identity string

	wanted atomic.Pointer[change] // the change that devices wait for
	having chan time.Time         // receives when a device had it
	bytes  atomic.Int64           // received by the devices
}

// change is a request that changes something, and the event that announces it.
type change struct {
	method, path, bearer, body string
	event, says                string
}

// settings makes a change of the room's settings.
func (m *meeting) settings(settings, says string) change {
	return change{http.MethodPatch, "/api/v1/rooms/" + m.roomID, m.key, `{"settings": ` + settings + `}`, "room", says}
}

// hand makes a change of the first person's hand.
func (m *meeting) hand(raised bool) change {
	says := fmt.Sprintf(`"name":"Person 1","role":"participant","avatar":null,"hand_raised":%t`, raised)
	return change{http.MethodPost, "/meet/v1/hand", m.ticket, fmt.Sprintf(`{"raised": %t}`, raised), m.event, says}
}

// stage moves the first person of a webinar to the stage, or back.
func (m *meeting) stage(method string) change {
	says := fmt.Sprintf(`"cohost":false,"on_stage":%t`, method == http.MethodPost)
	return change{method, "/api/v1/rooms/" + m.roomID + "/participants/" + m.identity + "/stage", m.key, "", m.event, says}
}

// meet gathers people in a meeting who take the list of people as changes.
func meet(b *testing.B, r *rig, people int) *meeting {
	b.Helper()
	return gather(b, r, people, "meeting", "people")
}

// gather lets people join by a room's link, like browsers, and follow the
// meeting.
func gather(b *testing.B, r *rig, people int, kind, changes string) *meeting {
	b.Helper()
	p, key := r.workspace(b)
	made, err := r.Rooms.Create(b.Context(), p, schema.Filled(api.RoomCreate{Name: "Room"}), kind)
	if err != nil {
		b.Fatal(err)
	}
	m := &meeting{r: r, key: key, roomID: made.ID, people: people, event: "people", having: make(chan time.Time, people)}
	if changes == "people" {
		m.event = "people_changed"
	}
	tickets := make([]string, people)
	for i := range tickets {
		var seat struct{ Ticket, Token, Identity string }
		r.call(b, http.MethodPost, "/meet/v1/join", "", fmt.Sprintf(`{"code": %q, "name": "Person %d"}`, made.Code, i+1), &seat)
		r.connect(b, seat.Token)
		tickets[i] = seat.Ticket
		if i == 0 {
			m.ticket, m.identity = seat.Ticket, seat.Identity
		}
	}
	r.Live.Quiesce()
	var list api.List[api.Participant]
	r.call(b, http.MethodGet, "/api/v1/rooms/"+m.roomID+"/participants", key, "", &list)
	if len(list.Data) != people {
		b.Fatalf("%d people are in the meeting, want %d", len(list.Data), people)
	}
	start := m.hand(false)
	m.wanted.Store(&start)
	for _, ticket := range tickets {
		m.follow(b, ticket, changes)
	}
	m.await(b)
	return m
}

// connect connects a person through the gate to the media server.
func (r *rig) connect(b *testing.B, token string) {
	b.Helper()
	upstream, _, err := r.Joins.LetThrough(b.Context(), token)
	if err == nil {
		_, err = r.media.Connect(upstream)
	}
	if err != nil {
		b.Fatal(err)
	}
}

// follow opens one device's stream and reads it until the benchmark ends.
func (m *meeting) follow(b *testing.B, ticket, changes string) {
	b.Helper()
	c := dial(b, m.r.address)
	c.in = bufio.NewReaderSize(io.TeeReader(c.conn, counter{&m.bytes}), 16<<10)
	res, err := c.send(request(http.MethodGet, "/meet/v1/events?changes="+changes, ticket, ""))
	if err != nil || res.StatusCode != http.StatusOK {
		b.Fatalf("follow the meeting: %v, %v", res, err)
	}
	go func() {
		lines, event := bufio.NewScanner(res.Body), ""
		lines.Buffer(nil, 1<<20)
		for lines.Scan() { // until the connection is closed
			line := lines.Bytes()
			if name, ok := bytes.CutPrefix(line, []byte("event: ")); ok {
				event = string(name)
			}
			wanted := m.wanted.Load()
			if event == wanted.event && bytes.HasPrefix(line, []byte("data: ")) && bytes.Contains(line, []byte(wanted.says)) {
				m.having <- time.Now()
			}
		}
	}()
}

type counter struct{ n *atomic.Int64 }

// Write counts the bytes.
func (c counter) Write(p []byte) (int, error) {
	c.n.Add(int64(len(p)))
	return len(p), nil
}

// await waits until every device had the change, and returns the times.
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

// fanOut makes a change and takes it back, alternately.
//
// Each change comes alone, as people make them: one that follows another within 40 ms
// (settleFor in package stream) would wait for the rest of them.
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
		time.Sleep(50 * time.Millisecond) // between changes, so that one is measured and not a queue of them
		took := m.apply(b, c)
		last, middle = append(last, percentile(took, 1)), append(middle, percentile(took, 0.5))
	}
	b.StopTimer()
	used = processTime(b) - used
	b.ReportMetric(millis(percentile(last, 0.5)), "last-ms")
	b.ReportMetric(millis(percentile(middle, 0.5)), "median-ms")
	b.ReportMetric(millis(used)/float64(b.N), "cpu-ms/change")
	b.ReportMetric(float64(m.bytes.Load())/float64(b.N)/float64(m.people), "B/device")
	m.apply(b, back) // leaves the meeting as it was, for the next benchmark
}

// apply makes a change, unless it was the last one made, and returns how long
// each device waited for it. It returns once the media server has the change
// too.
func (m *meeting) apply(b *testing.B, c change) []time.Duration {
	b.Helper()
	if *m.wanted.Load() == c {
		return nil
	}
	m.wanted.Store(&c)
	began := time.Now()
	m.r.call(b, c.method, c.path, c.bearer, c.body, nil)
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
