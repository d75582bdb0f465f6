package node

import (
	"context"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
)

func TestStates(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	for want, n := range map[State]Node{
		Ready:    {SeenAt: now.Add(-15 * time.Second)},
		Draining: {SeenAt: now, draining: true},
		Stopping: {SeenAt: now, draining: true, stopping: true},
		Lost:     {SeenAt: now.Add(-15*time.Second - time.Millisecond), stopping: true},
	} {
		if got := n.state(now); got != want {
			t.Errorf("%+v is %s, want %s", n, got, want)
		}
	}
}

func TestIdle(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n    Node
		want bool
	}{
		{Node{State: Draining}, true},
		{Node{State: Draining, Connections: 1}, false},
		{Node{State: Draining, People: 1}, false},
		{Node{State: Lost, Connections: 1, People: 1}, true},
	} {
		if c.n.Idle() != c.want {
			t.Errorf("%+v: idle is %v", c.n, !c.want)
		}
	}
}

// nodeList is a list of nodes with a clock of its own.
type nodeList struct {
	t   *testing.T
	d   *db.DB
	now time.Time
}

// starts starts a node, without its loop.
func (s *nodeList) starts(name, run string) *Keeper {
	s.t.Helper()
	k := &Keeper{
		Service: Service{DB: s.d, Now: func() time.Time { return s.now }}, Logger: slog.New(slog.DiscardHandler),
		Self:  Node{Name: name, Version: "1", Listen: ":8080", StartedAt: s.now, run: run, mediaReady: true, comparing: true, clock: isRight},
		Count: func() (int, int) { return 3, 4 }, Stopping: func() bool { return false }, Cluster: func() string { return "" }, MediaAnswers: func(context.Context) bool { return true }, Comparing: func() bool { return true }, OffTime: func() bool { return false }, OnDrain: func(Reason) {}, OnGone: func(context.Context) error { return nil },
	}
	if err := s.d.WriteLoosely(s.t.Context(), func(tx *db.Tx) error { return save(s.t.Context(), tx, k.Self, s.now) }); err != nil {
		s.t.Fatal(err)
	}
	return k
}

func (s *nodeList) keep(k *Keeper) {
	s.t.Helper()
	if err := k.keep(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
}

func (s *nodeList) list() (states []string) {
	s.t.Helper()
	nodes, err := (&Service{DB: s.d, Now: func() time.Time { return s.now }}).List(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	for _, n := range nodes {
		states = append(states, n.Name+" "+string(n.State))
	}
	return states
}

// A node is listed while it renews its row, and lost when it does not. One that
// stood still for so long that it was forgotten comes back.
func TestKeep(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := &nodeList{t: t, d: d, now: time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)}
		want := func(states ...string) {
			t.Helper()
			if got := s.list(); !slices.Equal(got, states) {
				t.Errorf("the nodes are %q, want %q", got, states)
			}
		}
		one, two := s.starts("one", "a"), s.starts("two", "b")
		want("one ready", "two ready")
		var drains []Reason
		two.OnDrain = func(why Reason) { drains = append(drains, why) }
		for _, draining := range []bool{true, true, false} {
			if _, err := two.SetDraining(t.Context(), "two", draining); err != nil {
				t.Fatal(err)
			}
			s.keep(two)
		}
		if !slices.Equal(drains, []Reason{ByOperator, ""}) {
			t.Errorf("the node was told %v", drains)
		}
		s.now = s.now.Add(16 * time.Second)
		s.keep(one)
		want("one ready", "two lost")
		one.Stopping = func() bool { return true }
		s.keep(one)
		want("one stopping", "two lost")
		s.now = s.now.Add(24 * time.Hour)
		err := d.WriteLoosely(t.Context(), func(tx *db.Tx) error { return forget(t.Context(), tx, s.now.Add(-forgetAfter)) })
		if err != nil {
			t.Fatal(err)
		}
		want("one lost") // renewed 24 hours ago, and not earlier
		s.keep(two)
		want("one lost", "two ready")
	})
}

// The newest of two processes with one name has the row, and the other one leaves it
// alone.
func TestTheNewestProcessOfANameHasTheRow(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := &nodeList{t: t, d: d, now: time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)}
		older := s.starts("one", "a")
		s.now = s.now.Add(time.Second)
		newer := s.starts("one", "b")
		older.OnDrain = func(Reason) { t.Error("the older one drains") }
		if _, err := newer.SetDraining(t.Context(), "one", true); err != nil {
			t.Fatal(err)
		}
		s.now = s.now.Add(16 * time.Second)
		s.keep(older)
		if got := s.list(); !slices.Equal(got, []string{"one lost"}) {
			t.Errorf("the older one renewed the row: %q", got)
		}
		s.keep(newer)
		if got := s.list(); !slices.Equal(got, []string{"one draining"}) {
			t.Errorf("the nodes are %q", got)
		}
		if _, err := newer.SetDraining(t.Context(), "two", true); err == nil {
			t.Error("a node that does not exist was drained")
		}
	})
}

// A node whose media server harms others by its clock leaves new people to one that can
// take them. Where there is none, all nodes go on, because the database's clock may be
// the wrong one.
func TestANodeWhoseClockIsWrongLeavesPeopleToOthers(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := &nodeList{t: t, d: d, now: time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)}
		one, two := s.starts("one", "a"), s.starts("two", "b")
		wrong, why := map[string]bool{}, []Reason{}
		one.OnDrain = func(r Reason) { why = append(why, r) }
		for _, k := range []*Keeper{one, two} {
			k.OffTime = func() bool { return wrong[k.Self.Name] }
		}
		// after lets some time pass, in which both nodes notice what there is to notice.
		after := func(d time.Duration, when string, want ...Reason) {
			t.Helper()
			s.now = s.now.Add(d)
			s.keep(two)
			s.keep(one)
			if !slices.Equal(why, want) {
				t.Errorf("%s the node was told %q, want %q", when, why, want)
			}
			why = nil
		}
		wrong["one"] = true
		after(0, "when its clock is wrong,")
		after(wrongFor-time.Second, "almost long enough later,")
		after(time.Second, "long enough later,", ByClock)
		after(renewEvery, "a renewal later,")
		if got := s.list(); !slices.Equal(got, []string{"one draining", "two ready"}) {
			t.Errorf("the nodes are %q", got)
		}
		if others, err := two.MediaReady(t.Context(), false); err != nil || others.Media != 0 {
			t.Errorf("the other node leaves people to it: %+v, %v", others, err)
		}
		if _, err := two.MediaReady(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		if _, err := one.SetDraining(t.Context(), "one", true); err != nil {
			t.Fatal(err)
		}
		after(0, "when an operator drains it, too,", ByOperator)
		if _, err := one.SetDraining(t.Context(), "one", false); err != nil {
			t.Fatal(err)
		}
		after(0, "when the operator ends that,", ByClock)
		wrong["two"] = true
		after(0, "when both clocks are wrong,", "")
		wrong["two"] = false
		after(0, "when only its own is again,", ByClock)
		wrong["one"] = false
		after(0, "when its clock was set,", "")
	})
}

// All nodes notice within seconds that the database's clock was set, and none drains. A
// node whose media server does not answer still leaves people to the others.
func TestNoNodeDrainsWhenTheDatabasesClockIsWrong(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := &nodeList{t: t, d: d, now: time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)}
		one, two := s.starts("one", "a"), s.starts("two", "b")
		wrong := map[string]bool{}
		for _, k := range []*Keeper{one, two} {
			k.OffTime = func() bool { return wrong[k.Self.Name] }
			k.OnDrain = func(why Reason) { t.Errorf("%s drains: %q", k.Self.Name, why) }
		}
		wrong["one"] = true
		for second := range 30 {
			wrong["two"] = second >= 6
			s.now = s.now.Add(readEvery)
			s.keep(one)
			s.keep(two)
		}
		if others, err := one.MediaReady(t.Context(), false); err != nil || !others.Replace() || others != (Others{Live: 1, Media: 1}) {
			t.Errorf("a node without a media server knows of %+v, %v", others, err)
		}
	})
}

// A node whose name another process took is not listed any more, so nothing drains it.
func TestANodeWhoseNameWasTakenStopsDraining(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := &nodeList{t: t, d: d, now: time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)}
		older := s.starts("one", "a")
		why := []Reason{}
		older.OnDrain = func(r Reason) { why = append(why, r) }
		if _, err := older.SetDraining(t.Context(), "one", true); err != nil {
			t.Fatal(err)
		}
		s.keep(older)
		s.starts("one", "b")
		s.keep(older)
		s.keep(older)
		if !slices.Equal(why, []Reason{ByOperator, ""}) {
			t.Errorf("the node was told %q", why)
		}
	})
}
