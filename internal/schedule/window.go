package schedule

import (
	"slices"
	"strings"
	"time"
)

// place is where a meeting stands in a list: by the start of its first
// occurrence in the window, then by its id.
type place struct {
	start moment
	id    string
}

func (p place) before(other place) bool { return p.compare(other) < 0 }

func (p place) compare(other place) int {
	if p.start != other.start {
		if p.start < other.start {
			return -1
		}
		return 1
	}
	return strings.Compare(p.id, other.id)
}

// window is what a list asks for: what is under way at from or starts before
// to, behind a place. The zero place is before every other.
type window struct {
	from, to moment
	after    place
}

// soonest finds the series that overlap a window, at most limit of them, by
// their places. It looks at every series and remembers only so many.
func soonest(all []series, w window, limit int) []place {
	best := make([]place, 0, limit+1)
	clocks := map[*time.Location]*clock{}
	for _, s := range all {
		if s.rule.first >= w.to || s.rule.until <= w.from-s.rule.duration {
			continue
		}
		c := clocks[s.rule.zone]
		if c == nil {
			c = &clock{zone: s.rule.zone, spans: nil}
			clocks[s.rule.zone] = c
		}
		start, ok := s.rule.overlapping(c, w.from)
		p := place{start: start, id: s.id}
		if !ok || start >= w.to || !w.after.before(p) || len(best) == limit && !p.before(best[limit-1]) {
			continue
		}
		i, _ := slices.BinarySearchFunc(best, p, place.compare)
		if best = slices.Insert(best, i, p); len(best) > limit {
			best = best[:limit]
		}
	}
	return best
}
