package schedule

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// many makes series, some of which overlap a window.
func many(n int, zone *time.Location) []series {
	random := rand.New(rand.NewPCG(1, 2))
	all := make([]series, n)
	for i := range all {
		first := random.Int64N(60 * day)
		until := int64(math.MaxInt64)
		if i%3 == 0 {
			until = first + random.Int64N(60*day)
		}
		all[i] = series{id: fmt.Sprintf("%06d", i), rule: newRule(oracleRules()[i%5], first, first+1+random.Int64N(day), until, zone)}
	}
	return all
}

// The soonest of many series are the same that sorting all of them finds, and the
// pages of a list follow each other without a gap.
func TestSoonest(t *testing.T) {
	t.Parallel()
	zone, err := new(zones).load("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	all := many(700, zone)
	from, to := 30*day, 45*day
	var want []position
	for _, s := range all {
		if start, ok := s.rule.overlapping(&clock{zone: zone, spans: nil}, from); ok && start < to {
			if start+s.rule.duration <= from {
				t.Fatalf("%s is over at the beginning of the window", s.id)
			}
			want = append(want, position{start: start, id: s.id})
		}
	}
	slices.SortFunc(want, position.compare)
	if len(want) < 200 || len(want) == len(all) {
		t.Fatalf("the window has %d of %d series", len(want), len(all))
	}
	for _, limit := range []int{1, 7, 101, 1000} {
		var got []position
		w := window{from: from, to: to, after: position{start: math.MinInt64, id: ""}}
		for {
			page := soonest(all, w, limit)
			got = append(got, page...)
			if len(page) < limit {
				break
			}
			w.after = page[limit-1]
		}
		if !slices.Equal(got, want) {
			t.Errorf("in pages of %d: %d positions, want %d", limit, len(got), len(want))
		}
	}
}

// The index makes room by forgetting the workspaces that were listed longest ago. A
// workspace that is larger than the index is not kept.
func TestTheIndexIsBounded(t *testing.T) {
	t.Parallel()
	var x index
	now := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	third := make([]series, mostSeries/3)
	for i := range 3 {
		x.keep(fmt.Sprint(i), seriesAt{revision: 1, series: third, usedAt: now.Add(time.Duration(i) * time.Second)})
	}
	x.keep("0", seriesAt{revision: 1, series: third, usedAt: now.Add(time.Minute)})
	x.keep("3", seriesAt{revision: 1, series: third, usedAt: now.Add(time.Minute)})
	x.keep("huge", seriesAt{revision: 1, series: make([]series, mostSeries+1), usedAt: now.Add(time.Hour)})
	for workspace, want := range map[string]bool{"0": true, "1": false, "2": true, "3": true, "huge": false} {
		if got := x.find(workspace, now.Add(time.Hour)).revision == 1; got != want {
			t.Errorf("the workspace %s is kept: %v, want %v", workspace, got, want)
		}
	}
	if x.total != 3*len(third) {
		t.Errorf("%d series are counted, want %d", x.total, 3*len(third))
	}
	// A transaction that began earlier does not put older series back.
	x.keep("0", seriesAt{revision: 3, series: nil, usedAt: now})
	x.keep("0", seriesAt{revision: 2, series: third, usedAt: now})
	if got := x.find("0", now); got.revision != 3 || x.total != 2*len(third) {
		t.Errorf("revision %d is kept and %d series are counted", got.revision, x.total)
	}
	// After a day what was kept is no longer used.
	for after, want := range map[time.Duration]int64{trustFor - 1: 3, trustFor: 0} {
		if got := x.find("0", now.Add(after)).revision; got != want {
			t.Errorf("after %s the revision is %d, want %d", after, got, want)
		}
	}
}

func BenchmarkSoonest(b *testing.B) {
	zone, err := new(zones).load("Europe/Berlin")
	if err != nil {
		b.Fatal(err)
	}
	all := many(10_000, zone)
	w := window{from: 365 * 50 * day, to: 365*50*day + 30*day, after: position{start: math.MinInt64, id: ""}}
	for b.Loop() {
		soonest(all, w, 26)
	}
}
