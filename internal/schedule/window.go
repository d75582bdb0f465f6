package schedule

import (
	"slices"
	"strings"
	"time"
)

// place is the position of a meeting in a list, given by the start of its first
// occurrence in the window and its id.
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

// window selects the meetings of a list: those that are under way at from or start
// before to, and whose place comes after the given one. The zero place comes before
// every other.
type window struct {
	from, to moment
	after    place
}

// soonest returns the places of the first series that overlap a window, at most
// limit of them. It visits every series but keeps only that many.
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
