package webhook

import (
	"slices"
	"strings"
	"time"
)

// recovery is a search for missed events that is under way.
type recovery struct {
	ID          string // also of its job
	EndpointID  string
	WorkspaceID string
	After       cursor  // where it goes on
	Until       *cursor // the last event that it looks at; nil: no end
}

// cursor is a place in the list of events, which is ordered by time and id.
type cursor struct {
	At time.Time
	ID string
}

// includes says whether the recovery looks at the event at a place after its
// beginning.
func (r recovery) includes(c cursor) bool {
	if r.Until == nil {
		return true
	}
	order := c.At.Compare(r.Until.At)
	return order < 0 || order == 0 && strings.Compare(c.ID, r.Until.ID) <= 0
}

// openAfter returns the place after which one of the recoveries looks at all events;
// nil when none does. Those that are furthest behind come first.
func openAfter(all []recovery) *cursor {
	i := slices.IndexFunc(all, func(r recovery) bool { return r.Until == nil })
	if i < 0 {
		return nil
	}
	return &all[i].After
}

// joined says whether recoveries have begun since others were listed.
func joined(before, now []recovery) bool {
	return slices.ContainsFunc(now, func(r recovery) bool {
		return !slices.ContainsFunc(before, func(other recovery) bool { return other.ID == r.ID })
	})
}
