package live

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/conclave-rooms/conclave/internal/mediaroom"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// How long a plan waits for things before it acts on them
// (docs/reference/meetings.md).
const (
	// emptyGrace is how long a meeting waits for somebody to come back, so
	// that it does not end when a person who is alone reloads the page.
	emptyGrace = 10 * time.Second
	// restartGrace is how long people have to come back after the media server
	// lost the room: their devices try again within a few seconds.
	restartGrace = 15 * time.Second
	// missingMost is how long a person who tries to connect again and again and
	// does not succeed counts as in.
	missingMost = 30 * time.Second
	// hintGrace is how long a plan waits for the hint that distinguishes a
	// goodbye from a lost network, when somebody is not connected any more.
	// Hints take milliseconds, and may be lost.
	hintGrace = 500 * time.Millisecond
	// moveGrace is how long a device that was sent to another media room may
	// stay in the old one, so that it connects to the new one first and there is
	// no silence on the way. A further move before it arrives gives it no more
	// time. A device that has arrived has the rest of it for leaving by itself:
	// LiveKit removes by identity only, so a removal that comes late could end the
	// connection with which the device is sent back a moment later. The media room
	// of a closed breakout stays as long.
	moveGrace = 5 * time.Second
	// goodbyeKept is how long a goodbye that the gate heard counts. The device may
	// still be connected somewhere else for as long as moveGrace.
	goodbyeKept = 2 * moveGrace
	// leaveTime is how soon a plan looks again for a device that said goodbye and is
	// still connected. The media server needs some milliseconds to let it go.
	leaveTime = 200 * time.Millisecond
	// moveTime is how long a device on its way to another media room may be in
	// none.
	moveTime = 10 * time.Second
)

// seen is one connection as the media server shows it.
type seen struct {
	Identity   string
	Name       string
	Microphone bool     // has a microphone track, open or muted
	Open       []string // ids of the microphone tracks that can be heard, and of the sound of a screen that is not shown; a client may publish several
	HasCamera  bool     // has a camera track, on or off
	Camera     []string // ids of the camera tracks that can be seen
	ScreenOn   bool
	HandRaised bool   // the attribute that stock clients set
	Rights     rights // what it may do
	Half       bool   // publishes on half a connection: it can be heard and cannot hear
}

// state is what the database remembers of a room.
type state struct {
	Room    room.Room
	Meeting *seat.Meeting // nil when none runs
	Seats   []seat.Seat   // of people who are in, may come back, or were let through

	Breakouts []mediaroom.Breakout
}

// equal says whether a plan for one state also fits another.
func (st state) equal(other state) bool {
	return reflect.DeepEqual(st, other)
}

// letThroughAs is the state with the times of another state at which the gate let
// people through.
func (st state) letThroughAs(other state) state {
	at := map[string]time.Time{}
	for _, held := range other.Seats {
		at[held.Identity] = held.LetThroughAt
	}
	st.Seats = slices.Clone(st.Seats)
	for i, held := range st.Seats {
		if when, there := at[held.Identity]; there {
			st.Seats[i].LetThroughAt = when
		}
	}
	return st
}

// outcome is what a snapshot means for a state: changes to write with their
// events, and what to send to the media server afterwards.
type outcome struct {
	Start    bool        // a meeting starts
	Joined   []seat.Seat // now in
	Gone     []departure // not in any more
	Touched  []seat.Seat // in as before, with details to write
	Emptied  bool        // nobody is left: the wait begins
	Refilled bool        // somebody is back before the wait was over
	Finish   bool        // the wait is over

	Close   []string // breakouts whose media rooms are not needed any more; "" is the main one
	Forget  []string // closed breakouts whose media rooms are gone
	Evict   []intruder
	Entered []entrant   // with something on that has to be turned off
	Regrant []seat.Seat // seats whose name and rights have to be sent to the media server
	Next    time.Time   // when the next Sync is due without a request; zero: never
}

// entrant is a person who has come in with a source on that has to be off.
type entrant struct {
	Seat   seat.Seat
	Source source
	Tracks []string // the ids of the tracks that others receive
}

// intruder is a connection in a media room where it may not be: it has no seat
// that allows it, or a seat whose place is elsewhere.
type intruder struct {
	BreakoutID string
	Identity   string
	Late       bool // has been arriving for too long
}

// writes says whether there is anything to write.
func (o *outcome) writes() bool {
	return o.Start || len(o.Joined) > 0 || len(o.Gone) > 0 || len(o.Touched) > 0 || o.Emptied || o.Refilled || o.Finish || len(o.Forget) > 0
}

// plan works out what a snapshot of the media server means.
func plan(st state, snap snapshot, now time.Time) outcome {
	var o outcome
	present, gone := 0, []seat.Seat{}
	known := map[string]seat.Seat{}
	for _, held := range st.Seats {
		if held.MayBeConnected(st.Room) {
			known[held.Identity] = held
		}
		_, allowed := known[held.Identity]
		person, where, connected := snap.find(held)
		switch {
		case connected && allowed:
			present++
			o.arrive(st, held, person, where == held.BreakoutID, snap[where].Generation, now)
			o.syncAgain(held, person, where, snap[held.BreakoutID], now)
		case !connected && held.Status == seat.In:
			if o.miss(held, snap[held.BreakoutID], now) {
				present++
			}
		case !connected && allowed:
			if !o.approaches(held, snap) {
				gone = append(gone, held)
			}
		}
	}
	for breakoutID, g := range snap {
		o.clear(st, breakoutID, g, known, now)
	}
	o.closeBreakouts(st, snap, now)
	o.abandon(gone, now)
	slices.SortFunc(o.Joined, seat.ByArrival)
	slices.SortFunc(o.Gone, func(a, b departure) int { return seat.ByArrival(a.Seat, b.Seat) })
	o.Start = st.Meeting == nil && len(o.Joined) > 0
	o.closing(st, snap, present, now)
	slices.SortFunc(o.Evict, func(a, b intruder) int {
		return cmp.Or(strings.Compare(a.BreakoutID, b.BreakoutID), strings.Compare(a.Identity, b.Identity))
	})
	slices.Sort(o.Close)
	o.Close = slices.Compact(o.Close)
	return o
}

// clear finds the connections that have to leave a media room.
func (o *outcome) clear(st state, breakoutID string, g roomSnapshot, known map[string]seat.Seat, now time.Time) {
	out := 0
	for identity := range g.People {
		held, ok := known[identity]
		if ok && !o.mustGo(held, breakoutID, now) {
			continue
		}
		out++
		o.Evict = append(o.Evict, intruder{breakoutID, identity, false})
	}
	for identity, since := range g.Arriving {
		held, ok := known[identity]
		by := held.ArriveBy(since)
		late := !now.Before(by)
		if ok && !late {
			o.wakeAt(by)
		}
		if !ok || late || o.mustGo(held, breakoutID, now) {
			o.Evict = append(o.Evict, intruder{breakoutID, identity, late})
		}
	}
	// No connection belongs there: the meeting was ended, or the room deleted.
	// Closing the media room is one call and reaches everybody. While the meeting
	// runs, each device has to go for a reason of its own, such as a removal, and
	// learns it only if it is disconnected singly.
	expected := slices.ContainsFunc(st.Seats, func(s seat.Seat) bool {
		return s.BreakoutID == breakoutID && (s.Status == seat.LetThrough || s.Status == seat.In)
	})
	if st.Meeting == nil && out > 0 && out == len(g.People) && !expected {
		o.Close = append(o.Close, breakoutID)
	}
}

// mustGo says whether a connection has to leave a media room because its seat
// belongs in another one.
func (o *outcome) mustGo(held seat.Seat, breakoutID string, now time.Time) bool {
	if held.BreakoutID == breakoutID {
		return false
	}
	until := held.PlacedAt.Add(moveGrace)
	if graceRuns(until, moveGrace, now) {
		o.wakeAt(until)
		return false
	}
	return true
}

// graceRuns says whether a grace runs that ends at a time. If that is too far off, the
// clock was set back since it began, and it is over: nobody waits until the clock has
// caught up. Clocks of nodes may differ by less.
func graceRuns(until time.Time, grace time.Duration, now time.Time) bool {
	left := until.Sub(now)
	return 0 < left && left <= 2*grace
}

// closeBreakouts closes the media rooms of closed breakouts after everybody had
// time to go, and forgets the media rooms that are gone.
func (o *outcome) closeBreakouts(st state, snap snapshot, now time.Time) {
	for _, b := range st.Breakouts {
		if b.ClosedAt.IsZero() {
			continue
		}
		until := b.ClosedAt.Add(moveGrace)
		switch {
		case graceRuns(until, moveGrace, now):
			o.wakeAt(until)
		case snap[b.ID].Generation != "":
			o.Close = append(o.Close, b.ID)
		default:
			o.Forget = append(o.Forget, b.ID)
		}
	}
}

// arrive handles a seat that is connected: where it has to be, or still elsewhere
// on its way.
func (o *outcome) arrive(st state, held seat.Seat, person seen, there bool, generation string, now time.Time) {
	before := held
	held.MissingSince = time.Time{}
	if there {
		held.Generation = generation
	}
	if !person.Half {
		held.Late, held.LateAt = 0, time.Time{}
		held.ArrivingFor, held.ArrivingAt = 0, time.Time{}
	}
	if held.TicketHash == "" {
		// A client that has no ticket raises its hand in the only place it can.
		switch {
		case person.HandRaised && held.HandRaisedAt.IsZero():
			held.HandRaisedAt = now
		case !person.HandRaised:
			held.HandRaisedAt = time.Time{}
		}
	}
	if held.MutedWhileGone() {
		held.MutedAt = now // and so they come back muted, however long they were gone
	}
	if there {
		o.enter(st.Room, &held, person, now)
	}
	if held.Status == seat.Lost && !held.OnStageStill(now) {
		held.OnStage, held.SpotlitAt = false, time.Time{}
	}
	// Elsewhere it keeps its present rights, because those of its new place are
	// not meant for the old one.
	if there && (person.Rights != rightsIn(st.Room, held) || person.Name != held.Name) {
		o.Regrant = append(o.Regrant, held)
	}
	switch {
	case held.Status != seat.In:
		held.Status, held.JoinedAt, held.LeftAt = seat.In, now, time.Time{}
		o.Joined = append(o.Joined, held)
	case held != before:
		o.Touched = append(o.Touched, held)
	}
}

// enter checks the first microphone and the first camera of a device: it turns them off
// if the person has to come in without them.
func (o *outcome) enter(r room.Room, held *seat.Seat, person seen, now time.Time) {
	for _, what := range []source{microphone(), camera()} {
		handled := what.handled(held)
		if *handled || !what.enters(*held, person) {
			continue
		}
		if tracks := what.sent(person); len(tracks) > 0 && what.entersOff(*held, r, now) {
			o.Entered = append(o.Entered, entrant{*held, what, tracks})
		} else {
			*handled = true
		}
	}
}

// approaches says whether a device that is not in the meeting has a signalling
// connection, and notes since when it has had only this connection.
func (o *outcome) approaches(held seat.Seat, snap snapshot) bool {
	var since time.Time
	for _, g := range snap {
		since = latest(since, g.Arriving[held.Identity])
	}
	if arriving := held.Arriving(since); arriving != held {
		o.Touched = append(o.Touched, arriving)
	}
	return !since.IsZero()
}

// closing handles a meeting that is empty.
func (o *outcome) closing(st state, snap snapshot, present int, now time.Time) {
	if st.Meeting == nil {
		return
	}
	emptied := st.Meeting.EmptiedAt
	switch {
	case present > 0:
		o.Refilled = !emptied.IsZero()
	case emptied.IsZero(), emptied.After(now): // it lies in the future if the clock was set back since
		o.Emptied = true
		o.wakeAt(now.Add(emptyGrace))
	case now.Before(emptied.Add(emptyGrace)):
		o.wakeAt(emptied.Add(emptyGrace))
	default:
		if until := arrival(st, snap, emptied.Add(emptyGrace+missingMost)); now.Before(until) {
			o.wakeAt(until)
			return
		}
		o.Finish = true
		for breakoutID, g := range snap {
			// The media server closes an empty main room by itself a minute later.
			// Closing it here would disconnect a person who connects at this moment,
			// and who starts the next meeting.
			if breakoutID != "" || len(g.People)+len(g.Arriving) > 0 {
				o.Close = append(o.Close, breakoutID)
			}
		}
	}
}

// arrival returns until when an empty meeting waits for devices that are on their
// way in: the gate let them through, or the media server shows them arriving.
// most bounds it, so that a device that never arrives does not keep the meeting.
func arrival(st state, snap snapshot, most time.Time) time.Time {
	var until time.Time
	for _, held := range st.Seats {
		if !held.MayBeConnected(st.Room) {
			continue
		}
		until = latest(until, held.LetThroughAt.Add(seat.ConnectGrace))
		if since, arriving := snap[held.BreakoutID].Arriving[held.Identity]; arriving {
			until = latest(until, held.ArriveBy(since))
		}
	}
	return earliest(until, most)
}

func (o *outcome) wakeAt(t time.Time) {
	if o.Next.IsZero() || t.Before(o.Next) {
		o.Next = t
	}
}
