package main_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
)

// pair is two nodes whose media servers are a cluster, and a meeting of four
// people. Two of them use the first node, and two the second.
type pair struct {
	t      *testing.T
	where  db.Config
	names  map[*process]string // of their connections to PostgreSQL
	key    string
	room   api.Room
	redis  *redis.Client
	holder *process // its media server holds the room
	other  *process
	people map[*process][]*regular
}

// newPair starts them. database is a number of a Redis database that no other
// test uses.
func newPair(t *testing.T, database int) *pair {
	t.Helper()
	address := os.Getenv("CONCLAVE_TEST_REDIS")
	if address == "" {
		t.Skip("CONCLAVE_TEST_REDIS is not set: `make test` starts a Redis and sets it")
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	where := dbtest.Config(t, db.PostgreSQL)
	s := &pair{t: t, where: where, redis: redis.NewClient(&redis.Options{Addr: u.Host, DB: database}), names: map[*process]string{}, people: map[*process][]*regular{}}
	if err := s.redis.FlushDB(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	_, s.key = newKey(t, where)
	flag := fmt.Sprintf("--redis-url=%s/%d", address, database)
	s.holder, s.other = start(t, "serve", named(t, where, "first"), flag), start(t, "serve", named(t, where, "second"), flag)
	s.names[s.holder], s.names[s.other] = "first", "second"
	if _, body := s.holder.call(http.MethodPost, "/api/v1/rooms", s.key, `{"name": "All hands"}`); json.Unmarshal(body, &s.room) != nil {
		t.Fatalf("make the room: %s", body)
	}
	for i := range 4 {
		node := []*process{s.holder, s.other}[i%2]
		var token api.RoomToken
		if _, body := node.call(http.MethodPost, "/api/v1/rooms/"+s.room.ID+"/tokens", s.key, fmt.Sprintf(`{"name": "Person %d"}`, i)); json.Unmarshal(body, &token) != nil {
			t.Fatalf("make a token: %s", body)
		}
		s.people[node] = append(s.people[node], attend(t, node, token))
	}
	eventually(t, s.holder, "everybody is in", func() bool {
		return s.connected(s.holder, 1) && s.connected(s.other, 1) && s.listed(s.holder) && s.listed(s.other)
	})
	id, err := s.redis.HGet(t.Context(), "room_node_map", s.room.ID).Result()
	if err != nil {
		t.Fatal(err)
	}
	if s.holder.node() != id {
		s.holder, s.other = s.other, s.holder
	}
	if s.holder.node() != id {
		t.Fatalf("neither node is %s", id)
	}
	return s
}

// node is the id that a node's media server has in its cluster.
func (p *process) node() string {
	p.t.Helper()
	_, body := p.call(http.MethodGet, "/metrics", "", "")
	found := regexp.MustCompile(`node_id="([^"]+)"`).FindSubmatch(body)
	if found == nil {
		p.t.Fatal("/metrics does not name the node")
	}
	return string(found[1])
}

// listed says whether a node lists all four.
func (s *pair) listed(p *process) bool {
	var list api.List[api.Participant]
	status, body := p.call(http.MethodGet, "/api/v1/rooms/"+s.room.ID+"/participants", s.key, "")
	return status == http.StatusOK && json.Unmarshal(body, &list) == nil && len(list.Data) == 4
}

// back says whether the people who came through a node have connected again.
func (s *pair) back(through *process) bool { return s.connected(through, 2) }

// connected says whether the people who came through a node have connected so often.
func (s *pair) connected(through *process, times int64) bool {
	for _, a := range s.people[through] {
		if a.back.Load() < times {
			return false
		}
	}
	return true
}

// longestAway is how long people may be away whose node or media server stands still:
// ten seconds (docs/how-to/run-with-postgresql-and-several-nodes.md). The other node
// needs up to seven of them to notice that, and on a quiet machine people arrive within
// half a second. On a busy one it may be longer, by how long they needed to arrive before.
func (s *pair) longestAway() time.Duration {
	var arrived time.Duration
	for _, people := range s.people {
		for _, a := range people {
			arrived = max(arrived, a.arrived)
		}
	}
	return max(10*time.Second, 7*time.Second+5*arrived)
}

// A media server stands still. Everybody is back on another one soon, as if it had been
// killed.
func TestPeopleComeBackWhenAMediaServerStandsStill(t *testing.T) {
	t.Parallel()
	s := newPair(t, 3)
	pid := s.holder.mediaProcess()
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	soon(t, s.longestAway(), "everybody is back", func() bool { return s.back(s.holder) && s.back(s.other) })
	t.Logf("back after %s, of at most %s", time.Since(begin).Round(time.Millisecond), s.longestAway().Round(time.Millisecond))
	eventually(t, s.other, "both nodes list everybody", func() bool { return s.listed(s.holder) && s.listed(s.other) })
	if left := count(s.other.happened(s.key), "participant.left"); left != 0 {
		t.Errorf("%d count as having left", left)
	}
}

// A whole node stands still, as a virtual machine that is moved. People who came
// through the other node are back soon, and everybody meets in one room soon after the
// node goes on.
func TestPeopleComeBackWhenANodeStandsStill(t *testing.T) {
	t.Parallel()
	s := newPair(t, 4)
	media := s.holder.mediaProcess()
	s.holder.pause(s.where, s.names[s.holder])
	if err := syscall.Kill(media, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	soon(t, s.longestAway(), "those of the other node are back", func() bool { return s.back(s.other) })
	t.Logf("back after %s, of at most %s", time.Since(begin).Round(time.Millisecond), s.longestAway().Round(time.Millisecond))
	s.holder.signal(syscall.SIGCONT)
	if err := syscall.Kill(media, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	begin = time.Now()
	soon(t, s.longestAway(), "the others are back too", func() bool { return s.back(s.holder) })
	t.Logf("back after %s more", time.Since(begin).Round(time.Millisecond))
	eventually(t, s.other, "both nodes list everybody", func() bool { return s.listed(s.holder) && s.listed(s.other) })
}

// A node is killed, and nobody comes back to its meeting. The other node reports
// everybody as having left, and ends the meeting.
func TestAMeetingOfADeadNodeEnds(t *testing.T) {
	t.Parallel()
	s := newPair(t, 14)
	s.holder.kill()
	begin := time.Now()
	for _, people := range s.people {
		for _, a := range people {
			a.goes()
		}
	}
	eventually(t, s.other, "the meeting ends", func() bool { return count(s.other.happened(s.key), "room.finished") == 1 })
	t.Logf("it ends after %s", time.Since(begin).Round(time.Second))
	happened := s.other.happened(s.key)
	if joined, left := count(happened, "participant.joined"), count(happened, "participant.left"); joined != 4 || left != 4 {
		t.Errorf("%d joined and %d left, want 4 and 4", joined, left)
	}
}
