package live

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/schema"
	"github.com/conclave-rooms/conclave/internal/seat"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// seatIn is a person who has been in for a minute, in media room "g1".
func seatIn(identity string) seat.Seat {
	return seat.Seat{
		Holder:     seat.Holder{Identity: identity, Role: api.RoleParticipant},
		Status:     seat.In,
		Place:      seat.Place{Generation: "g1"},
		Connection: seat.Connection{LetThroughAt: noon.Add(-time.Minute), MicrophoneHandled: true, CameraHandled: true},
		JoinedAt:   noon.Add(-time.Minute),
	}
}

func with(s seat.Seat, changes ...func(*seat.Seat)) seat.Seat {
	for _, change := range changes {
		change(&s)
	}
	return s
}

func anyRoom() room.Room { return room.Room{ID: "r", Settings: usual()} }

func running(seats ...seat.Seat) state {
	return state{Room: anyRoom(), Meeting: &seat.Meeting{ID: "m", StartedAt: noon.Add(-time.Minute)}, Seats: seats}
}

func sees(generation string, people ...seen) snapshot {
	g := roomSnapshot{Generation: generation, People: map[string]seen{}, Left: map[string]stay{}}
	for _, p := range people {
		g.People[p.Identity] = p
	}
	return snapshot{"": g}
}

// bye is the snapshot after a hint that somebody who has just come said goodbye.
func bye(l snapshot, identity string) snapshot { return byeAfter(l, identity, 0) }

// byeAfter is the snapshot after a hint that somebody said goodbye who came some time
// ago.
func byeAfter(l snapshot, identity string, ago time.Duration) snapshot {
	l[""].Left[identity] = stay{Goodbye: true, JoinedAt: noon.Add(-ago)}
	return l
}

// planned is a plan for people whose rights are those of their seats, unless the
// snapshot shows others.
func planned(st state, snap snapshot, now time.Time) outcome {
	for _, held := range st.Seats {
		for _, place := range snap {
			if p, there := place.People[held.Identity]; there && p.Rights == (rights{}) {
				p.Rights = rightsIn(st.Room, held)
				place.People[held.Identity] = p
			}
		}
	}
	return plan(st, snap, now)
}

// gist is an outcome in words, for tables.
func gist(o outcome) []string {
	out := []string{}
	add := func(when bool, words string) {
		if when {
			out = append(out, words)
		}
	}
	add(o.Start, "start")
	for _, s := range o.Joined {
		add(true, "joined "+s.Identity)
	}
	for _, d := range o.Gone {
		add(true, "gone "+d.Seat.Identity+" "+d.Reason+" "+string(d.Status))
	}
	for _, s := range o.Touched {
		add(true, "touched "+s.Identity)
	}
	add(o.Emptied, "emptied")
	add(o.Refilled, "refilled")
	add(o.Finish, "finish")
	for _, out := range o.Evict {
		add(true, strings.TrimSpace("evict "+out.Identity+" "+out.BreakoutID))
	}
	for _, e := range o.Entered {
		add(true, "off "+e.Seat.Identity+" "+strings.Join(e.Tracks, " "))
	}
	for _, s := range o.Regrant {
		add(true, "regrant "+s.Identity)
	}
	for _, id := range o.Close {
		add(true, strings.TrimSpace("close "+id))
	}
	for _, id := range o.Forget {
		add(true, "forget "+id)
	}
	return out
}

func TestPlan(t *testing.T) {
	t.Parallel()
	fresh := func(s *seat.Seat) { s.Status, s.JoinedAt = seat.LetThrough, time.Time{} }
	status := func(to seat.Status) func(*seat.Seat) { return func(s *seat.Seat) { s.Status = to } }
	missing := func(since time.Time) func(*seat.Seat) { return func(s *seat.Seat) { s.MissingSince = since } }
	letThrough := func(ago time.Duration) func(*seat.Seat) {
		return func(s *seat.Seat) { s.LetThroughAt = noon.Add(-ago) }
	}
	named := func(name string) func(*seat.Seat) { return func(s *seat.Seat) { s.Name = name } }
	placed := func(breakoutID string) func(*seat.Seat) {
		return func(s *seat.Seat) { *s = s.Placed(breakoutID, noon.Add(-time.Second)) }
	}
	emptied := func(st state, since time.Time) state {
		m := *st.Meeting
		m.EmptiedAt = since
		st.Meeting = &m
		return st
	}
	idle := func(seats ...seat.Seat) state { return state{Room: anyRoom(), Seats: seats} }
	gone := func(l snapshot, identity string) snapshot { l[""].Left[identity] = stay{}; return l }
	a, b := seatIn("a"), seatIn("b")
	ada, bob := seen{Identity: "a"}, seen{Identity: "b"}
	for _, c := range []struct {
		name string
		st   state
		snap snapshot
		want []string
		next time.Duration // from noon; 0: never
	}{
		{"nobody, nowhere", idle(), sees(""), nil, 0},
		{"people who are in stay in", running(a, b), sees("g1", ada, bob), nil, 0},
		{"the first person starts the meeting", idle(with(a, fresh)), sees("g1", ada), []string{"start", "joined a"}, 0},
		{"two at once start one meeting", idle(with(a, fresh), with(b, fresh)), sees("g1", ada, bob), []string{"start", "joined a", "joined b"}, 0},
		{"called otherwise on the media server", running(with(a, named("Ada")), b), sees("g1", seen{Identity: "a", Name: "Eve"}, bob), []string{"regrant a"}, 0},
		{"called otherwise elsewhere", running(with(a, named("Ada"), placed("x")), b), sees("g1", seen{Identity: "a", Name: "Eve"}, bob), nil, 4 * time.Second},
		{"one more", running(a, with(b, fresh)), sees("g1", ada, bob), []string{"joined b"}, 0},
		{"let through, not connected yet", running(a, with(b, fresh)), sees("g1", ada), nil, 0},

		{"vanished", running(a, b), gone(sees("g1", ada), "b"), []string{"gone b disconnected lost"}, 0},
		{"not connected, and no hint gives the reason yet", running(a, b), sees("g1", ada), []string{"touched b"}, hintGrace},
		{"the hint was lost", running(a, with(b, missing(noon.Add(-hintGrace)))), sees("g1", ada), []string{"gone b disconnected lost"}, 0},
		{"the clock was set back since somebody vanished", running(a, with(b, missing(noon.Add(time.Hour)))), sees("g1", ada), []string{"touched b"}, hintGrace},
		{"said goodbye", running(a, b), bye(sees("g1", ada), "b"), []string{"gone b left left"}, 0},
		{
			"our own interface was closed or reloaded", running(a, with(b, func(s *seat.Seat) { s.TicketHash = "t" })),
			bye(sees("g1", ada), "b"),
			[]string{"gone b left lost"},
			0,
		},
		{"an old goodbye of a person who is connected", running(a), bye(sees("g1", ada), "a"), nil, 0},
		{"a person who was lost is back", running(a, with(b, status(seat.Lost))), sees("g1", ada, bob), []string{"joined b"}, 0},
		{
			"reconnecting a moment ago", running(a, with(b, func(s *seat.Seat) { s.LetThroughAt = noon.Add(-time.Second) })),
			gone(sees("g1", ada), "b"),
			[]string{"touched b"},
			seat.ConnectGrace - time.Second,
		},
		{
			"reconnecting too long ago", running(a, with(b, func(s *seat.Seat) { s.LetThroughAt = noon.Add(-seat.ConnectGrace) })),
			gone(sees("g1", ada), "b"),
			[]string{"gone b disconnected lost"},
			0,
		},

		{
			"asking to connect again and again", running(a, with(b, missing(noon.Add(time.Second-missingMost)), func(s *seat.Seat) { s.LetThroughAt = noon })),
			gone(sees("g1", ada), "b"),
			nil,
			time.Second,
		},
		{
			"asking to connect for too long", running(a, with(b, missing(noon.Add(-missingMost)), func(s *seat.Seat) { s.LetThroughAt = noon })),
			gone(sees("g1", ada), "b"),
			[]string{"gone b disconnected lost"},
			0,
		},

		{"the media server restarted and knows nobody", running(a), sees(""), []string{"touched a"}, restartGrace},
		{"still nobody", running(with(a, missing(noon.Add(-restartGrace+time.Second)))), sees(""), nil, time.Second},
		{
			"nobody came back", running(with(a, missing(noon.Add(-restartGrace)))), sees(""),
			[]string{"gone a disconnected lost", "emptied"},
			emptyGrace,
		},
		{
			"one of two is back, the other still has time", running(with(a, missing(noon)), with(b, missing(noon))), sees("g2", ada),
			[]string{"touched a"},
			restartGrace,
		},

		{"the last one left", running(a), bye(sees("g1"), "a"), []string{"gone a left left", "emptied"}, emptyGrace},
		{"empty, and the clock was set back since", emptied(running(), noon.Add(time.Hour)), sees("g1"), []string{"emptied"}, emptyGrace},
		{"empty, waiting", emptied(running(), noon.Add(-time.Second)), sees("g1"), nil, emptyGrace - time.Second},
		{"empty for long enough", emptied(running(), noon.Add(-emptyGrace)), sees("g1"), []string{"finish"}, 0},
		{
			"empty for long enough, and a stranger connects", emptied(running(), noon.Add(-emptyGrace)), sees("g1", seen{Identity: "x"}),
			[]string{"finish", "evict x", "close"},
			0,
		},
		{
			"a person who left is let through as the meeting closes", emptied(running(with(a, fresh, letThrough(time.Second))), noon.Add(-emptyGrace)), sees("g1"),
			nil,
			seat.ConnectGrace - time.Second,
		},
		{
			"a person who was lost is let through as the meeting closes",
			emptied(running(with(a, status(seat.Lost), letThrough(0))), noon.Add(-emptyGrace)), sees("g1"),
			nil,
			seat.ConnectGrace,
		},
		{
			"let through as the meeting closed, and never came", emptied(running(with(a, fresh, letThrough(seat.ConnectGrace))), noon.Add(-emptyGrace)), sees("g1"),
			[]string{"finish"},
			0,
		},
		{
			"asks to connect and never comes", emptied(running(with(a, fresh, letThrough(0))), noon.Add(-emptyGrace-missingMost)), sees("g1"),
			[]string{"finish"},
			0,
		},
		{
			"somebody is back in time", emptied(running(with(a, status(seat.Lost))), noon.Add(-emptyGrace+time.Second)), sees("g1", ada),
			[]string{"joined a", "refilled"},
			0,
		},

		{"a stranger", running(a), sees("g1", ada, seen{Identity: "x"}), []string{"evict x"}, 0},
		{"only strangers", idle(), sees("g1", seen{Identity: "x"}), []string{"evict x", "close"}, 0},
		{"a stranger while a person connects", idle(with(a, fresh)), sees("g1", seen{Identity: "x"}), []string{"evict x"}, 0},
		{"removed and back", running(a, with(b, status(seat.Removed))), sees("g1", ada, bob), []string{"evict b"}, 0},
		{"the last one was removed", running(with(a, status(seat.Removed))), sees("g1", ada), []string{"emptied", "evict a"}, emptyGrace},
		{"left and still connected", running(a, with(b, status(seat.Left))), sees("g1", ada, bob), []string{"evict b"}, 0},
		{
			"the room was deleted",
			state{Room: room.Room{DeletedAt: noon, Settings: usual()}, Seats: []seat.Seat{with(a, status(seat.Lost))}},
			sees("g1", ada),
			[]string{"evict a", "close"},
			0,
		},
	} {
		expectPlan(t, c.name, planned(c.st, c.snap, noon), c.want, c.next)
	}
}

// expectPlan compares what a plan does, and after how long the next Sync is due;
// 0: none is.
func expectPlan(t *testing.T, name string, o outcome, want []string, wantNext time.Duration) {
	t.Helper()
	if got := gist(o); !slices.Equal(got, want) {
		t.Errorf("%s: %q, want %q", name, got, want)
	}
	next := time.Duration(0)
	if !o.Next.IsZero() {
		next = o.Next.Sub(noon)
	}
	if next != wantNext {
		t.Errorf("%s: the next Sync is after %v, want %v", name, next, wantNext)
	}
}

// After a plan was carried out, the same snapshot a moment later asks for nothing
// more.
func TestAPlanLeavesNothingToDo(t *testing.T) {
	t.Parallel()
	st := running(seatIn("a"), with(seatIn("b"), func(s *seat.Seat) { s.Status, s.MicrophoneHandled = seat.LetThrough, false }))
	snap := sees("g2", seen{Identity: "a", HandRaised: true}, seen{Identity: "b", Microphone: true, Open: []string{"t1"}})
	o := planned(st, snap, noon)
	st.Seats = slices.Concat(o.Joined, o.Touched)
	if again := gist(planned(st, snap, noon.Add(time.Second))); len(again) > 0 {
		t.Errorf("after %q the same snapshot asks for %q", gist(o), again)
	}
}

func TestHandAttributesCountOnlyWithoutATicket(t *testing.T) {
	t.Parallel()
	up := seen{Identity: "a", HandRaised: true}
	raised := with(seatIn("a"), func(s *seat.Seat) { s.HandRaisedAt = noon.Add(-time.Second) })
	ticket := func(s *seat.Seat) { s.TicketHash = "t" }
	for _, c := range []struct {
		name string
		seat seat.Seat
		seen seen
		want []string
	}{
		{"up", seatIn("a"), up, []string{"touched a"}},
		{"stays up", raised, up, nil},
		{"down", raised, seen{Identity: "a"}, []string{"touched a"}},
		{"the attribute of a ticket's holder is ignored", with(seatIn("a"), ticket), up, nil},
		{"a ticket's holder without the attribute keeps it up", with(raised, ticket), seen{Identity: "a"}, nil},
	} {
		if got := gist(planned(running(c.seat), sees("g1", c.seen), noon)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestAChangeOfRightsReachesPeopleWhoAreIn(t *testing.T) {
	t.Parallel()
	a, h := seatIn("a"), with(seatIn("h"), func(s *seat.Seat) { s.Role = api.RoleHost })
	st := running(a, h)
	snap := sees("g1", seen{Identity: "a", Rights: rightsIn(st.Room, a)}, seen{Identity: "h", Rights: rightsIn(st.Room, h)})
	st.Room.Settings.ScreenShare = "hosts"
	if got := gist(planned(st, snap, noon)); !slices.Equal(got, []string{"regrant a"}) {
		t.Errorf("after screen_share became hosts: %q, want only the participant's rights to change", got)
	}
}

func TestRights(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind, share     string
		chat, reactions bool
		role            api.Role
		want            string
	}{
		{"meeting", "everyone", true, true, api.RoleParticipant, "camera data microphone screen_share"},
		{"meeting", "hosts", true, true, api.RoleParticipant, "camera data microphone"},
		{"meeting", "hosts", true, true, api.RoleHost, "camera data microphone screen_share"},
		{"meeting", "everyone", false, true, api.RoleParticipant, "camera data microphone screen_share"},
		{"meeting", "everyone", true, false, api.RoleParticipant, "camera data microphone screen_share"},
		{"meeting", "everyone", false, false, api.RoleParticipant, "camera microphone screen_share"},
		{"webinar", "everyone", true, true, api.RoleParticipant, "data"},
		{"webinar", "everyone", false, false, api.RoleParticipant, ""},
		{"webinar", "hosts", true, true, api.RoleHost, "camera data microphone screen_share"},
	} {
		r := anyRoom()
		r.Settings.Type, r.Settings.ScreenShare, r.Settings.Chat, r.Settings.Reactions = c.kind, c.share, c.chat, c.reactions
		may := rightsIn(r, seat.Seat{Holder: seat.Holder{Role: c.role}})
		// Devices in strict rooms tell each other which keys they have.
		r.Settings.Encryption = "strict"
		if strict := rightsIn(r, seat.Seat{Holder: seat.Holder{Role: c.role}}); !strict.Data {
			t.Errorf("%+v, strict: the device may not send data", c)
		}
		var words []string
		for _, right := range []struct {
			given bool
			word  string
		}{{may.Camera, "camera"}, {may.Data, "data"}, {may.Microphone, "microphone"}, {may.ScreenShare && may.ScreenShareAudio, "screen_share"}} {
			if right.given {
				words = append(words, right.word)
			}
		}
		if got := strings.Join(words, " "); got != c.want {
			t.Errorf("%+v: %q, want %q", c, got, c.want)
		}
	}
}

// usual are the settings of a room for which none were given.
func usual() api.RoomSettings {
	s, err := room.NewSettings(room.TypeMeeting, schema.Filled(api.RoomSettingsUpdate{}))
	if err != nil {
		panic(err)
	}
	return s
}
