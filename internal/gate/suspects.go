package gate

import (
	"cmp"
	"net/netip"
	"slices"
	"time"
)

// When the media server crashes, a message or packet of somebody may have
// caused it, and that person may come back and do it again. It is not known who
// it was. But a person who came in, or announced a track, shortly before one
// crash and again shortly before the next is a likelier cause than people who
// came earlier. The gate keeps such a person out, for longer with each crash.
const (
	// lookBack is the time before the first crash in which people are suspects.
	// It doubles with each further crash within suspicion.
	lookBack = 10 * time.Second
	// suspicion is how long a crash counts, and how long somebody must stay
	// unsuspected to be forgotten.
	suspicion = 10 * time.Minute
	// enoughEnds is how many crashes somebody has to precede to be kept out.
	enoughEnds = 2
	// firstRefusal is how long somebody is then kept out. It doubles with each
	// further crash, up to longestRefusal.
	firstRefusal   = 10 * time.Second
	longestRefusal = 10 * time.Minute
	// leftLately is how long after a connection ended it can still be the cause
	// of a crash, and within which a person who reconnects does not count as a
	// new arrival.
	leftLately = 10 * time.Second
)

// device is one device in a room.
type device struct{ identity, room string }

// person is somebody in a room, on any number of devices.
type person struct{ id, room string }

// stay is what the ledger knows of a device that is in, or was lately.
type stay struct {
	person    person
	address   netip.Addr // the latest one
	since     time.Time  // when it came in; reconnecting does not change it
	announced time.Time  // when it last announced a track for the first time
	tracks    int        // announced in total
	repeats   int        // tracks that it may announce again after reconnecting, without counting as new
	open      int        // connections
	left      time.Time  // when the last connection ended
	ended     time.Time  // when the media server last crashed while it was in
}

// here says whether the device may have caused a crash at this moment.
func (v *stay) here(now time.Time) bool { return v.open > 0 || now.Sub(v.left) <= leftLately }

// remembered says whether a device that reconnects continues this stay: it was
// lost a moment ago, or was in when the media server crashed.
func (v *stay) remembered(now time.Time) bool {
	return v.here(now) || !v.ended.IsZero() && now.Sub(v.ended) <= suspicion
}

// record is how many crashes somebody preceded, and until when they are kept
// out for it.
type record struct {
	ends  int
	last  time.Time
	until time.Time
}

// preceded is the record after one more crash.
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

// keptOut says whether they were kept out, and the record still counts.
func (r record) keptOut(now time.Time) bool { return !r.until.IsZero() && !r.forgotten(now) }

// forgotten says whether the record no longer counts.
func (r record) forgotten(now time.Time) bool {
	return now.Sub(r.last) > suspicion && now.Sub(r.until) > suspicion
}

// ledger is what is known of everybody. It has no clock: every method takes the
// time.
type ledger struct {
	stays    map[device]*stay
	persons  map[person]record
	networks map[netip.Prefix]record
	ends     []time.Time // crashes of the media server, within suspicion
	swept    time.Time
}

func newLedger() *ledger {
	return &ledger{stays: map[device]*stay{}, persons: map[person]record{}, networks: map[netip.Prefix]record{}}
}

// entered notes a connection.
func (l *ledger) entered(now time.Time, d device, personID string, from netip.Addr) {
	l.sweep(now)
	p := person{personID, d.room}
	v := l.stays[d]
	switch {
	case v == nil || !v.remembered(now):
		v = &stay{person: p, since: now}
		l.stays[d] = v
	case l.persons[p].keptOut(now): // coming back after a refusal is a new arrival
		v.since, v.tracks = now, 0
	}
	v.repeats = v.tracks
	v.open++
	v.address = from
}

// announced notes a new track of a device that is in.
func (l *ledger) announced(now time.Time, d device) {
	v := l.stays[d]
	switch {
	case v == nil:
	case v.repeats > 0:
		v.repeats--
	default:
		v.tracks++
		v.announced = now
	}
}

// left notes that a connection ended.
func (l *ledger) left(now time.Time, d device) {
	if v := l.stays[d]; v != nil {
		v.open--
		v.left = now
	}
}

// mediaEnded notes a crash of the media server and returns the suspects.
func (l *ledger) mediaEnded(now time.Time) []Suspect {
	l.sweep(now)
	for len(l.ends) > 0 && now.Sub(l.ends[0]) > suspicion {
		l.ends = l.ends[1:]
	}
	l.ends = append(l.ends, now)
	back := min(lookBack<<min(len(l.ends)-1, 16), suspicion)
	var suspects []Suspect
	persons, networks := map[person]bool{}, map[netip.Prefix]bool{}
	for d, v := range l.stays {
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
		suspects = append(suspects, Suspect{Identity: d.identity, Room: d.room, Address: v.address, person: v.person})
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
	slices.SortFunc(suspects, func(a, b Suspect) int { // the most frequent first
		return cmp.Or(cmp.Compare(b.Ends, a.Ends), cmp.Compare(a.Identity, b.Identity))
	})
	return suspects
}

// wait is how long somebody has to wait before they may come in: for the rest
// of their own refusal or, unless they were in when the media server crashed,
// of their network's.
func (l *ledger) wait(now time.Time, d device, personID string, from netip.Addr) time.Duration {
	p := person{personID, d.room}
	wait := l.persons[p].until.Sub(now)
	if from.IsValid() && !l.knows(now, p) {
		wait = max(wait, l.networks[network(from)].until.Sub(now))
	}
	return max(wait, 0)
}

// knows says whether somebody is in, was lately, or was in when the media
// server crashed.
func (l *ledger) knows(now time.Time, p person) bool {
	for _, v := range l.stays {
		if v.person == p && v.remembered(now) {
			return true
		}
	}
	return false
}

// sweep removes what no longer counts, at intervals.
func (l *ledger) sweep(now time.Time) {
	if now.Sub(l.swept) < leftLately {
		return
	}
	l.swept = now
	for d, v := range l.stays {
		if !v.remembered(now) {
			delete(l.stays, d)
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

// network is the part of an address that stands for one household or office: an
// IPv4 address, or the first 64 bits of an IPv6 address.
func network(a netip.Addr) netip.Prefix {
	a = a.Unmap().WithZone("")
	bits := a.BitLen()
	if a.Is6() {
		bits = 64
	}
	prefix, _ := a.Prefix(bits) // a valid address has that many bits
	return prefix
}
