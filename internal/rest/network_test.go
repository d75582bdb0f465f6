package rest

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/rest/limit"
)

func TestCountersOfAnAddress(t *testing.T) {
	t.Parallel()
	for address, want := range map[string][]string{
		"198.51.100.7":         {"198.51.100.7 x1"},
		"::ffff:198.51.100.7":  {"198.51.100.7 x1"},
		"64:ff9b::c633:6407":   {"198.51.100.7 x1"}, // NAT64
		"64:ff9b:1::c633:6407": {"64:ff9b:1::/64 x1", "64:ff9b:1::/48 x16"},
		"2001:db8:1:2:3:4:5:6": {"2001:db8:1:2::/64 x1", "2001:db8:1::/48 x16"},
		"2001:db8:1:2:ffff::1": {"2001:db8:1:2::/64 x1", "2001:db8:1::/48 x16"},
		"2001:db8:1:ffff::1":   {"2001:db8:1:ffff::/64 x1", "2001:db8:1::/48 x16"},
		"fe80::1%eth0":         {"fe80::/64 x1", "fe80::/48 x16"},
	} {
		got := []string{}
		for _, c := range countersOf(Class{Quota: limit.Quota{Count: 1}}, netip.MustParseAddr(address)) {
			got = append(got, fmt.Sprintf("%s x%d", c.subject, c.Count))
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s counts as %v, want %v", address, got, want)
		}
	}
}

// behindProxy is a padServer whose callers state their address in X-Forwarded-For.
func behindProxy(t *testing.T, change func(*Config)) (w *padServer, pass func(time.Duration)) {
	t.Helper()
	return clocked(t, func(c *Config) {
		c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")} // httptest's caller
		if change != nil {
			change(c)
		}
	})
}

// A /48 has 65,536 networks of /64, but gets no more than sixteen of them do.
func TestLimitsHoldForAWholeSite(t *testing.T) {
	t.Parallel()
	w, pass := behindProxy(t, nil)
	try := func(address string) *http.Response {
		return w.call(t, "GET", "/api/v1/me", "", "Authorization", "Bearer nobody", "X-Forwarded-For", address)
	}
	for i := range 60 * siteShare {
		if res := try(fmt.Sprintf("2001:db8:1:%x::1", i)); res.StatusCode != http.StatusUnauthorized {
			t.Fatalf("attempt %d: %d", i+1, res.StatusCode)
		}
	}
	res := try("2001:db8:1:ffff::1")
	if e := refusalOf(t, res); res.StatusCode != http.StatusTooManyRequests ||
		e.Message != "At most 960 failed authentications from one network are allowed in a minute. Try again in a minute." {
		t.Errorf("one more of the same /48: %d %+v", res.StatusCode, e)
	}
	if got := res.Header.Get("RateLimit-Policy"); got != `"failed_authentication";q=960;w=60` {
		t.Errorf("RateLimit-Policy %s", got)
	}
	if res := try("2001:db8:2::1"); res.StatusCode != http.StatusUnauthorized {
		t.Errorf("the next /48: %d", res.StatusCode)
	}
	pass(time.Minute)
	// Refused requests of one /64 do not count for the others.
	for range 60 * siteShare * 2 {
		try("2001:db8:1:1::1")
	}
	if res := try("2001:db8:1:2::1"); res.StatusCode != http.StatusUnauthorized {
		t.Errorf("the neighbour of a /64 that is beyond its limit: %d", res.StatusCode)
	}
}

// meeting is a padServer with a group for tickets. A ticket "room/name" or
// "room/name/host" names the room, the person and the role.
func meeting(t *testing.T, classes map[string]int) *padServer {
	t.Helper()
	w, _ := behindProxy(t, func(c *Config) {
		c.Limits = DefaultLimits()
		for name, count := range classes {
			class := c.Limits.Classes[name]
			class.Count = count
			c.Limits.Classes[name] = class
		}
	})
	tickets := func(ctx context.Context, bearer string) (context.Context, string, error) {
		var room, name string
		if n, _ := fmt.Sscanf(bearer, "%1s/%s", &room, &name); n != 2 {
			return nil, "", fault.New(fault.Unauthenticated, api.CodeTicketInvalid, "No ticket.")
		}
		if name != "host" {
			ctx = InRoom(ctx, room)
		}
		return ctx, bearer, nil
	}
	d := w.Group("/meet/v1", tickets, Tickets(fault.New(fault.Unauthenticated, api.CodeTicketInvalid, "Send your ticket.")))
	made := func(context.Context, *struct{}) (pad, error) { return aPad(), nil }
	Handle(d, Op{ID: "raiseHand", Method: "POST", Path: "/hand", Summary: "Hand", Tag: "Meeting"}, made)
	Handle(d, Op{ID: "removePerson", Method: "DELETE", Path: "/people", Summary: "Remove", Tag: "Meeting"}, made)
	Handle(d, Op{ID: "commit", Method: "POST", Path: "/commits", Summary: "Commit", Tag: "Meeting"}, func(ctx context.Context, in *struct {
		Bytes int `query:"bytes" doc:"How much to store."`
	},
	) (pad, error) {
		return aPad(), CountSize(ctx, ClassGroupSize, ClassRoomGroupSize, in.Bytes)
	})
	Handle(d, Op{ID: "readEvents", Method: "GET", Path: "/events", Summary: "Events", Tag: "Meeting"}, made)
	HandleRaw(d, Op{ID: "follow", Method: "GET", Path: "/stream", Limit: ClassStreams, Summary: "Follow", Tag: "Meeting"}, func(w http.ResponseWriter, _ *http.Request) error {
		w.WriteHeader(http.StatusOK)
		return nil
	})
	Handle(d, Op{ID: "join", Method: "POST", Path: "/join", Public: true, Summary: "Join", Tag: "Meeting"}, made)
	return w
}

func TestChangesCountForTheAddressAndTheRoom(t *testing.T) {
	t.Parallel()
	w := meeting(t, map[string]int{ClassMeetingWrites: 3, ClassRoomWrites: 5})
	for i, step := range []struct {
		method, path, ticket, from string
		status                     int
		policy                     string
	}{
		{"POST", "/hand", "a/1", "198.51.100.1", 200, `"requests";q=100;w=5, "meeting_writes";q=3;w=5, "room_writes";q=5;w=10`},
		{"DELETE", "/people", "a/2", "198.51.100.1", 200, ""},
		{"POST", "/hand", "b/3", "198.51.100.1", 200, ""},
		{"POST", "/hand", "b/4", "198.51.100.1", 429, ""}, // in any room and on any seat
		{"POST", "/hand", "a/host", "198.51.100.1", 429, ""},
		{"GET", "/events", "a/1", "198.51.100.1", 200, `"requests";q=100;w=5`}, // changes nothing
		{"POST", "/join", "a/1", "198.51.100.1", 200, `"public";q=600;w=10, "requests";q=100;w=5`},
		{"POST", "/hand", "a/5", "198.51.100.2", 200, ""},
		{"POST", "/hand", "a/6", "198.51.100.3", 200, ""},
		{"POST", "/hand", "a/7", "198.51.100.4", 200, ""}, // the fifth of room a
		{"POST", "/hand", "a/8", "198.51.100.5", 429, ""},
		{"POST", "/hand", "a/host", "198.51.100.5", 200, `"requests";q=100;w=5, "meeting_writes";q=3;w=5`},
		{"POST", "/hand", "b/8", "198.51.100.6", 200, ""},
	} {
		res := w.call(t, step.method, "/meet/v1"+step.path, "", "Authorization", "Bearer "+step.ticket, "X-Forwarded-For", step.from)
		if res.StatusCode != step.status {
			t.Errorf("step %d, %s %s with %s from %s: %d, want %d", i+1, step.method, step.path, step.ticket, step.from, res.StatusCode, step.status)
		}
		if got := res.Header.Get("RateLimit-Policy"); step.policy != "" && got != step.policy {
			t.Errorf("step %d: RateLimit-Policy %s, want %s", i+1, got, step.policy)
		}
	}
}

// Two hundred people of one office join and move to breakout rooms at once.
func TestTwoHundredPeopleComeFromOneAddress(t *testing.T) {
	t.Parallel()
	w := meeting(t, nil)
	for i := range 200 {
		ticket := fmt.Sprintf("a/%d", i)
		for _, path := range []string{"/join", "/join", "/join", "/hand"} {
			if res := w.call(t, "POST", "/meet/v1"+path, "", "Authorization", "Bearer "+ticket); res.StatusCode != http.StatusOK {
				t.Fatalf("person %d is refused at %s: %d", i+1, path, res.StatusCode)
			}
		}
	}
}

// Five hundred people of one office follow again after a restart, each of them twice.
// Beyond that, streams from their address are refused, and others are not.
func TestFiveHundredPeopleOfOneOfficeFollowAgain(t *testing.T) {
	t.Parallel()
	w := meeting(t, nil)
	follow := func(person int, from string) *http.Response {
		t.Helper()
		return w.call(t, "GET", "/meet/v1/stream", "", "Authorization", fmt.Sprintf("Bearer a/%d", person), "X-Forwarded-For", from)
	}
	for i := range 1000 {
		if res := follow(i%500, "198.51.100.1"); res.StatusCode != http.StatusOK {
			t.Fatalf("stream %d is refused: %d", i+1, res.StatusCode)
		}
	}
	res := follow(501, "198.51.100.1")
	if e := refusalOf(t, res); res.StatusCode != http.StatusTooManyRequests || e.Code != api.CodeRateLimited || res.Header.Get("Retry-After") == "" {
		t.Errorf("the 1001st stream from one address: %d %+v, Retry-After %q", res.StatusCode, e, res.Header.Get("Retry-After"))
	}
	if res := follow(502, "198.51.100.2"); res.StatusCode != http.StatusOK {
		t.Errorf("a stream from another address: %d", res.StatusCode)
	}
}

func TestAnIPv6SiteIsAPrefixOf48Bits(t *testing.T) {
	t.Parallel()
	for _, off := range []bool{false, true} {
		w, _ := behindProxy(t, func(c *Config) { c.Limits = Limits{Off: off} })
		got := ""
		Handle(w.group, Op{ID: "site", Method: "GET", Path: "/site", Public: true}, func(ctx context.Context, _ *struct{}) (pad, error) {
			got = Site(ctx)
			return aPad(), nil
		})
		for address, want := range map[string]string{"198.51.100.1": "198.51.100.1", "2001:db8:1:2::1": "2001:db8:1::/48", "64:ff9b::c633:6401": "198.51.100.1"} {
			if off {
				want = ""
			}
			w.call(t, "GET", "/api/v1/site", "", "X-Forwarded-For", address)
			if got != want {
				t.Errorf("limits off %v, from %s: %q, want %q", off, address, got, want)
			}
		}
	}
	if got := Site(t.Context()); got != "" {
		t.Errorf("outside of a request: %q", got)
	}
}

// Changes from one address run a few at a time, so that in a burst others wait
// for those few only.
func TestABurstFromOneAddressDelaysNoOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := meeting(t, nil)
		var running, most atomic.Int32
		release := make(chan struct{})
		Handle(w.Groups()[1], Op{ID: "vote", Method: "POST", Path: "/vote", Summary: "Vote", Tag: "Meeting"}, func(context.Context, *struct{}) (pad, error) {
			n := running.Add(1)
			defer running.Add(-1)
			for before := most.Load(); n > before && !most.CompareAndSwap(before, n); before = most.Load() {
				continue
			}
			<-release
			return aPad(), nil
		})
		var all sync.WaitGroup
		vote := func(from string) {
			all.Go(func() {
				if res := w.call(t, "POST", "/meet/v1/vote", "", "Authorization", "Bearer a/1", "X-Forwarded-For", from); res.StatusCode != http.StatusOK {
					t.Errorf("a vote from %s: %d", from, res.StatusCode)
				}
			})
		}
		for range 3 * changesAtOnce {
			vote("198.51.100.1")
		}
		synctest.Wait()
		if got := running.Load(); got != changesAtOnce {
			t.Errorf("%d changes from one address are carried out at a time, want %d", got, changesAtOnce)
		}
		vote("198.51.100.2")
		synctest.Wait()
		if got := running.Load(); got != changesAtOnce+1 {
			t.Errorf("with one from another address %d are carried out, want %d", got, changesAtOnce+1)
		}
		close(release)
		all.Wait()
		if most.Load() > changesAtOnce+1 {
			t.Errorf("%d were carried out at a time", most.Load())
		}
	})
}

// A change that gets no turn within five seconds is refused. Operations that
// take no turns do not wait.
func TestChangesThatHangDoNotBlockOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := meeting(t, nil)
		release := make(chan struct{})
		hang := func(context.Context, *struct{}) (pad, error) {
			<-release
			return aPad(), nil
		}
		Handle(w.Groups()[1], Op{ID: "vote", Method: "POST", Path: "/vote", Summary: "Vote", Tag: "Meeting"}, hang)
		Handle(w.Groups()[1], Op{ID: "connect", Method: "POST", Path: "/connect", Summary: "Connect", Tag: "Meeting", NoTurn: true}, hang)
		var all sync.WaitGroup
		send := func(path string) *http.Response {
			return w.call(t, "POST", "/meet/v1"+path, "", "Authorization", "Bearer a/1")
		}
		hold := func(path string) {
			for range changesAtOnce {
				all.Go(func() {
					if res := send(path); res.StatusCode != http.StatusOK {
						t.Errorf("%s: %d", path, res.StatusCode)
					}
				})
			}
			synctest.Wait()
		}
		hold("/connect")
		if res := send("/hand"); res.StatusCode != http.StatusOK {
			t.Errorf("a change while others hang without a turn: %d", res.StatusCode)
		}
		hold("/vote")
		began := time.Now()
		res := send("/hand")
		if e := refusalOf(t, res); e.Code != api.CodeServiceUnavailable || res.Header.Get("Retry-After") != "2" || time.Since(began) != turnWait {
			t.Errorf("a change while all turns are taken: %d %+v after %v", res.StatusCode, e, time.Since(began))
		}
		close(release)
		all.Wait()
		if res := send("/hand"); res.StatusCode != http.StatusOK {
			t.Errorf("a change after that: %d", res.StatusCode)
		}
	})
}

// What people have stored counts by its size, rounded up to whole kilobytes.
func TestSizesCountForTheAddressAndTheRoom(t *testing.T) {
	t.Parallel()
	w := meeting(t, map[string]int{ClassGroupSize: 4, ClassRoomGroupSize: 6})
	for i, step := range []struct {
		bytes        int
		ticket, from string
		status       int
		left         string
	}{
		{1, "a/1", "198.51.100.1", 200, `"group_kilobytes";r=3;t=10, "room_group_kilobytes";r=5;t=10`},
		{2048, "a/2", "198.51.100.1", 200, `"group_kilobytes";r=1;t=10, "room_group_kilobytes";r=3;t=10`},
		{2049, "b/3", "198.51.100.1", 200, `"group_kilobytes";r=0;t=10, "room_group_kilobytes";r=3;t=10`}, // the last one may be large
		{1, "b/4", "198.51.100.1", 429, ""},
		{1, "b/host", "198.51.100.1", 429, ""},
		{3072, "a/5", "198.51.100.2", 200, `"group_kilobytes";r=1;t=10, "room_group_kilobytes";r=0;t=10`},
		{1, "a/6", "198.51.100.3", 429, ""},
		{1, "b/7", "198.51.100.3", 200, `"group_kilobytes";r=2;t=10, "room_group_kilobytes";r=2;t=10`},
		{1, "a/host", "198.51.100.4", 200, `"group_kilobytes";r=3;t=10`},
	} {
		res := w.call(t, "POST", fmt.Sprintf("/meet/v1/commits?bytes=%d", step.bytes), "", "Authorization", "Bearer "+step.ticket, "X-Forwarded-For", step.from)
		if res.StatusCode != step.status || !strings.HasSuffix(res.Header.Get("RateLimit"), step.left) {
			t.Errorf("step %d, %d bytes with %s from %s: %d, left %s; want %d, %s", i+1, step.bytes, step.ticket, step.from, res.StatusCode, res.Header.Get("RateLimit"), step.status, step.left)
		}
		if after := res.Header.Get("Retry-After"); (after == "10") != (step.status == 429) {
			t.Errorf("step %d: Retry-After %q", i+1, after)
		}
	}
}
