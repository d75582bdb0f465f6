package node

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
)

func TestMeets(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		one, other string
		want       bool
	}{
		{"", "", true},
		{"", "redis:a", true},
		{"redis:a", "", true},
		{"redis:a", "redis:a", true},
		{"redis:a", "redis:b", false},
		{"redis:a", "redis:ab", false},
		{"redis:a", "livekit:media.example.com livekit-key:a", false},
		{"livekit:one.example.com livekit-key:a", "livekit:two.example.com livekit-key:a", true},
		{"livekit:one.example.com livekit-key:a", "livekit:one.example.com livekit-key:b", true},
		{"livekit:one.example.com livekit-key:a", "livekit:two.example.com livekit-key:b", false},
	} {
		if Meets(c.one, c.other) != c.want || Meets(c.other, c.one) != c.want {
			t.Errorf("%q and %q: want %v", c.one, c.other, c.want)
		}
	}
}

// joining has nodes that join one list, by a clock that moves when the test says so.
type joining struct {
	t     *testing.T
	d     *db.DB
	clock atomic.Int64 // in seconds
	waits chan string  // what a waiting node logs
}

func newJoining(t *testing.T, d *db.DB) *joining {
	t.Helper()
	p := &joining{t: t, d: d, waits: make(chan string, 10)}
	p.clock.Store(1_800_000_000)
	return p
}

func (p *joining) now() time.Time { return time.Unix(p.clock.Load(), 0).UTC() }

// node makes a node that has not joined yet.
func (p *joining) node(name, cluster string) *Keeper {
	return &Keeper{
		Service: Service{DB: p.d, Now: p.now}, Logger: slog.New(slog.NewTextHandler(p, nil)),
		Self: Node{Name: name, Version: "2", Listen: name + ":8080"}, Count: func() (int, int) { return 0, 0 },
		Stopping: func() bool { return false }, Cluster: func() string { return cluster }, MediaAnswers: func(context.Context) bool { return true }, Comparing: func() bool { return true }, OffTime: func() bool { return false }, OnDrain: func(Reason) {}, OnGone: func(context.Context) error { return nil },
	}
}

// Write takes a line of the log.
func (p *joining) Write(line []byte) (int, error) {
	p.waits <- string(line)
	return len(line), nil
}

func (p *joining) joins(k *Keeper) {
	p.t.Helper()
	if err := k.Join(p.t.Context()); err != nil {
		p.t.Fatal(err)
	}
	select {
	case line := <-p.waits:
		p.t.Errorf("the node waited: %s", line)
	default:
	}
}

// joinsAfter starts a node that has to wait in Join, does something meanwhile, and
// returns the error of Join.
func (p *joining) joinsAfter(k *Keeper, meanwhile func()) error {
	p.t.Helper()
	said := make(chan error, 1)
	go func() { said <- k.Join(p.t.Context()) }()
	limit := time.After(time.Minute)
	select {
	case line := <-p.waits:
		if !strings.Contains(line, "name=one") {
			p.t.Errorf("the log does not name the node that is waited for: %s", line)
		}
	case err := <-said:
		p.t.Fatalf("the node did not wait: %v", err)
	}
	meanwhile()
	select {
	case err := <-said:
		return err
	case <-limit:
		p.t.Fatal("the node waits for ever")
		return nil
	}
}

func (p *joining) keeps(k *Keeper) {
	p.t.Helper()
	if err := k.keep(p.t.Context()); err != nil {
		p.t.Fatal(err)
	}
}

// A node joins those of its own cluster, and is refused while there is one of another:
// the refusal names that node and says what to do.
func TestJoin(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newJoining(t, d)
		one := p.node("one", "redis:a")
		p.joins(one)
		p.joins(p.node("two", "redis:a"))
		// A node of the version before does not know the column.
		if err := d.Write(t.Context(), func(tx *db.Tx) error {
			_, err := tx.Exec(t.Context(), `INSERT INTO node (name, run, version, listen, media, connections, people, draining, stopping, started_at, seen_at)
				VALUES ('before', 'x', '1', ':1', '', 0, 0, FALSE, FALSE, $1, $1)`, p.now().UnixMilli())
			return err
		}); err != nil {
			t.Fatal(err)
		}
		p.joins(p.node("two", "redis:a"))

		err := p.joinsAfter(p.node("three", "redis:b"), func() {
			p.clock.Add(6)
			p.keeps(one)
		})
		for _, want := range []string{"the node one (at one:8080)", "another media cluster (redis:a) than this one (redis:b)", "Give all nodes the same --redis-url or the same --media-url"} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("a node of another cluster gets %v; want %q", err, want)
			}
		}
		nodes, err := one.List(t.Context())
		if err != nil || len(nodes) != 3 || nodes[1].Cluster != "redis:a" {
			t.Errorf("the list is %+v, %v", nodes, err)
		}
	})
}

// A node that was killed keeps others out only while it counts as alive. A node whose
// Redis has another identity by now keeps others out only until it has written that.
func TestJoinWaits(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newJoining(t, d)
		one := p.node("one", "redis:a")
		p.joins(one)
		if err := p.joinsAfter(p.node("two", "redis:b"), func() {
			one.Cluster = func() string { return "redis:b" }
			p.keeps(one)
		}); err != nil {
			t.Errorf("when the other took over the identity: %v", err)
		}
		one.Cluster = func() string { return "redis:c" }
		p.keeps(one)
		if err := p.joinsAfter(p.node("two", "redis:b"), func() { p.clock.Add(16) }); err != nil {
			t.Errorf("when the other is lost: %v", err)
		}
	})
}

// Two nodes of two clusters start at the same time: one of them waits.
func TestOneOfTwoClustersWaitsWhenBothJoin(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newJoining(t, d)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var both sync.WaitGroup
		joined := make(chan error, 2)
		for _, k := range []*Keeper{p.node("one", "redis:a"), p.node("two", "redis:b")} {
			both.Go(func() { joined <- k.Join(ctx) })
		}
		if err := <-joined; err != nil {
			t.Fatal(err)
		}
		select {
		case <-p.waits:
		case err := <-joined:
			t.Fatalf("the other one did not wait: %v", err)
		}
		cancel()
		both.Wait()
		if err := <-joined; !errors.Is(err, context.Canceled) {
			t.Errorf("the other one: %v", err)
		}
	})
}

// Of two nodes with different media clusters that start at the same moment, one joins
// and the other sees it.
func TestNodesThatStartTogetherSeeEachOther(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newJoining(t, d)
		for round := range 30 {
			var joined atomic.Int32
			var joining sync.WaitGroup
			ready := make(chan struct{})
			for _, k := range []*Keeper{p.node("one", "redis:a"), p.node("two", "redis:b")} {
				joining.Go(func() {
					<-ready
					other, err := k.join(t.Context())
					if err != nil {
						t.Error(err)
					}
					if other == nil {
						joined.Add(1)
					}
				})
			}
			close(ready)
			joining.Wait()
			if joined.Load() != 1 {
				t.Fatalf("in round %d, %d nodes joined", round, joined.Load())
			}
			if err := d.Write(t.Context(), func(tx *db.Tx) error {
				_, err := tx.Exec(t.Context(), `DELETE FROM node`)
				return err
			}); err != nil {
				t.Fatal(err)
			}
		}
	})
}
