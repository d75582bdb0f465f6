package probe_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/join"
	"github.com/conclave-rooms/conclave/internal/media/fake"
	"github.com/conclave-rooms/conclave/internal/probe"
)

// tested is a service for connection tests beside a media server in memory.
type tested struct {
	*probe.Service
	t     *testing.T
	media *fake.Server
	now   time.Time
	later map[time.Duration][]func() // what is called after this long
	cut   []string
}

func newTested(t *testing.T) *tested {
	t.Helper()
	x := &tested{t: t, now: time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC), later: map[time.Duration][]func(){}}
	now := func() time.Time { return x.now }
	x.media = fake.New(now)
	x.Service = &probe.Service{
		Media: x.media, Now: now, Logger: slog.New(slog.DiscardHandler), PublicURL: "https://meet.example", Key: []byte("a key of thirty-two bytes, or so"),
		Later:    func(d time.Duration, f func()) { x.later[d] = append(x.later[d], f) },
		MayCome:  func(context.Context, join.Visit, join.Proofs) error { return nil },
		SignedIn: func(context.Context, string) error { return nil },
		Cut:      func(identity string) { x.cut = append(x.cut, identity) },
	}
	return x
}

func (x *tested) begin() string {
	x.t.Helper()
	test, err := x.Begin(x.t.Context(), nil, join.Proofs{})
	if err != nil || test.ServerURL != "wss://meet.example" {
		x.t.Fatalf("%+v, %v", test, err)
	}
	return test.Token
}

func (x *tested) letThrough(token string) probe.Connection {
	x.t.Helper()
	return x.letThroughFrom("", token)
}

func (x *tested) letThroughFrom(network, token string) probe.Connection {
	x.t.Helper()
	c, err := x.LetThrough(x.t.Context(), token, network)
	if err != nil {
		x.t.Fatal(err)
	}
	return c
}

func (x *tested) rooms() int {
	x.t.Helper()
	all, err := x.media.Rooms(x.t.Context())
	if err != nil {
		x.t.Fatal(err)
	}
	return len(all)
}

// A connection is alone in its media room, publishes nothing, and is cut after twenty
// seconds. When it is over, its room is closed.
func TestAConnectionIsAloneForAWhile(t *testing.T) {
	t.Parallel()
	x := newTested(t)
	token := x.begin()
	one, other := x.letThrough(token), x.letThrough(token)
	if one.Room == other.Room || one.Identity == other.Identity || x.rooms() != 2 {
		t.Errorf("two connections of one test share a room: %+v, %+v, %d rooms", one, other, x.rooms())
	}
	if _, err := x.media.Connect(one.Token); err != nil {
		t.Fatal(err)
	}
	people, err := x.media.Participants(t.Context(), one.Room)
	if err != nil || len(people) != 1 {
		t.Fatalf("%+v, %v", people, err)
	}
	if may := people[0].Grant; len(may.PublishSources) > 0 || may.PublishData || may.OwnAttributes {
		t.Errorf("a connection test has rights: %+v", may)
	}
	for _, f := range x.later[20*time.Second] {
		f()
	}
	if len(x.cut) != 2 || x.cut[0] != one.Identity || x.cut[1] != other.Identity {
		t.Errorf("cut after 20 seconds: %v, want both", x.cut)
	}
	one.Release()
	other.Release()
	if x.rooms() != 0 {
		t.Errorf("%d rooms are left", x.rooms())
	}
}

// A token begins connections for a minute, and only one that this service signed for
// a connection test.
func TestATokenOpensConnectionsForAMinute(t *testing.T) {
	t.Parallel()
	x := newTested(t)
	token := x.begin()
	x.now = x.now.Add(time.Minute - time.Second)
	x.letThrough(token).Release()
	x.now = x.now.Add(time.Second)
	if err := x.Check(token, ""); !fault.HasCode(err, api.CodeTokenInvalid) {
		t.Errorf("after a minute: %v, want %s", err, api.CodeTokenInvalid)
	}
	if _, err := x.LetThrough(t.Context(), token, ""); !fault.HasCode(err, api.CodeTokenInvalid) {
		t.Errorf("after a minute: %v, want %s", err, api.CodeTokenInvalid)
	}
	if _, ok := x.Whose(token); !ok {
		t.Error("an expired token is not recognised, and would be taken for a seat's")
	}
	other := newTested(t)
	other.Key = []byte("another key of about the same size")
	if _, ok := x.Whose(other.begin()); ok {
		t.Error("a token with another service's signature is recognised")
	}
	if _, err := x.LetThrough(t.Context(), other.begin(), ""); err == nil {
		t.Error("a token with another service's signature is let in")
	}
}

// A node lets in fifty connections of tests at once, and the next as soon as one of
// them is over.
func TestFiftyConnectionsAtOnce(t *testing.T) {
	t.Parallel()
	x := newTested(t)
	token := x.begin()
	first := x.letThrough(token)
	for range probe.MostAtOnce - 1 {
		x.letThrough(token)
	}
	if _, err := x.LetThrough(t.Context(), token, ""); !fault.HasCode(err, api.CodeRateLimited) {
		t.Errorf("one more: %v, want %s", err, api.CodeRateLimited)
	}
	if err := x.Check(token, ""); !fault.HasCode(err, api.CodeRateLimited) {
		t.Errorf("asked about one more: %v, want %s", err, api.CodeRateLimited)
	}
	first.Release()
	x.letThrough(token)
	if _, err := x.LetThrough(t.Context(), token, ""); !fault.HasCode(err, api.CodeRateLimited) {
		t.Errorf("again one more: %v, want %s", err, api.CodeRateLimited)
	}
}

// One network has thirty of the fifty connections, so that others can test beside it,
// and it takes four networks to use up a node. A connection that is over makes room.
func TestOneNetworkTakesNoMoreThanItsShareOfAllTests(t *testing.T) {
	t.Parallel()
	x := newTested(t)
	token := x.begin()
	refused := func(network string) bool {
		t.Helper()
		_, err := x.LetThrough(t.Context(), token, network)
		if f, ok := fault.As(err); ok && (f.Code != api.CodeRateLimited || f.RetryAfter != probe.ConnectionLife) {
			t.Errorf("from %s: %v, retry after %v", network, err, f.RetryAfter)
		}
		if asked := x.Check(token, network); (asked != nil) != (err != nil) {
			t.Errorf("from %s: LetThrough says %v, Check says %v", network, err, asked)
		}
		return err != nil
	}
	first := x.letThroughFrom("198.51.100.1", token)
	for range 29 {
		x.letThroughFrom("198.51.100.1", token)
	}
	if !refused("198.51.100.1") {
		t.Error("connection 31 of one network is let in")
	}
	for _, n := range []struct {
		network string
		share   int
	}{{"198.51.100.2", 12}, {"2001:db8:1::/48", 5}, {"198.51.100.3", 3}} {
		for range n.share {
			x.letThroughFrom(n.network, token)
		}
		if !refused(n.network) {
			t.Errorf("connection %d of %s is let in", n.share+1, n.network)
		}
	}
	first.Release()
	if !refused("198.51.100.2") {
		t.Error("a network gets more than its share when another one has less")
	}
	x.letThroughFrom("198.51.100.4", token)
}

// A connection that the media server refused is not counted.
func TestAMediaServerThatIsDown(t *testing.T) {
	t.Parallel()
	x := newTested(t)
	token := x.begin()
	x.media.Down(errors.New("down"))
	for range probe.MostAtOnce + 1 {
		if _, err := x.LetThrough(t.Context(), token, "198.51.100.1"); !fault.HasCode(err, api.CodeServiceUnavailable) {
			t.Fatalf("%v, want %s", err, api.CodeServiceUnavailable)
		}
	}
	x.media.Down(nil)
	x.letThroughFrom("198.51.100.1", token)
}
