package main_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/media"
	"github.com/conclave-rooms/conclave/internal/media/mediaclient"
)

// residents is how many people are in a meeting while the service is killed.
const residents = 4

// The service or its media server is killed at random moments, while clients write and
// people speak in a meeting. After every kill nothing that was acknowledged is lost, and
// the events tell of everybody who joined and left, in turns.
func TestNothingIsLostThroughKills(t *testing.T) {
	t.Parallel()
	kills := killsWanted(t, 4)
	for _, engine := range []db.Engine{db.SQLite, db.PostgreSQL} {
		t.Run(string(engine), func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, engine)
			h.everybodyIn(0)
			services := 0
			for kill := range kills {
				before := h.connections()
				if h.killedWhileWriting(kill%3 == 2) {
					services++
				}
				h.ledger.check(h.p, h.key)
				pairs(t, h.where)
				if rand.N(4) > 0 { // otherwise the next kill comes while they connect
					h.everybodyIn(before)
				}
			}
			h.everybodyLeaves()
			in, running, joins := pairs(t, h.where)
			for who, still := range in {
				if still {
					t.Errorf("%s never left", who)
				}
			}
			if running || joins < residents {
				t.Errorf("a meeting still runs: %v; people joined %d times", running, joins)
			}
			h.ledger.checkAll(h.where)
			t.Logf("%d kills, %d of them of the service; %d rooms were acknowledged; people joined %d times", kills, services, len(h.ledger.rooms), joins)
			h.p.stop()
		})
	}
}

// house is a service that is killed, and its people.
type house struct {
	t      *testing.T
	where  db.Config
	key    string
	listen string
	args   []string // of the service, in addition
	p      *process
	room   api.Room
	people []*resident
	ledger *ledger
	lag    comparisons // at the last reading
}

func newHouse(t *testing.T, engine db.Engine, args ...string) *house {
	t.Helper()
	free, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h := &house{t: t, where: dbtest.Config(t, engine), listen: free.Addr().String(), args: args, ledger: newLedger(t)}
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	_, h.key = newKey(t, h.where)
	h.begin()
	if status, body := h.p.call(http.MethodPost, "/api/v1/rooms", h.key, `{"name": "Home"}`); json.Unmarshal(body, &h.room) != nil {
		t.Fatalf("make the room: %d %s", status, body)
	}
	for i := range residents {
		h.people = append(h.people, h.moveIn(i))
	}
	return h
}

// begin starts the service at the same address as before, where people look for it.
func (h *house) begin() {
	h.t.Helper()
	h.p = start(h.t, "serve", h.where, append([]string{"--listen", h.listen}, h.args...)...)
}

// killedWhileWriting kills the service, or only its media server, after a random number
// of writes, and says which.
func (h *house) killedWhileWriting(onlyMedia bool) (service bool) {
	h.t.Helper()
	stop := h.ledger.write(h.p, h.key, 1+rand.N(30))
	if onlyMedia {
		if err := syscall.Kill(h.p.mediaProcess(), syscall.SIGKILL); err != nil {
			h.t.Fatal(err)
		}
		stop()
		return false
	}
	h.p.kill()
	stop()
	h.begin()
	return true
}

// connections is how often the person connected who did so least.
func (h *house) connections() int64 {
	least := h.people[0].connected.Load()
	for _, r := range h.people {
		least = min(least, r.connected.Load())
	}
	return least
}

// everybodyIn waits until everybody has connected again, and the service lists them.
func (h *house) everybodyIn(before int64) {
	h.t.Helper()
	eventually(h.t, h.p, "everybody is in", func() bool {
		var list api.List[api.Participant]
		status, body := h.p.call(http.MethodGet, "/api/v1/rooms/"+h.room.ID+"/participants", h.key, "")
		return h.connections() > before && status == http.StatusOK && json.Unmarshal(body, &list) == nil && len(list.Data) == residents
	})
}

func (h *house) everybodyLeaves() {
	h.t.Helper()
	for _, r := range h.people {
		r.leaves()
	}
	waitUntilItIsOver(h.t, h.p, h.key, h.room.ID)
}

// resident is a person who speaks, and comes back whenever their connection is lost.
type resident struct {
	connected atomic.Int64 // how often
	stop      context.CancelFunc
	done      chan struct{}
}

// moveIn keeps a person in the meeting until they leave. They ask for a token whenever
// theirs is not taken, because a token is valid for ten minutes and a seat for fifteen
// seconds after it was lost.
func (h *house) moveIn(number int) *resident {
	ctx, cancel := context.WithCancel(h.t.Context())
	r := &resident{stop: cancel, done: make(chan struct{})}
	ask := func() (token api.RoomToken) {
		res, err := h.send(ctx, http.MethodPost, "/api/v1/rooms/"+h.room.ID+"/tokens", fmt.Sprintf(`{"name": "Person %d", "user_id": "%d"}`, number, number))
		if err == nil {
			_ = json.Unmarshal(res, &token)
		}
		return token
	}
	go func() {
		defer close(r.done)
		token := ask()
		for ctx.Err() == nil {
			here, err := h.enters(ctx, token)
			if err != nil {
				select {
				case <-time.After(200 * time.Millisecond): // as people's devices do
				case <-ctx.Done():
				}
				token = ask()
				continue
			}
			r.connected.Add(1)
			select {
			case <-here.Gone():
			case <-ctx.Done():
			}
			here.Disconnect()
		}
	}()
	h.t.Cleanup(r.leaves)
	return r
}

func (r *resident) leaves() { r.stop(); <-r.done }

// enters connects a person, who then speaks.
func (h *house) enters(ctx context.Context, token api.RoomToken) (*mediaclient.Participant, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	here, err := mediaclient.Connect(ctx, mediaclient.Options{URL: "ws://" + h.listen, Token: token.Token, Passphrase: token.E2EEPassphrase, Direct: true})
	if err != nil {
		return nil, err
	}
	if _, err := here.Publish(ctx, media.Microphone); err != nil {
		here.Disconnect()
		return nil, err
	}
	return here, nil
}

// send sends a request that may fail, because the service may be killed.
func (h *house) send(ctx context.Context, method, path, body string) ([]byte, error) {
	return request(ctx, method, "http://"+h.listen+path, h.key, body)
}

// ledger knows what was acknowledged.
type ledger struct {
	t *testing.T

	mu     sync.Mutex
	rooms  map[string]*written // by id
	recent []string            // ids since the last check
	number int
}

// written is a room: the name that was acknowledged, and one that may be there as well.
type written struct{ sure, maybe string }

func newLedger(t *testing.T) *ledger { return &ledger{t: t, rooms: map[string]*written{}} }

// write lets four clients make and rename rooms. It returns once some writes were
// acknowledged; they go on until the service is gone, or they are stopped.
func (l *ledger) write(p *process, key string, enough int) (stop func()) {
	ctx, cancel := context.WithCancel(l.t.Context())
	var writing sync.WaitGroup
	acknowledged := make(chan struct{}, enough)
	for range 4 {
		writing.Go(func() {
			for ctx.Err() == nil && l.writeOne(ctx, p, key) {
				select {
				case acknowledged <- struct{}{}:
				default:
				}
			}
		})
	}
	for range enough {
		within(l.t, acknowledged, "a write")
	}
	return func() { cancel(); writing.Wait() }
}

// writeOne makes a room and renames it, and says whether both were acknowledged.
func (l *ledger) writeOne(ctx context.Context, p *process, key string) bool {
	l.mu.Lock()
	l.number++
	name := fmt.Sprintf("Room %d", l.number)
	l.mu.Unlock()
	var made api.Room
	answer, err := request(ctx, http.MethodPost, p.url+"/api/v1/rooms", key, fmt.Sprintf(`{"name": %q}`, name))
	if err != nil || json.Unmarshal(answer, &made) != nil {
		return false
	}
	renamed := name + ", renamed"
	entry := &written{sure: name, maybe: renamed}
	l.mu.Lock()
	l.rooms[made.ID], l.recent = entry, append(l.recent, made.ID)
	l.mu.Unlock()
	if _, err := request(ctx, http.MethodPatch, p.url+"/api/v1/rooms/"+made.ID, key, fmt.Sprintf(`{"name": %q}`, renamed)); err != nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	entry.sure = renamed
	return true
}

// check asks the service for everything that was acknowledged since the last check.
func (l *ledger) check(p *process, key string) {
	l.t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range l.recent {
		var r api.Room
		status, body := p.call(http.MethodGet, "/api/v1/rooms/"+id, key, "")
		if status != http.StatusOK || json.Unmarshal(body, &r) != nil || !l.rooms[id].allows(r.Name) {
			l.t.Errorf("%+v was acknowledged, and after a kill the service says %d %s", *l.rooms[id], status, body)
		}
	}
	l.recent = nil
}

// checkAll looks in the database for everything that was ever acknowledged.
func (l *ledger) checkAll(where db.Config) {
	l.t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	found := 0
	read(l.t, where, `SELECT id, name FROM room`, func(id, name string) {
		if w, known := l.rooms[id]; known && w.allows(name) {
			found++
		}
	})
	if found != len(l.rooms) {
		l.t.Errorf("%d rooms were acknowledged, and %d are there", len(l.rooms), found)
	}
}

func (w *written) allows(name string) bool { return slices.Contains([]string{w.sure, w.maybe}, name) }

// request sends a request and returns the answer, if it is one of success.
func request(ctx context.Context, method, address, bearer, body string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+bearer)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	answer, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode/100 != 2 {
		err = fmt.Errorf("%s %s: %s %s", method, address, res.Status, answer)
	}
	return answer, err
}
