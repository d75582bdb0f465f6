package join

import (
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
)

// Strangers with a room's link can ask for any number of seats. So the seats that
// wait before a room, and those that were given and not used, have a limit. One
// network gets only a part of them.

const (
	// mostWaiting is how many people may wait before one room
	// (docs/reference/joining.md): more than any host can answer, and few
	// enough that strangers with a link cannot fill the database.
	mostWaiting = 2000
	// mostUnused is how many seats of a room may be given and not used
	// (docs/reference/joining.md): a host can admit everybody who waits at once, and
	// while those connect, even more people can come in by other ways.
	mostUnused = 5000
	// leastShare is how many of them one network may always have, so that a class
	// or a small office can come to a room while others flood it.
	leastShare = 50
)

// crowd counts the seats of a room that count as waiting, or as unused.
type crowd struct {
	most   int
	all    int
	theirs int // seats of the network that asks for one more
}

// full says whether no seat is left.
func (c crowd) full() bool { return c.all >= c.most }

// share is how many seats one network may have: a quarter of what the others leave
// free. So hundreds of people can come from a company behind one address. In a
// flood from several networks each one gets less than the one before: it takes
// thirteen of them to fill a waiting room, and not four.
func (c crowd) share() int {
	free := c.most - (c.all - c.theirs)
	return max(free/4, leastShare)
}

// refuse refuses one more seat; nil when there is room for it. network is "" for
// people who count for no network.
func (c crowd) refuse(network, doing string) error {
	switch {
	case c.full():
		return errCrowd("Too many people are " + doing + " this room.")
	case network != "" && c.theirs >= c.share():
		return errCrowd("Too many people from your network are " + doing + " this room.")
	}
	return nil
}

func errCrowd(sentence string) error {
	f := fault.New(fault.RateLimited, api.CodeWaitingFull, sentence+" Try again in a minute.")
	f.RetryAfter = time.Minute
	return f
}
