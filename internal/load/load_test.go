package load

import (
	"errors"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/media/mediaclient"
)

func TestPercentiles(t *testing.T) {
	t.Parallel()
	m := newMeasures()
	for i := range 100 {
		m.add(joining, time.Duration(100-i)*time.Millisecond)
	}
	m.fail(voting, errors.New("the poll is closed"))
	got := m.summaries()
	want := []Summary{
		{Step: "join", Count: 100, P50: 50, P95: 95, P99: 99, Max: 100},
		{Step: "vote", Failed: 1},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestAPercentileOfFewTimesIsOneOfThem(t *testing.T) {
	t.Parallel()
	for share, want := range map[int]float64{0: 3, 50: 3, 51: 7, 95: 7, 100: 7} {
		if got := percentile([]time.Duration{3 * time.Millisecond, 7 * time.Millisecond}, share); got != want {
			t.Errorf("%d %%: got %v, want %v", share, got, want)
		}
	}
	if got := percentile(nil, 95); got != 0 {
		t.Errorf("of nothing: got %v", got)
	}
}

func TestReceived(t *testing.T) {
	t.Parallel()
	got := received(mediaclient.Reception{Packets: 100, Lost: 5, Frames: 10}, mediaclient.Reception{Packets: 490, Lost: 15, Frames: 30, Undecryptable: 2}, 2*time.Second)
	want := Media{Packets: 390, PacketsASecond: 195, Lost: 10, Loss: 2.5, FramesASecond: 10, Undecryptable: 2}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestUsageOfEachProcess(t *testing.T) {
	t.Parallel()
	var seconds atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		n := seconds.Add(1)
		_, _ = w.Write([]byte(strings.ReplaceAll(`# TYPE process_cpu_seconds_total counter
process_cpu_seconds_total N
process_cpu_seconds_total{process="media"} N0
# TYPE process_resident_memory_bytes gauge
process_resident_memory_bytes N000000
process_resident_memory_bytes{process="media"} 5000000
`, "N", string(rune('0'+n)))))
	}))
	defer s.Close()
	o := Options{Metrics: s.URL}
	r := &run{o: o, api: newCaller(&o)}
	one, two, three := r.usage(t.Context()), r.usage(t.Context()), r.usage(t.Context())
	got, unread := compare(one, two, three, 2*time.Second, 4*time.Second, 10)
	want := []Process{
		{Name: "service", Joining: 0.5, Holding: 0.25, PerJoin: 100, PerHead: 25, Memory: 3, PerPlace: 200},
		{Name: "media", Joining: 5, Holding: 2.5, PerJoin: 1000, PerHead: 250, Memory: 5},
	}
	if unread != "" || !slices.Equal(got, want) {
		t.Errorf("got %+v, %s, want %+v", got, unread, want)
	}
	s.Close()
	if _, unread := compare(one, two, r.usage(t.Context()), time.Second, time.Second, 10); unread == "" {
		t.Error("a reading failed, and nothing says so")
	}
}

func TestOptionsThatMakeNoLoadAreRefused(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Options){
		"no rooms":                     func(o *Options) { o.Rooms = 0 },
		"no people":                    func(o *Options) { o.People = 0 },
		"more cameras than people":     func(o *Options) { o.Cameras = 4 },
		"fewer microphones than 0":     func(o *Options) { o.Microphones = -2 },
		"51 breakout rooms":            func(o *Options) { o.Breakouts = 51 },
		"hosts alone, and a churn":     func(o *Options) { o.People, o.Cameras, o.Churn = 1, 0, 1 },
		"a length that is negative":    func(o *Options) { o.Hold = -time.Second },
		"a rate that is negative":      func(o *Options) { o.JoinRate = -1 },
		"a rate that is not a number":  func(o *Options) { o.JoinRate = math.NaN() },
		"more than 1,000 a second":     func(o *Options) { o.JoinRate = 1000.1 },
		"a churn that is negative":     func(o *Options) { o.Churn = -0.1 },
		"a churn that is not a number": func(o *Options) { o.Churn = math.NaN() },
		"a churn without an end":       func(o *Options) { o.Churn = math.Inf(1) },
		"60,001 knocks a minute":       func(o *Options) { o.Knocks = 60_001 },
		"knocks that are not a number": func(o *Options) { o.Knocks = math.NaN() },
		"a loss that is not a number":  func(o *Options) { o.Limits.Loss = ptr(math.NaN()) },
		"a loss of 101 percent":        func(o *Options) { o.Limits.Loss = ptr(101.0) },
		"failures below zero":          func(o *Options) { o.Limits.Failures = ptr(-1) },
		"a cost that is not a number":  func(o *Options) { o.Limits.CPU = math.NaN() },
		"a cost without metrics":       func(o *Options) { o.Limits.Memory, o.Metrics = 1, "" },
		"a p95 of 18 joins":            func(o *Options) { o.Rooms, o.Limits.JoinP95 = 6, time.Second },
		"a p95 of 18 first frames":     func(o *Options) { o.Rooms, o.Limits.FirstFrameP95 = 9, time.Second },
	} {
		o := Options{
			Rooms: 10, People: 3, Cameras: 3, Breakouts: 50, JoinRate: 1000, Churn: 0, Knocks: 60_000, Metrics: "http://localhost/metrics",
			Limits: Limits{JoinP95: time.Second, FirstFrameP95: time.Second, Loss: ptr(0.0), CPU: 1, Memory: 1, Failures: ptr(0)},
		}
		if err := o.check(); err != nil {
			t.Fatalf("these are fine: %v", err)
		}
		change(&o)
		if o.check() == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

func ptr[T any](v T) *T { return &v }

// A timer cannot wait for ever, and not for less than nothing.
func TestAnIntervalIsAYearAtMost(t *testing.T) {
	t.Parallel()
	for rate, want := range map[float64]time.Duration{1000: time.Millisecond, 0.5: 2 * time.Second, 1e-300: 365 * 24 * time.Hour} {
		if got := interval(time.Second, rate); got != want {
			t.Errorf("%v a second: every %v, want %v", rate, got, want)
		}
	}
}

// The service's limits slow a run down, and do not end it.
func TestARefusalForNowIsTriedAgain(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) == 1 {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
		}
	}))
	defer s.Close()
	if err := newCaller(&Options{Service: s.URL}).do(t.Context(), http.MethodGet, "/", nil, nil); err != nil || asked.Load() != 2 {
		t.Errorf("asked %d times: %v", asked.Load(), err)
	}
}
