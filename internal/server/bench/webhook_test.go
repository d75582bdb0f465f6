package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/schema"
)

// BenchmarkWebhook measures how quickly customers' servers receive events. They
// listen on loopback, answer at once, and keep their connections.
//
//   - latency: from the commit of an event, a hundred a second, until its
//     request reaches the only endpoint. The floor posts each event itself
//     right after its commit; both take turns.
//   - sustained: five hundred events for ten endpoints, until the last of the
//     five thousand deliveries has arrived.
//   - dead: ten endpoints, of which three are dead and have a backlog of 20,000
//     deliveries, in turns with a service where all ten are alive: how long
//     deliveries to living endpoints take in both, and ("quiet") in the latter
//     before there was a backlog. Dead endpoints take the connection and say
//     nothing; in "failing" one of the three is gone and one answers 500, so
//     that their attempts end quickly.
func BenchmarkWebhook(b *testing.B) {
	for _, engine := range []db.Engine{db.SQLite, db.PostgreSQL} {
		b.Run(string(engine), func(b *testing.B) {
			b.Run("latency", func(b *testing.B) { webhookLatency(b, engine) })
			b.Run("sustained", func(b *testing.B) { webhookSustained(b, engine) })
			b.Run("dead=stalled", func(b *testing.B) { webhookDead(b, engine, stalls, stalls, stalls) })
			b.Run("dead=failing", func(b *testing.B) { webhookDead(b, engine, stalls, nobody, fails) })
		})
	}
}

func webhookLatency(b *testing.B, engine db.Engine) {
	const turnsEach, each = 10, 100
	o := newOutlet(b, engine)
	receiver := o.endpoint(b, answers, api.EventRoomDeleted)
	o.tell(b, api.EventRoomDeleted, each, 10*time.Millisecond) // new connections compile their statements
	o.arrived(b, each)
	b.ResetTimer()
	var ours, bare []time.Duration
	for range turnsEach {
		o.tell(b, api.EventRoomDeleted, each, 10*time.Millisecond)
		ours = append(ours, o.arrived(b, each)...)
		o.direct = receiver // nobody is subscribed to the next ones
		o.tell(b, api.EventRoomUpdated, each, 10*time.Millisecond)
		bare = append(bare, o.arrived(b, each)...)
		o.direct = ""
	}
	b.ReportMetric(millis(percentile(ours, 0.5)), "p50-ms")
	b.ReportMetric(millis(percentile(ours, 0.99)), "p99-ms")
	b.ReportMetric(millis(percentile(bare, 0.5)), "floor-p50-ms")
	b.ReportMetric(millis(percentile(bare, 0.99)), "floor-p99-ms")
	b.ReportMetric(residentMB(b), "MB")
}

func webhookSustained(b *testing.B, engine db.Engine) {
	o := newOutlet(b, engine)
	for range 10 {
		o.endpoint(b, answers, api.EventRoomDeleted)
	}
	b.ResetTimer()
	began := time.Now()
	for range 10 { // as quickly as they can be committed, fifty at a time
		o.write(b, api.EventRoomDeleted, 50)
	}
	o.arrived(b, 5000)
	b.ReportMetric(5000/time.Since(began).Seconds(), "deliveries/s")
	b.ReportMetric(residentMB(b), "MB")
}

func webhookDead(b *testing.B, engine db.Engine, dead ...behaviour) {
	const backlog, each, turnsEach = 20_000, 40, 6
	well, ill := newOutlet(b, engine), newOutlet(b, engine)
	for range 10 - len(dead) {
		well.endpoint(b, answers, api.EventRoomDeleted)
		ill.endpoint(b, answers, api.EventRoomDeleted)
	}
	for _, how := range dead {
		well.endpoint(b, silently, api.EventRoomDeleted)
		ill.endpoint(b, how, api.EventRoomDeleted, api.EventRoomUpdated)
	}
	var quiet, fine, sick []time.Duration
	for range turnsEach {
		well.tell(b, api.EventRoomDeleted, each, 50*time.Millisecond)
		quiet = append(quiet, well.arrived(b, each*(10-len(dead)))...)
	}
	for queued := 0; queued < backlog; queued += 100 * len(dead) {
		ill.write(b, api.EventRoomUpdated, 100) // only the dead ones are subscribed to it
	}
	b.ResetTimer()
	for turn := range 2 * turnsEach {
		o, took := well, &fine
		if turn%2 == turn/2%2 { // first, second, second, first
			o, took = ill, &sick
		}
		o.tell(b, api.EventRoomDeleted, each, 50*time.Millisecond)
		*took = append(*took, o.arrived(b, each*(10-len(dead)))...)
	}
	b.ReportMetric(millis(percentile(quiet, 0.5)), "quiet-p50-ms")
	b.ReportMetric(millis(percentile(quiet, 0.99)), "quiet-p99-ms")
	b.ReportMetric(millis(percentile(fine, 0.5)), "p50-ms")
	b.ReportMetric(millis(percentile(fine, 0.99)), "p99-ms")
	b.ReportMetric(millis(percentile(sick, 0.5)), "dead-p50-ms")
	b.ReportMetric(millis(percentile(sick, 0.99)), "dead-p99-ms")
	b.ReportMetric(percentile(sick, 0.99).Seconds()/percentile(fine, 0.99).Seconds(), "x-p99")
	b.ReportMetric(residentMB(b), "MB")
}

// behaviour is how a receiver handles a request.
type behaviour int

const (
	answers  behaviour = iota // and reports when it came
	silently                  // answers and reports nothing
	stalls                    // accepts the request and does not answer
	fails                     // answers 500
	nobody                    // does not exist
)

// outlet is a service, a workspace in it, and the receivers of its events.
type outlet struct {
	*rig

	owner auth.Principal
	came  chan arrival

	mu        sync.Mutex
	committed map[int]time.Time // by the number of the event
	next      int

	direct string // where to post events without the service; "": through the service
	client http.Client
}

// arrival is a request that has arrived.
type arrival struct {
	event int
	at    time.Time
}

func newOutlet(b *testing.B, engine db.Engine) *outlet {
	b.Helper()
	o := &outlet{rig: start(b, dbtest.Config(b, engine)), came: make(chan arrival, 10_000), committed: map[int]time.Time{}}
	o.owner, _ = o.workspace(b)
	return o
}

// endpoint subscribes a new receiver to events, and returns its address.
func (o *outlet) endpoint(b *testing.B, how behaviour, kinds ...api.EventType) string {
	b.Helper()
	address := freeAddress(b, "tcp")
	if how != nobody {
		listener, err := (&net.ListenConfig{}).Listen(b.Context(), "tcp", address)
		if err != nil {
			b.Fatal(err)
		}
		receiver := &http.Server{Handler: o.receiver(b, how), ReadHeaderTimeout: 10 * time.Second}
		go func() { _ = receiver.Serve(listener) }()
		b.Cleanup(func() { _ = receiver.Close() })
	}
	to := "http://" + address + "/"
	create := schema.Filled(api.WebhookEndpointCreate{URL: to, Events: kinds})
	if _, _, err := o.Webhooks.Create(b.Context(), o.owner, create); err != nil {
		b.Fatal(err)
	}
	return to
}

func (o *outlet) receiver(b *testing.B, how behaviour) http.HandlerFunc {
	b.Helper()
	return func(w http.ResponseWriter, r *http.Request) {
		at := time.Now() // the head of the request is here
		switch how {
		case stalls:
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		case fails:
			w.WriteHeader(http.StatusInternalServerError)
		case answers:
			body, err := io.ReadAll(r.Body)
			_, text, _ := bytes.Cut(body, []byte(`"previous_attributes":{"n":`))
			text, _, _ = bytes.Cut(text, []byte("}"))
			n, badNumber := strconv.Atoi(string(text))
			if err != nil || badNumber != nil {
				b.Errorf("received %s (%v)", body, err)
			}
			o.came <- arrival{n, at}
		case silently, nobody:
		}
	}
}

// write commits some events in one transaction.
func (o *outlet) write(b *testing.B, kind api.EventType, n int) {
	b.Helper()
	o.mu.Lock()
	first := o.next
	o.next += n
	o.mu.Unlock()
	err := o.DB().Write(b.Context(), func(tx *db.Tx) error {
		tx.AfterCommit(func() { // before any delivery, because arrived looks here
			now := time.Now()
			o.mu.Lock()
			defer o.mu.Unlock()
			for i := range n {
				o.committed[first+i] = now
			}
		})
		return o.append(b.Context(), tx, kind, first, n)
	})
	if err == nil && o.direct != "" {
		err = o.post(o.direct, first)
	}
	if err != nil {
		b.Error(err)
	}
}

// post sends an event as the service does, without a job or a signature.
func (o *outlet) post(address string, n int) error {
	body, err := json.Marshal(o.event(n))
	if err != nil {
		return err
	}
	res, err := o.client.Post(address, "application/json", bytes.NewReader(body))
	if err == nil {
		_ = res.Body.Close()
	}
	return err
}

func (o *outlet) append(ctx context.Context, tx *db.Tx, kind api.EventType, first, n int) error {
	for i := range n {
		if err := o.Events.Append(ctx, tx, o.owner.WorkspaceID, kind, o.event(first+i)); err != nil {
			return err
		}
	}
	return nil
}

// event is the data of an event, of an ordinary size.
func (o *outlet) event(n int) api.RoomUpdatedEvent {
	return api.RoomUpdatedEvent{
		Room:       api.Room{Object: "room", Name: "Weekly review", WorkspaceID: o.owner.WorkspaceID},
		OccurredAt: api.At(time.Now()), PreviousAttributes: map[string]any{"n": n},
	}
}

// tell commits events at a steady pace, each in its own transaction, without
// waiting for the one before.
func (o *outlet) tell(b *testing.B, kind api.EventType, n int, every time.Duration) {
	b.Helper()
	ticks := time.NewTicker(every)
	defer ticks.Stop()
	var writing sync.WaitGroup
	for range n {
		<-ticks.C
		writing.Go(func() { o.write(b, kind, 1) })
	}
	writing.Wait()
}

// arrived waits for requests and returns how long each took from its event's
// commit.
func (o *outlet) arrived(b *testing.B, n int) []time.Duration {
	b.Helper()
	took := make([]time.Duration, 0, n)
	for range n {
		select {
		case a := <-o.came:
			o.mu.Lock()
			committed, known := o.committed[a.event]
			o.mu.Unlock()
			if !known {
				b.Fatalf("event %d arrived and was never committed", a.event)
			}
			took = append(took, a.at.Sub(committed))
		case <-time.After(2 * time.Minute):
			b.Fatalf("%d of %d deliveries have arrived", len(took), n)
		}
	}
	return took
}

// residentMB is the memory of the whole process: services, receivers and the
// benchmark.
func residentMB(b *testing.B) float64 {
	b.Helper()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		b.Fatal(err)
	}
	var size, resident int
	if _, err := fmt.Sscan(string(text), &size, &resident); err != nil {
		b.Fatal(err)
	}
	return float64(resident*os.Getpagesize()) / (1 << 20)
}
