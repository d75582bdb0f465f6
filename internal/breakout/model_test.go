package breakout_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/live"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// guest is somebody with the room's own link, as the model sees them.
type guest struct {
	name, identity, ticket string
	at                     string // the media room where their device is; "" when it is nowhere
	in                     bool   // they joined and did not leave
}

// model is what a meeting with breakouts has to be like, kept beside the
// service, whatever happens in whatever order.
type model struct {
	*servertest.Service

	t          *testing.T
	dice       *rand.Rand
	key        string
	room, code string
	guests     []*guest
	open       string            // the session that runs; "" when none does
	rooms      []string          // its rooms
	assigned   map[string]string // person -> room
	steps      []string
}

// Sessions open and close, people are placed, go, come back and lose their
// connection, rooms come and go, and the service restarts, at random. There is
// never a second session, everybody is in one room at most and is listed once,
// placements hold, and everybody who joined leaves once.
func TestWhateverHappensEverybodyIsInOneRoom(t *testing.T) {
	t.Parallel()
	for _, engine := range []db.Engine{db.SQLite, db.PostgreSQL} {
		for seed := range uint64(2) {
			t.Run(fmt.Sprintf("%s %d", engine, seed), func(t *testing.T) {
				t.Parallel()
				m := newModel(t, engine, seed)
				for range 80 {
					m.step()
					m.compare()
				}
				m.finish()
			})
		}
	}
}

func newModel(t *testing.T, engine db.Engine, seed uint64) *model {
	t.Helper()
	m := &model{
		Service: servertest.Start(t, dbtest.Config(t, engine), servertest.Options{}), t: t, dice: rand.New(rand.NewPCG(seed, 7)),
		assigned: map[string]string{},
	}
	m.key = m.Key(m.Workspace("acme", "owner@acme.example"), api.Scopes()...)
	var r api.Room
	m.must(m.key, http.MethodPost, "/api/v1/rooms", `{"name": "Weekly"}`, &r)
	m.room, m.code = r.ID, r.Code
	for i := range 5 {
		g := &guest{name: fmt.Sprintf("guest %d", i)}
		m.guests = append(m.guests, g)
		m.comes(g)
	}
	return m
}

func (m *model) must(bearer, method, path, body string, out any) {
	m.t.Helper()
	a := m.Send(servertest.Request{Method: method, Path: path, Bearer: bearer, Body: body})
	if err := json.Unmarshal(a.Body, out); err != nil || a.Status/100 != 2 {
		m.fail("%s %s %s: %d %s", method, path, body, a.Status, a.Body)
	}
}

func (m *model) fail(format string, args ...any) {
	m.t.Helper()
	m.t.Fatalf("%s\n%s", fmt.Sprintf(format, args...), strings.Join(m.steps, "\n"))
}

func (m *model) path(rest string) string { return "/api/v1/rooms/" + m.room + "/breakouts" + rest }

// person is a guest's participant id.
func (g *guest) person() string { return live.Person(g.identity) }

// comes lets a guest in who is not there: anew, or with their ticket.
func (m *model) comes(g *guest) {
	if g.in {
		return
	}
	var seat struct {
		Identity, Ticket, Token string
		BreakoutID              *string `json:"breakout_id"`
	}
	m.must(g.ticket, http.MethodPost, "/meet/v1/join", fmt.Sprintf(`{"code": %q, "name": %q}`, m.code, g.name), &seat)
	g.identity, g.ticket = seat.Identity, seat.Ticket
	if want := m.assigned[g.person()]; want != text(seat.BreakoutID) {
		m.fail("%s comes to %q, placed in %q", g.name, text(seat.BreakoutID), want)
	}
	m.connect(g, seat.Token)
	g.in = true
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func (m *model) connect(g *guest, token string) {
	upstream, seat, err := m.Joins.Admit(m.t.Context(), token)
	if err == nil {
		_, err = m.Media.Connect(upstream)
	}
	if err != nil {
		m.fail("%s: %v", g.name, err)
	}
	if old := g.at; old != "" && old != seat.MediaRoom() {
		_ = m.Media.Leave(old, g.identity) // put out already, perhaps
	}
	g.at = seat.MediaRoom()
	m.Settle()
}

// follows brings a guest's device where it belongs, as clients do when their
// stream says so.
func (m *model) follows(g *guest) {
	if !g.in || g.at == live.MediaRoom(m.room, m.assigned[g.person()]) {
		return
	}
	var renewed struct{ Token string }
	m.must(g.ticket, http.MethodPost, "/meet/v1/token", "", &renewed)
	m.connect(g, renewed.Token)
}

// step lets one thing happen, and everybody go where they belong.
func (m *model) step() {
	g := m.guests[m.dice.IntN(len(m.guests))]
	happens := map[string]func(){
		"opens":    m.opens,
		"is dealt": m.opens,
		"ends": func() {
			if m.open != "" {
				m.must(m.key, http.MethodPost, m.path("/end"), "", &struct{}{})
				m.closed()
			}
		},
		"is placed": func() { m.place(g) },
		"is moved":  func() { m.place(g) },
		"adds":      m.adds,
		"removes":   m.removes,
		"leaves": func() {
			if g.in {
				m.must(g.ticket, http.MethodPost, "/meet/v1/leave", "", &struct{}{})
				g.in, g.at, g.ticket = false, "", ""
				delete(m.assigned, g.person()) // comes again as somebody else
			}
		},
		"vanishes": func() {
			if g.in {
				m.Advance(11 * time.Second) // it is long ago that they connected
				_ = m.Media.Vanish(g.at, g.identity)
				m.Settle()
				g.in, g.at = false, ""
			}
		},
		"comes":    func() { m.comes(g) },
		"is back":  func() { m.comes(g) },
		"restarts": func() { m.Stop(); m.Reopen() },
		"waits":    func() { m.Advance(time.Duration(m.dice.IntN(9)) * time.Second) },
	}
	names := make([]string, 0, len(happens))
	for name := range happens {
		names = append(names, name)
	}
	slices.Sort(names)
	what := names[m.dice.IntN(len(names))]
	m.steps = append(m.steps, fmt.Sprintf("%s %s %s", m.Now().Format("15:04:05"), g.name, what))
	happens[what]()
	m.Settle()
	for _, g := range m.guests {
		m.follows(g)
	}
	m.Settle()
	m.meetingMayHaveEnded()
}

// meetingMayHaveEnded takes note of an end that was due, because nobody was
// left.
func (m *model) meetingMayHaveEnded() {
	if log := m.EventLog(); len(log) > 0 && log[len(log)-1].Type == api.EventRoomFinished {
		m.closed()
		for _, g := range m.guests {
			g.ticket = "" // the seat is over
		}
	}
}

func (m *model) closed() {
	m.open, m.rooms = "", nil
	m.assigned = map[string]string{}
}

func (m *model) opens() {
	body := fmt.Sprintf(`{"rooms": %d, "assign": %q}`, 1+m.dice.IntN(3), []string{"auto", "manual", "none"}[m.dice.IntN(3)])
	a := m.Send(servertest.Request{Method: http.MethodPost, Path: m.path(""), Bearer: m.key, Body: body})
	if m.open != "" {
		if a.Code() != api.CodeBreakoutAlreadyOpen {
			m.fail("a second session: %d %s", a.Status, a.Body)
		}
		return
	}
	var s api.BreakoutSession
	if err := json.Unmarshal(a.Body, &s); err != nil || a.Status != http.StatusCreated {
		m.fail("open: %d %s", a.Status, a.Body)
	}
	m.open = s.ID
	for _, r := range s.Rooms {
		m.rooms = append(m.rooms, r.ID)
		for _, member := range r.Members {
			m.assigned[member.ID] = r.ID
		}
	}
}

func (m *model) place(g *guest) {
	to, body := "", fmt.Sprintf(`{"participant": %q, "breakout_id": null}`, g.identity)
	if len(m.rooms) > 0 && m.dice.IntN(4) > 0 {
		to = m.rooms[m.dice.IntN(len(m.rooms))]
		body = fmt.Sprintf(`{"participant": %q, "breakout_id": %q}`, g.person(), to)
	}
	a := m.Send(servertest.Request{Method: http.MethodPost, Path: m.path("/assignments"), Bearer: m.key, Body: body})
	switch {
	case m.open == "":
		if a.Code() != api.CodeBreakoutNotOpen {
			m.fail("placed without a session: %d %s", a.Status, a.Body)
		}
	case a.Status == http.StatusOK:
		m.assigned[g.person()] = to
	case a.Status != http.StatusNotFound || g.in: // of those who left for good nobody knows
		m.fail("place: %d %s", a.Status, a.Body)
	}
}

func (m *model) adds() {
	if m.open == "" || len(m.rooms) > 6 {
		return
	}
	var s api.BreakoutSession
	m.must(m.key, http.MethodPost, m.path("/rooms"), "", &s)
	m.rooms = append(m.rooms, s.Rooms[len(s.Rooms)-1].ID)
}

func (m *model) removes() {
	if m.open == "" {
		return
	}
	i := m.dice.IntN(len(m.rooms))
	a := m.Send(servertest.Request{Method: http.MethodDelete, Path: m.path("/rooms/" + m.rooms[i]), Bearer: m.key})
	if len(m.rooms) == 1 {
		if a.Code() != api.CodeLastBreakoutRoom {
			m.fail("the last room: %d %s", a.Status, a.Body)
		}
		return
	}
	if a.Status != http.StatusOK {
		m.fail("remove: %d %s", a.Status, a.Body)
	}
	for person, room := range m.assigned {
		if room == m.rooms[i] {
			m.assigned[person] = ""
		}
	}
	m.rooms = slices.Delete(m.rooms, i, i+1)
}

// compare holds the service against the model.
func (m *model) compare() {
	m.t.Helper()
	var b api.Breakouts
	m.must(m.key, http.MethodGet, m.path(""), "", &b)
	if (b.Active == nil) != (m.open == "") || b.Active != nil && b.Active.ID != m.open {
		m.fail("the session is %+v, want %q", b.Active, m.open)
	}
	listed := map[string]int{}
	if b.Active != nil {
		m.compareRooms(*b.Active, listed)
		for _, p := range b.Active.Unassigned {
			listed[p.ID]++
		}
	}
	var people api.List[api.Participant]
	m.must(m.key, http.MethodGet, "/api/v1/rooms/"+m.room+"/participants", "", &people)
	in := map[string]bool{}
	for _, p := range people.Data {
		in[p.Identity] = true
		if n := listed[live.Person(p.Identity)]; b.Active != nil && n != 1 {
			m.fail("%s is listed %d times", p.Name, n)
		}
	}
	for _, g := range m.guests {
		if g.in != in[g.identity] {
			m.fail("%s is in: %v, want %v", g.name, in[g.identity], g.in)
		}
		m.compareMedia(g)
	}
}

func (m *model) compareRooms(s api.BreakoutSession, listed map[string]int) {
	m.t.Helper()
	if len(s.Rooms) != len(m.rooms) {
		m.fail("%d rooms, want %d", len(s.Rooms), len(m.rooms))
	}
	for _, r := range s.Rooms {
		for _, p := range r.Members {
			listed[p.ID]++
			here := slices.ContainsFunc(m.guests, func(g *guest) bool { return g.in && g.person() == p.ID })
			if want, known := m.assigned[p.ID]; known && (want != r.ID || p.Present != here) {
				m.fail("%s is in %s (present %v), want %s (present %v)", p.Name, r.ID, p.Present, want, here)
			}
		}
	}
}

// compareMedia wants somebody's device in the one media room where they belong.
func (m *model) compareMedia(g *guest) {
	m.t.Helper()
	rooms, err := m.Media.Rooms(m.t.Context())
	if err != nil {
		m.fail("%v", err)
	}
	var at []string
	for _, r := range rooms {
		people, _ := m.Media.Participants(m.t.Context(), r.Name)
		for _, p := range people {
			if p.Identity == g.identity {
				at = append(at, r.Name)
			}
		}
	}
	var want []string
	if g.in {
		want = []string{live.MediaRoom(m.room, m.assigned[g.person()])}
	}
	if !slices.Equal(at, want) {
		m.fail("%s is in the media rooms %v, want %v", g.name, at, want)
	}
}

// finish lets everybody go, and reads the log.
func (m *model) finish() {
	m.t.Helper()
	for _, g := range m.guests {
		if g.in {
			m.must(g.ticket, http.MethodPost, "/meet/v1/leave", "", &struct{}{})
		}
	}
	m.Settle()
	m.Advance(11 * time.Second)
	m.Advance(24 * time.Hour)
	in, sessions := map[string]bool{}, 0
	for _, e := range m.EventLog() {
		var data struct{ Participant struct{ Identity string } }
		if err := json.Unmarshal(e.Data, &data); err != nil {
			m.fail("%v", err)
		}
		who := data.Participant.Identity
		switch e.Type {
		case api.EventParticipantJoined, api.EventParticipantLeft:
			if joins := e.Type == api.EventParticipantJoined; in[who] == joins {
				m.fail("%s: %s, in before: %v", who, e.Type, in[who])
			} else {
				in[who] = joins
			}
		case api.EventBreakoutStarted:
			sessions++
		case api.EventBreakoutEnded:
			sessions--
		default:
		}
		if sessions < 0 || sessions > 1 {
			m.fail("%d sessions at once", sessions)
		}
	}
	for who, still := range in {
		if still {
			m.fail("%s never left", who)
		}
	}
	if sessions != 0 {
		m.fail("a session never ended")
	}
	rooms, err := m.Media.Rooms(m.t.Context())
	if err != nil || len(rooms) > 0 {
		m.fail("media rooms are left: %v (%v)", rooms, err)
	}
}
