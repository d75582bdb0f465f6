package stream

import (
	"slices"
	"sync"
)

// mostStreams is how many streams of one ticket may be open at a time on one node.
// A device needs one. A second or third one may be an old stream whose end was not
// noticed yet, or a duplicated tab.
const mostStreams = 4

// followers are the open streams of this node, by ticket.
type followers struct {
	mu      sync.Mutex
	streams map[string][]*follower // oldest first
}

// follower is one open stream.
type follower struct {
	replaced chan struct{} // closed when newer ones took its place
}

// enter adds a stream, and ends the oldest when there are too many.
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
	return self
}

// leave removes a stream, and says whether no other stream of the ticket is open
// here.
func (f *followers) leave(ticketHash string, self *follower) (last bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	open := slices.DeleteFunc(f.streams[ticketHash], func(one *follower) bool { return one == self })
	if len(open) > 0 {
		f.streams[ticketHash] = open
		return false
	}
	delete(f.streams, ticketHash)
	return true
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
