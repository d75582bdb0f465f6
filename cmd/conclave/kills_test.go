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

// speakers is how many people are in a meeting while the service is killed.
const speakers = 4

// The service or its media server is killed at random moments, while clients write and
// people speak in a meeting. After every kill nothing that was acknowledged is lost, and
// the events tell of everybody who joined and left, in turns.
func TestNothingIsLostThroughKills(t *testing.T) {
	t.Parallel()
	kills := killsWanted(t, 4)
	for _, engine := range []db.Engine{db.SQLite, db.PostgreSQL} {
		t.Run(string(engine), func(t *testing.T) {
			t.Parallel()
			s := newSite(t, engine)
			s.everybodyIn(make([]int64, speakers))
			services := 0
			for kill := range kills {
				before := s.connections()
				if s.killedWhileWriting(kill%3 == 2) {
					services++
				}
				s.ledger.check(s.p, s.key)
				pairs(t, s.where)
				if rand.N(4) > 0 { // otherwise the next kill comes while they connect
					s.everybodyIn(before)
				}
			}
			s.everybodyLeaves()
			in, running, joins := pairs(t, s.where)
			for who, still := range in {
				if still {
					t.Errorf("%s never left", who)
				}
			}
			if running || joins < speakers {
				t.Errorf("a meeting still runs: %v; people joined %d times", running, joins)
			}
			s.ledger.checkAll(s.where)
			t.Logf("%d kills, %d of them of the service; %d rooms were acknowledged; people joined %d times", kills, services, len(s.ledger.rooms), joins)
			s.p.stop()
		})
	}
}

// site is a service at a fixed address, with people in one of its meetings.
type site struct {
	t      *testing.T
	where  db.Config
	key    string
	listen string
	args   []string // of the service, in addition
	p      *process
	room   api.Room
	people []*speaker
	ledger *ledger
	lag    comparisons // at the last reading
}

func newSite(t *testing.T, engine db.Engine, args ...string) *site {
	t.Helper()
	free, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &site{t: t, where: dbtest.Config(t, engine), listen: free.Addr().String(), args: args, ledger: newLedger(t)}
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	_, s.key = newKey(t, s.where)
	s.begin()
	if status, body := s.p.call(http.MethodPost, "/api/v1/rooms", s.key, `{"name": "Home"}`); json.Unmarshal(body, &s.room) != nil {
		t.Fatalf("make the room: %d %s", status, body)
	}
	for i := range speakers {
		s.people = append(s.people, s.startSpeaker(i))
	}
	return s
}

// begin starts the service at the same address as before, where people look for it.
func (s *site) begin() {
	s.t.Helper()
	s.p = start(s.t, "serve", s.where, append([]string{"--listen", s.listen}, s.args...)...)
}

// killedWhileWriting kills the service, or only its media server, after a random number
// of writes, and says which.
func (s *site) killedWhileWriting(onlyMedia bool) (service bool) {
	s.t.Helper()
	stop := s.ledger.write(s.p, s.key, 1+rand.N(30))
	if onlyMedia {
		if err := syscall.Kill(s.p.mediaProcess(), syscall.SIGKILL); err != nil {
			s.t.Fatal(err)
		}
		stop()
		return false
	}
	s.p.kill()
	stop()
	s.begin()
	return true
}

// connections is how often each person has connected.
func (s *site) connections() (all []int64) {
	for _, r := range s.people {
		all = append(all, r.connected.Load())
	}
	return all
}

// everybodyIn waits until everybody has connected more often than before, and the
// service lists them.
func (s *site) everybodyIn(before []int64) {
	s.t.Helper()
	eventually(s.t, s.p, "everybody is in", func() bool {
		var list api.List[api.Participant]
		status, body := s.p.call(http.MethodGet, "/api/v1/rooms/"+s.room.ID+"/participants", s.key, "")
		return slices.EqualFunc(s.connections(), before, func(now, then int64) bool { return now > then }) &&
			status == http.StatusOK && json.Unmarshal(body, &list) == nil && len(list.Data) == speakers
	})
}

func (s *site) everybodyLeaves() {
	s.t.Helper()
	for _, r := range s.people {
		r.leaves()
	}
	waitUntilItIsOver(s.t, s.p, s.key, s.room.ID)
}

// speaker is a person who speaks, and comes back whenever their connection is lost.
type speaker struct {
	connected atomic.Int64 // how often
	stop      context.CancelFunc
	done      chan struct{}
}

// startSpeaker keeps a person in the meeting until they leave. They ask for a token whenever
// theirs is not taken, because a token is valid for ten minutes and a seat for fifteen
// seconds after it was lost.
func (s *site) startSpeaker(number int) *speaker {
	ctx, cancel := context.WithCancel(s.t.Context())
	r := &speaker{stop: cancel, done: make(chan struct{})}
	ask := func() (token api.RoomToken) {
		res, err := s.send(ctx, http.MethodPost, "/api/v1/rooms/"+s.room.ID+"/tokens", fmt.Sprintf(`{"name": "Person %d", "user_id": "%d"}`, number, number))
		if err == nil {
			_ = json.Unmarshal(res, &token)
		}
		return token
	}
	go func() {
		defer close(r.done)
		token := ask()
		for ctx.Err() == nil {
			here, err := s.enters(ctx, token)
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
	s.t.Cleanup(r.leaves)
	return r
}

func (r *speaker) leaves() { r.stop(); <-r.done }

// enters connects a person, who then speaks.
func (s *site) enters(ctx context.Context, token api.RoomToken) (*mediaclient.Participant, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	here, err := mediaclient.Connect(ctx, mediaclient.Options{URL: "ws://" + s.listen, Token: token.Token, Passphrase: token.E2EEPassphrase, Direct: true})
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
func (s *site) send(ctx context.Context, method, path, body string) ([]byte, error) {
	return request(ctx, method, "http://"+s.listen+path, s.key, body)
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
