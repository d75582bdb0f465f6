package gate

import (
	"cmp"
	"net/netip"
	"slices"
	"time"
)

// When the media server ends by itself, somebody's message or packet may have
// been the reason, and they may come back to do it again. Nobody can tell who
// it was. A person who came in, or announced a track, shortly before one end and
// again shortly before the next is more likely than people who came earlier. The
// gate keeps such a person out for a time that grows with each end.
const (
	// lookBack is how far before the first end people are looked for; before
	// each further one within suspicion it is twice as far.
	lookBack = 10 * time.Second
	// suspicion is how long an end counts, and how long somebody must have had
	// nothing to do with one to be forgotten.
	suspicion = 10 * time.Minute
	// enoughEnds is how many ends somebody has to precede to be kept out.
	enoughEnds = 2
	// firstRefusal is how long they are then kept out; with each further end it
	// is twice as long, and longestRefusal at most.
	firstRefusal   = 10 * time.Second
	longestRefusal = 10 * time.Minute
	// leftLately is how long after a connection is over it can still be what
	// ended the media server, and how long a person who reconnects does not
	// count as a new arrival.
	leftLately = 10 * time.Second
)

// who is one device in a room.
type who struct{ identity, room string }

// person is somebody in a room, on however many devices.
type person struct{ id, room string }

// visit is what is known of a device that is in, or was lately.
type visit struct {
	person    person
	address   netip.Addr // as it was last
	since     time.Time  // when it came in; coming back does not change it
	announced time.Time  // when it last announced a track that it had not announced before
	tracks    int        // announced altogether
	repeats   int        // tracks that it may announce again, having come back, without that being news
	open      int        // connections
	left      time.Time  // when the last of them was over
	ended     time.Time  // when the media server last ended while it was in
}

// here says whether a visit may be what ended the media server.
func (v *visit) here(now time.Time) bool { return v.open > 0 || now.Sub(v.left) <= leftLately }

// remembered says whether a device that came back would still be the same
// visit: it was lost a moment ago, or was in when the media server ended.
func (v *visit) remembered(now time.Time) bool {
	return v.here(now) || !v.ended.IsZero() && now.Sub(v.ended) <= suspicion
}

// record is how often somebody preceded an end, and until when they are kept
// out for it.
type record struct {
	ends  int
	last  time.Time
	until time.Time
}

// preceded is the record after one more end.
func (r record) preceded(now time.Time) record {
	if r.forgotten(now) {
		r = record{}
	}
	r.ends++
	r.last = now
	if r.ends >= enoughEnds {
		r.until = now.Add(min(firstRefusal<<min(r.ends-enoughEnds, 16), longestRefusal))
	}
	return r
}

// keptOut says whether there was a refusal that is not forgotten.
func (r record) keptOut(now time.Time) bool { return !r.until.IsZero() && !r.forgotten(now) }

// forgotten says whether the record counts no more.
func (r record) forgotten(now time.Time) bool {
	return now.Sub(r.last) > suspicion && now.Sub(r.until) > suspicion
}

// ledger is what is known of everybody. It has no clock: each step says when it
// is taken.
type ledger struct {
	visits   map[who]*visit
	persons  map[person]record
	networks map[netip.Prefix]record
	ends     []time.Time // of the media server, within suspicion
	swept    time.Time
}

func newLedger() *ledger {
	return &ledger{visits: map[who]*visit{}, persons: map[person]record{}, networks: map[netip.Prefix]record{}}
}

// entered notes a connection.
func (l *ledger) entered(now time.Time, w who, personID string, from netip.Addr) {
	l.sweep(now)
	p := person{personID, w.room}
	v := l.visits[w]
	switch {
	case v == nil || !v.remembered(now):
		v = &visit{person: p, since: now}
		l.visits[w] = v
	case l.persons[p].keptOut(now): // to be let in again is to come in
		v.since, v.tracks = now, 0
	}
	v.repeats = v.tracks
	v.open++
	v.address = from
}

// announced notes a new track of somebody who is in.
func (l *ledger) announced(now time.Time, w who) {
	v := l.visits[w]
	switch {
	case v == nil:
	case v.repeats > 0:
		v.repeats--
	default:
		v.tracks++
		v.announced = now
	}
}

// left notes that a connection is over.
func (l *ledger) left(now time.Time, w who) {
	if v := l.visits[w]; v != nil {
		v.open--
		v.left = now
	}
}

// mediaEnded notes an end of the media server, and gives the suspects.
func (l *ledger) mediaEnded(now time.Time) []Suspect {
	l.sweep(now)
	for len(l.ends) > 0 && now.Sub(l.ends[0]) > suspicion {
		l.ends = l.ends[1:]
	}
	l.ends = append(l.ends, now)
	back := min(lookBack<<min(len(l.ends)-1, 16), suspicion)
	var suspects []Suspect
	persons, networks := map[person]bool{}, map[netip.Prefix]bool{}
	for w, v := range l.visits {
		if !v.here(now) {
			continue
		}
		v.ended = now
		if now.Sub(v.since) > back && now.Sub(v.announced) > back {
			continue
		}
		persons[v.person] = true
		if v.address.IsValid() {
			networks[network(v.address)] = true
		}
		suspects = append(suspects, Suspect{Identity: w.identity, Room: w.room, Address: v.address, person: v.person})
	}
	for p := range persons {
		l.persons[p] = l.persons[p].preceded(now)
	}
	for n := range networks {
		l.networks[n] = l.networks[n].preceded(now)
	}
	for i, s := range suspects {
		suspects[i].Ends = l.persons[s.person].ends
		suspects[i].Until = l.persons[s.person].until
	}
	slices.SortFunc(suspects, func(a, b Suspect) int { // those who did most often first
		return cmp.Or(cmp.Compare(b.Ends, a.Ends), cmp.Compare(a.Identity, b.Identity))
	})
	return suspects
}

// wait is how long somebody has to wait before they may come in: what is left
// of their own refusal, or, unless they were in when the media server ended, of
// their network's.
func (l *ledger) wait(now time.Time, w who, personID string, from netip.Addr) time.Duration {
	p := person{personID, w.room}
	wait := l.persons[p].until.Sub(now)
	if from.IsValid() && !l.knows(now, p) {
		wait = max(wait, l.networks[network(from)].until.Sub(now))
	}
	return max(wait, 0)
}

// knows says whether somebody is in, or was lately or when the media server
// ended.
func (l *ledger) knows(now time.Time, p person) bool {
	for _, v := range l.visits {
		if v.person == p && v.remembered(now) {
			return true
		}
	}
	return false
}

// sweep forgets what does not count any more, now and then.
func (l *ledger) sweep(now time.Time) {
	if now.Sub(l.swept) < leftLately {
		return
	}
	l.swept = now
	for w, v := range l.visits {
		if !v.remembered(now) {
			delete(l.visits, w)
		}
	}
	for p, r := range l.persons {
		if r.forgotten(now) {
			delete(l.persons, p)
		}
	}
	for n, r := range l.networks {
		if r.forgotten(now) {
			delete(l.networks, n)
		}
	}
}

// network is the part of an address that stands for one household or office:
// an IPv4 address, and the first 64 bits of an IPv6 address.
func network(a netip.Addr) netip.Prefix {
	a = a.Unmap().WithZone("")
	bits := a.BitLen()
	if a.Is6() {
		bits = 64
	}
	prefix, _ := a.Prefix(bits) // an address that is valid has as many bits
	return prefix
}
