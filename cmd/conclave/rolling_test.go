package main_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/media/mediaclient"
)

// askNodes is how often the balancer asks its nodes whether they take requests, as
// deploy/compose/haproxy.cfg does.
const askNodes = time.Second

// balancer spreads requests over the nodes that say that they are ready.
type balancer struct {
	t     *testing.T
	url   string
	proxy *httputil.ReverseProxy
	next  atomic.Int64

	mu    sync.Mutex
	nodes []*process
	ready map[*process]bool
}

// newBalancer starts one, which asks its nodes until the test ends.
func newBalancer(t *testing.T) *balancer {
	b := &balancer{t: t, ready: map[*process]bool{}}
	b.proxy = &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		to, err := url.Parse(b.choose().url)
		if err != nil {
			panic(err)
		}
		r.SetURL(to)
	}, FlushInterval: -1}
	s := httptest.NewServer(b.proxy)
	b.url = s.URL
	ctx, stop := context.WithCancel(context.Background())
	asking := make(chan struct{})
	go func() {
		defer close(asking)
		every := time.NewTicker(askNodes)
		defer every.Stop()
		for {
			select {
			case <-every.C:
				b.ask()
			case <-ctx.Done():
				return
			}
		}
	}()
	t.Cleanup(func() { stop(); <-asking; s.CloseClientConnections(); s.Close() })
	return b
}

// ask asks every node once.
func (b *balancer) ask() {
	b.mu.Lock()
	nodes := slices.Clone(b.nodes)
	b.mu.Unlock()
	for _, p := range nodes {
		res, err := http.Get(p.url + "/readyz")
		ready := err == nil && res.StatusCode == http.StatusOK
		if err == nil {
			_ = res.Body.Close()
		}
		b.mu.Lock()
		b.ready[p] = ready
		b.mu.Unlock()
	}
}

// choose picks the ready nodes in turn.
func (b *balancer) choose() *process {
	b.mu.Lock()
	defer b.mu.Unlock()
	var ready []*process
	for _, p := range b.nodes {
		if b.ready[p] {
			ready = append(ready, p)
		}
	}
	if len(ready) == 0 {
		return b.nodes[0]
	}
	return ready[int(b.next.Add(1))%len(ready)]
}

// replace puts a node in the place of another one, or adds it.
func (b *balancer) replace(old, by *process) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := slices.Index(b.nodes, old); i >= 0 {
		b.nodes = slices.Delete(b.nodes, i, i+1)
	}
	if by != nil {
		b.nodes = append(b.nodes, by)
	}
}

// traffic sends 50 requests a second through a balancer, reads and writes, each on a
// connection of its own, until it is stopped. It returns what was not answered as it
// should be.
func (b *balancer) traffic(key string) (stop func() (sent int, failed []string)) {
	ctx, cancel := context.WithCancel(context.Background())
	var (
		sending sync.WaitGroup
		mu      sync.Mutex
		sent    int
		failed  []string
	)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	send := func(method, body string, want int) {
		req, err := http.NewRequest(method, b.url+"/api/v1/rooms", strings.NewReader(body))
		if err != nil {
			panic(err)
		}
		req.Header.Set("Authorization", "Bearer "+key)
		if body != "" {
			req.Header.Set("Content-Type", "application/json")
		}
		res, err := client.Do(req)
		said := ""
		if err != nil {
			said = err.Error()
		} else if text, err := io.ReadAll(res.Body); res.StatusCode != want || err != nil {
			said = fmt.Sprintf("%s %s: %s %v", method, res.Status, text, err)
		}
		if res != nil {
			_ = res.Body.Close()
		}
		mu.Lock()
		defer mu.Unlock()
		sent++
		if said != "" {
			failed = append(failed, said)
		}
	}
	sending.Go(func() {
		pace := time.NewTicker(time.Second / 50)
		defer pace.Stop()
		for i := 0; ; i++ {
			select {
			case <-pace.C:
			case <-ctx.Done():
				return
			}
			if i%10 == 0 {
				sending.Go(func() { send(http.MethodPost, `{"name": "Weekly"}`, http.StatusCreated) })
			} else {
				sending.Go(func() { send(http.MethodGet, "", http.StatusOK) })
			}
		}
	})
	return func() (int, []string) {
		cancel()
		sending.Wait()
		return sent, failed
	}
}

// longestOut is the longest time for which a restart may put somebody out, who needed so
// long to arrive. On a quiet machine people are out for 0.2 to 0.7 s and arrive within
// 0.8 s. On a busy one both take ten times as long.
func longestOut(arrived time.Duration) time.Duration { return max(3*time.Second, 5*arrived) }

// Three nodes behind a balancer are restarted one after the other, while requests
// come and a meeting runs. No request is refused, and nobody is out for long.
func TestARollingRestart(t *testing.T) {
	t.Parallel()
	address := os.Getenv("CONCLAVE_TEST_REDIS")
	if address == "" {
		t.Skip("CONCLAVE_TEST_REDIS is not set: `make test` starts a Redis and sets it")
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	const database = 6
	if err := redis.NewClient(&redis.Options{Addr: u.Host, DB: database}).FlushDB(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	where := dbtest.Config(t, db.PostgreSQL)
	_, key := newKey(t, where)
	b := newBalancer(t)
	var nodes []*process
	startNode := func(name string) *process {
		return start(t, "serve", named(t, where, name), fmt.Sprintf("--redis-url=%s/%d", address, database))
	}
	for _, name := range []string{"first", "second", "third"} {
		nodes = append(nodes, startNode(name))
		b.replace(nil, nodes[len(nodes)-1])
	}
	b.ask()
	var room api.Room
	if _, body := nodes[0].call(http.MethodPost, "/api/v1/rooms", key, `{"name": "All hands"}`); json.Unmarshal(body, &room) != nil {
		t.Fatalf("make the room: %s", body)
	}
	var people []*visitor
	for i := range 6 {
		var token api.RoomToken
		if _, body := nodes[0].call(http.MethodPost, "/api/v1/rooms/"+room.ID+"/tokens", key, fmt.Sprintf(`{"name": "Person %d"}`, i)); json.Unmarshal(body, &token) != nil {
			t.Fatalf("make a token: %s", body)
		}
		people = append(people, b.visit(t, token))
	}
	everybodyIn := func() bool { return !slices.ContainsFunc(people, func(v *visitor) bool { return !v.in.Load() }) }
	soon(t, patience, "everybody is in", everybodyIn)
	arrived := slices.MaxFunc(people, func(a, b *visitor) int { return cmp.Compare(a.arrived, b.arrived) }).arrived

	stop := b.traffic(key)
	for i, name := range []string{"first", "second", "third"} {
		nodes[i].stop()
		was := nodes[i]
		nodes[i] = startNode(name)
		b.replace(was, nodes[i])
		soon(t, patience, "everybody is in again", everybodyIn)
	}
	sent, failed := stop()
	if sent < 100 || len(failed) > 0 {
		t.Errorf("%d of %d requests failed, the first of them: %v", len(failed), sent, failed[:min(5, len(failed))])
	}
	out := []time.Duration{}
	for _, v := range people {
		out = append(out, v.longest())
	}
	t.Logf("%d requests; people came in within %v, and were out for %v at most", sent, arrived, out)
	if longest, most := slices.Max(out), longestOut(arrived); longest > most {
		t.Errorf("somebody was out for %v, want at most %v", longest, most)
	}
	if left := count(nodes[0].happened(key), "participant.left"); left != 0 {
		t.Errorf("%d people count as having left", left)
	}
}

// visitor is a person who comes back whenever their connection is lost.
type visitor struct {
	in      atomic.Bool
	arrived time.Duration // how long the first connection took; set before in
	mu      sync.Mutex
	out     []time.Duration // how long they were out, each time
}

// visit keeps a person in the meeting until the test ends.
func (b *balancer) visit(t *testing.T, token api.RoomToken) *visitor {
	ctx, cancel := context.WithCancel(context.Background())
	v, done := &visitor{}, make(chan struct{})
	go func() {
		defer close(done)
		var lost time.Time
		began := time.Now()
		for ctx.Err() == nil {
			trying, enough := context.WithTimeout(ctx, patience)
			here, err := mediaclient.Connect(trying, mediaclient.Options{URL: "ws" + b.url[len("http"):], Token: token.Token, Passphrase: token.E2EEPassphrase, Direct: true})
			enough()
			if err != nil {
				select {
				case <-time.After(200 * time.Millisecond):
				case <-ctx.Done():
				}
				continue
			}
			if lost.IsZero() {
				v.arrived = time.Since(began)
			} else {
				v.mu.Lock()
				v.out = append(v.out, time.Since(lost))
				v.mu.Unlock()
			}
			v.in.Store(true)
			select {
			case <-here.Gone():
			case <-ctx.Done():
			}
			lost = time.Now()
			v.in.Store(false)
			here.Disconnect()
		}
	}()
	t.Cleanup(func() { cancel(); <-done })
	return v
}

// longest is the longest time for which they were out.
func (v *visitor) longest() time.Duration {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.out) == 0 {
		return 0
	}
	return slices.Max(v.out)
}
