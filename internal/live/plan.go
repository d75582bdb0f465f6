package live

import (
	"slices"
	"time"

	"github.com/conclave-rooms/conclave/internal/room"
)

// How long things may take before they mean something
// (docs/reference/meetings.md).
const (
	// emptyGrace is how long a meeting waits for somebody to come back, so
	// that the reload of a person alone ends nothing.
	emptyGrace = 10 * time.Second
	// restartGrace is how long people have to come back after the media server
	// lost the room: their devices try again within a few seconds.
	restartGrace = 15 * time.Second
	// connectGrace is how long after the gate let somebody through the media
	// server may not show them yet: a reconnecting person is in neither
	// connection for a moment.
	connectGrace = 10 * time.Second
	// stageGrace is how long somebody on stage may be gone and come back to
	// it: a reload takes a few seconds.
	stageGrace = 15 * time.Second
	// hintGrace is how long somebody who is not connected any more waits for
	// the hint that tells a goodbye from a lost network. Hints take
	// milliseconds, and may be lost.
	hintGrace = 500 * time.Millisecond
)

// seen is one connection as the media server shows it.
type seen struct {
	Identity   string
	Microphone bool     // has a microphone track, open or muted
	Open       []string // ids of the microphone tracks that can be heard; a client may publish several
	VideoOn    bool
	ScreenOn   bool
	HandRaised bool // the attribute that stock clients set
}

// look is what the media server showed of a room.
type look struct {
	Generation string // "" when it has no such room
	People     map[string]seen
	Left       map[string]bool // identities the media server said are gone: true for those who said goodbye
}

// state is what the database remembers of a room.
type state struct {
	Room     room.Room
	Revision int64
	Meeting  *Meeting // nil when none runs
	Seats    []Seat   // of those who are in, may come back, or were let through
}

// departure is a seat that is not in any more.
type departure struct {
	Seat   Seat
	Reason string
	Status Status
}

// outcome is what a look means for a state: changes to write with their
// events, and what the media server has to be told afterwards.
type outcome struct {
	Start    bool        // a meeting starts
	Joined   []Seat      // now in
	Gone     []departure // not in any more
	Touched  []Seat      // in as before, with details to write
	Emptied  bool        // nobody is left: the wait begins
	Refilled bool        // somebody is back before the wait was over
	Finish   bool        // the wait is over

	Close  bool     // the media room has no reason to be any more
	Evict  []string // connected, but without a seat that may be
	Mute   []Seat   // to be muted on entry, each with its tracks in Tracks
	Regard []Seat   // seats whose rights the media server has to be told
	Tracks map[string][]string
	Next   time.Time // when to look again without being asked; zero: never
}

// writes says whether there is anything to write.
func (o *outcome) writes() bool {
	return o.Start || len(o.Joined) > 0 || len(o.Gone) > 0 || len(o.Touched) > 0 || o.Emptied || o.Refilled || o.Finish
}

// plan works out what a look at the media server means.
func plan(st state, lk look, now time.Time) outcome {
	o := outcome{Tracks: map[string][]string{}}
	present := 0
	known := map[string]bool{}
	for _, seat := range st.Seats {
		known[seat.Identity] = true
		person, connected := lk.People[seat.Identity]
		switch {
		case connected && (seat.Status == New || seat.Alive()) && !st.Room.Deleted():
			present++
			o.arrive(st, seat, person, lk.Generation, now)
		case connected:
			o.Evict = append(o.Evict, seat.Identity)
		case seat.Status == In:
			if o.miss(seat, lk, now) {
				present++
			}
		}
	}
	for identity := range lk.People {
		if !known[identity] {
			o.Evict = append(o.Evict, identity)
		}
	}
	slices.Sort(o.Evict)
	// Whoever is there has no business there: the meeting was ended, or the
	// room deleted. Closing it is one call and reaches everybody.
	o.Close = len(o.Evict) > 0 && len(o.Evict) == len(lk.People) && !slices.ContainsFunc(st.Seats, func(s Seat) bool { return s.Status == New })
	slices.SortFunc(o.Joined, byArrival)
	slices.SortFunc(o.Gone, func(a, b departure) int { return byArrival(a.Seat, b.Seat) })
	o.Start = st.Meeting == nil && len(o.Joined) > 0
	o.closing(st, present, now)
	return o
}

// arrive handles a seat that is connected.
func (o *outcome) arrive(st state, seat Seat, person seen, generation string, now time.Time) {
	before := seat
	seat.Generation, seat.MissingSince = generation, time.Time{}
	if seat.TicketHash == "" {
		// A client that has no ticket raises its hand in the only place it can.
		switch {
		case person.HandRaised && seat.HandRaisedAt.IsZero():
			seat.HandRaisedAt = now
		case !person.HandRaised:
			seat.HandRaisedAt = time.Time{}
		}
	}
	if person.Microphone && !seat.EntryHandled {
		if st.Room.Settings.MuteOnEntry && !seat.OwnInterface && len(person.Open) > 0 {
			o.Mute = append(o.Mute, seat)
			o.Tracks[seat.Identity] = person.Open
		} else {
			seat.EntryHandled = true
		}
	}
	if seat.Status == Lost && now.After(seat.LeftAt.Add(stageGrace)) {
		seat.OnStage = false // the stage lasts while connected; a reload is no leaving
	}
	if seat.May(st.Room).grantText() != seat.Grant {
		o.Regard = append(o.Regard, seat)
	}
	switch {
	case seat.Status != In:
		seat.Status, seat.JoinedAt, seat.LeftAt = In, now, time.Time{}
		o.Joined = append(o.Joined, seat)
	case seat != before:
		o.Touched = append(o.Touched, seat)
	}
}

// miss handles a seat that was in and is not connected, and says whether it
// still counts as in.
func (o *outcome) miss(seat Seat, lk look, now time.Time) bool {
	goodbye, hinted := lk.Left[seat.Identity]
	if until := patience(seat, lk, goodbye, hinted, now); now.Before(until) {
		if seat.MissingSince.IsZero() {
			seat.MissingSince = now
			o.Touched = append(o.Touched, seat)
		}
		o.wakeAt(until)
		return true
	}
	d := departure{Seat: seat, Reason: ReasonDisconnected, Status: Lost}
	if goodbye {
		d.Reason = ReasonLeft
		// Our own interface says so to the service when the person leaves; a
		// goodbye on the media connection alone is a page that was closed or
		// reloaded.
		if seat.TicketHash == "" {
			d.Status = Left
		}
	}
	o.Gone = append(o.Gone, d)
	return false
}

// patience is until when a seat counts as in without being connected.
func patience(seat Seat, lk look, goodbye, hinted bool, now time.Time) time.Time {
	since := seat.MissingSince
	if since.IsZero() {
		since = now
	}
	switch {
	case goodbye:
		return now
	case now.Before(seat.AdmittedAt.Add(connectGrace)):
		return seat.AdmittedAt.Add(connectGrace)
	case seat.Generation != lk.Generation:
		// The media server lost the room, and with it everybody: they come
		// back by themselves.
		return since.Add(restartGrace)
	case hinted:
		return now
	default:
		return since.Add(hintGrace)
	}
}

// closing handles a meeting that is empty.
func (o *outcome) closing(st state, present int, now time.Time) {
	if st.Meeting == nil {
		return
	}
	emptied := st.Meeting.EmptiedAt
	switch {
	case present > 0:
		o.Refilled = !emptied.IsZero()
	case emptied.IsZero():
		o.Emptied = true
		o.wakeAt(now.Add(emptyGrace))
	case now.Before(emptied.Add(emptyGrace)):
		o.wakeAt(emptied.Add(emptyGrace))
	default:
		o.Finish, o.Close = true, true
	}
}

func (o *outcome) wakeAt(t time.Time) {
	if o.Next.IsZero() || t.Before(o.Next) {
		o.Next = t
	}
}
