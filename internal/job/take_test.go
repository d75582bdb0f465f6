package job

import (
	"maps"
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
