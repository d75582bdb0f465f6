package stream

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/conclave-rooms/conclave/internal/seat"
)

// mostStreams is how many streams of one ticket may be open at a time on one node.
// A device needs one. A second or third one may be an old stream whose end was not
// noticed yet, or a duplicated tab.
const mostStreams = 4

// followers are the open streams of this node, by ticket, and the people in the line
// whose presence or absence has to be noted.
type followers struct {
	mu      sync.Mutex
	streams map[string][]*follower // oldest first
	gone    map[string]waiter      // whose last stream here has ended, by ticket
	back    map[string]waiter      // who were noted as away and follow here, by ticket
}

// follower is one open stream.
type follower struct {
	replaced chan struct{} // closed when newer ones took its place
}

// waiter is a person in the line, and since when none of their devices follows here;
// the zero time when one does.
type waiter struct {
	seat.Key

	ticketHash string
	awayAt     time.Time
}

// enter adds a stream, and ends the oldest when there are too many. Its person is
// not gone any more.
func (f *followers) enter(ticketHash string) *follower {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.streams == nil {
		f.streams = map[string][]*follower{}
	}
	self := &follower{replaced: make(chan struct{})}
	open := slices.Concat(f.streams[ticketHash], []*follower{self})
	if len(open) > mostStreams {
		close(open[0].replaced)
		open = open[1:]
	}
	f.streams[ticketHash] = open
	delete(f.gone, ticketHash)
	return self
}

// leave removes a stream. who is the person to note as away, or nil.
func (f *followers) leave(ticketHash string, self *follower, who *waiter) {
	f.mu.Lock()
	defer f.mu.Unlock()
	open := slices.DeleteFunc(f.streams[ticketHash], func(one *follower) bool { return one == self })
	if len(open) > 0 {
		f.streams[ticketHash] = open
		return
	}
	delete(f.streams, ticketHash)
	if who == nil {
		return
	}
	if f.gone == nil {
		f.gone = map[string]waiter{}
	}
	f.gone[ticketHash] = *who
}

// goneSince returns up to many people whose last stream ended at a moment or before.
// They stay among those who are gone until noted is called.
func (f *followers) goneSince(moment time.Time, many int) []waiter {
	f.mu.Lock()
	defer f.mu.Unlock()
	var due []waiter
	for _, w := range f.gone {
		if !w.awayAt.After(moment) {
			due = append(due, w)
		}
	}
	slices.SortFunc(due, bySeat)
	return due[:min(len(due), many)]
}

// noted forgets people whose absence is noted, unless they came and went again.
func (f *followers) noted(gone []waiter) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, w := range gone {
		if f.gone[w.ticketHash] == w {
			delete(f.gone, w.ticketHash)
		}
	}
}

// comesBack adds a person who was noted as away and follows again.
func (f *followers) comesBack(w waiter) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.back == nil {
		f.back = map[string]waiter{}
	}
	f.back[w.ticketHash] = w
}

// takeBack returns the people who came back since it was called last.
func (f *followers) takeBack() []waiter {
	f.mu.Lock()
	defer f.mu.Unlock()
	back := slices.SortedFunc(maps.Values(f.back), bySeat)
	f.back = nil
	return back
}

// bySeat is an order in which all transactions can write to seats.
func bySeat(a, b waiter) int {
	return cmp.Or(cmp.Compare(a.RoomID, b.RoomID), cmp.Compare(a.Identity, b.Identity))
}

// open is how many streams are open.
func (f *followers) open() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, streams := range f.streams {
		n += len(streams)
	}
	return n
}
