package job

import (
	"fmt"
	"maps"
	"slices"
	"testing"
)

func TestShare(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]struct {
		ready []string
		busy  map[string]int
		room  int
		want  map[string]int
	}{
		"room for all":                        {[]string{"a", "b"}, map[string]int{"b": 3}, 100, map[string]int{"a": 4, "b": 1}},
		"a lane without a free slot":          {[]string{"a"}, map[string]int{"a": 4}, 100, map[string]int{}},
		"no room":                             {[]string{"a"}, nil, 0, map[string]int{}},
		"less than no room":                   {[]string{"a"}, nil, -1, map[string]int{}},
		"lanes with nothing come first":       {[]string{"stuck", "well"}, map[string]int{"stuck": 2}, 2, map[string]int{"well": 2}},
		"one each before anybody has another": {[]string{"a", "b", "c"}, nil, 4, map[string]int{"a": 2, "b": 1, "c": 1}},
	} {
		if got := share(s.ready, s.busy, 4, s.room); !maps.Equal(got, s.want) {
			t.Errorf("%s: %v, want %v", name, got, s.want)
		}
	}
}

func TestChoose(t *testing.T) {
	t.Parallel()
	due := []Job{{ID: "1", Lane: "a"}, {ID: "2", Lane: "c"}, {ID: "3", Lane: "a"}}
	free := []freeLane{{"a", []int{1, 3}}, {"b", []int{0}}, {"c", []int{0, 2}}, {"d", nil}}
	chosen, unfinished, full := choose(due, free)
	var got []string
	leases := map[string]bool{}
	for _, c := range chosen {
		got = append(got, fmt.Sprint(c.Lane, c.slot, " ", c.ID))
		leases[c.lease] = true
	}
	if want := []string{"a1 1", "a3 3", "c0 2"}; !slices.Equal(got, want) || len(leases) != 3 {
		t.Errorf("chosen %v with %d leases, want %v with one each", got, len(leases), want)
	}
	if want := []string{"a"}; !slices.Equal(unfinished, want) {
		t.Errorf("lanes in which more may be due: %v, want %v", unfinished, want)
	}
	if want := []string{"d"}; !slices.Equal(full, want) {
		t.Errorf("lanes without a free slot: %v, want %v", full, want)
	}
}
