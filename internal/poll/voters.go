package poll

import "sync"

// mostVoters is how many people a board remembers. It forgets them all when there are
// more: people may come and go in a room for a long time before its polls change.
const mostVoters = 5000

// voters are the names under which people vote, by the identities of their seats. They do
// not change while a person has a seat. So what a board shows to each device need not be
// asked of the database again after every change in the meeting.
type voters struct {
	mu    sync.Mutex
	known map[string]string
}

// of returns the name under which the holder of a seat votes; false when it is not known.
func (v *voters) of(identity string) (person string, known bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	person, known = v.known[identity]
	return person, known
}

// note remembers the name of somebody who came since the board was read.
func (v *voters) note(identity, person string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.known) >= mostVoters {
		clear(v.known)
	}
	v.known[identity] = person
}
