package schedule

import (
	"slices"
	"strings"
	"time"
)

// position is the place of a meeting in a list, given by the start of its first
// occurrence in the window and its id.
type position struct {
	start moment
	id    string
}

func (p position) before(other position) bool { return p.compare(other) < 0 }

func (p position) compare(other position) int {
	if p.start != other.start {
		if p.start < other.start {
			return -1
		}
		return 1
	}
	return strings.Compare(p.id, other.id)
}

// window selects the meetings of a list: those that are under way at from or start
// before to, and whose position comes after the given one. The zero position comes before
// every other.
type window struct {
	from, to moment
	after    position
}

// soonest returns the positions of the first series that overlap a window, at most
// limit of them. It visits every series but keeps only that many.
func soonest(all []series, w window, limit int) []position {
	best := make([]position, 0, limit+1)
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
		p := position{start: start, id: s.id}
		if !ok || start >= w.to || !w.after.before(p) || len(best) == limit && !p.before(best[limit-1]) {
			continue
		}
		i, _ := slices.BinarySearchFunc(best, p, position.compare)
		if best = slices.Insert(best, i, p); len(best) > limit {
			best = best[:limit]
		}
	}
	return best
}
