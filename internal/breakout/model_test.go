package breakout_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/identity"
	"github.com/conclave-rooms/conclave/internal/seat"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// kind is how a person comes to the meeting.
type kind string

const (
	asGuest   kind = "guest"   // with the room's own link: a guest who leaves comes again as another person
	byToken   kind = "token"   // of the API: comes again as the same person, on several devices
	byAccount kind = "account" // the same, but knocks where the room asks for it
)

// person is a person as the model knows them.
type person struct {
	name    string
	kind    kind
	host    bool   // one of the room's own hosts
	session string // the cookie of an account
	devices []*device

	id     string // participant id; "" before they came
	cohost bool
	placed *placement // nil: the session does not know them
	place  string     // the breakout where their devices belong; "" is the main room
}

// placement is what was decided about a person in a session.
type placement struct {
	room      string // "" sends them to the main room
	inside    bool
	canReturn bool
}

// device is one device of a person.
type device struct {
	identity, ticket string    // no ticket: it never joined, or left
	at               string    // the media room where it is connected
	in               bool      // it joined and did not leave
	lingers          bool      // does not follow the next move
	away             time.Time // since when it is elsewhere than it belongs
}

// model says what a meeting with breakouts must be like after any steps. The test
// compares it with the service.
type model struct {
	*servertest.Service

	t          *testing.T
	dice       *rand.Rand
	key        string
	room, code string
	knock      bool // new people wait to be let in
	people     []*person
	turn       *person // the person of the present steps
	finished   int     // meetings, so far
	steps      []string

	open       string // the session that runs; "" when none runs
	rooms      []string
	autoJoin   bool
	canReturn  bool
	selfSelect bool
	closing    bool
	endsAt     time.Time // zero: when somebody ends it
}

// seedsEnv says how many random runs are tried, and seedEnv names a single one.
const (
	seedsEnv = "CONCLAVE_TEST_SEEDS"
	seedEnv  = "CONCLAVE_TEST_SEED"
)

// seeds returns the seeds to try: six, or as many as the environment says, or the
// one it names.
func seeds(t *testing.T) (list []uint64) {
	t.Helper()
	number := func(name string, otherwise uint64) uint64 {
		text := os.Getenv(name)
		if text == "" {
			return otherwise
		}
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatalf("%s is %q", name, text)
		}
		return n
	}
	if os.Getenv(seedEnv) != "" {
		return []uint64{number(seedEnv, 0)}
	}
	for seed := range number(seedsEnv, 6) {
		list = append(list, seed)
	}
	return list
}

// Sessions open and close, people are placed, visit, go, come back, linger and
// lose their connection or a host's powers, rooms come and go, and the service
// restarts, at random. There is never a second session, everybody is in one
// room at most and is listed once, nobody is where they may not be, placements
// hold, and everybody who joined leaves once.
func TestEverybodyIsInOneRoomAfterRandomSteps(t *testing.T) {
	t.Parallel()
	for _, seed := range seeds(t) {
		for _, engine := range []db.Engine{db.SQLite, db.PostgreSQL} {
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
	m := &model{Service: servertest.Start(t, dbtest.Config(t, engine), servertest.Options{}), t: t, dice: rand.New(rand.NewPCG(seed, 7))}
	workspace := m.Workspace("acme", "owner@acme.example")
	m.Breakouts.Shuffle = m.dice.Shuffle
	m.key = m.Key(workspace, api.Scopes()...)
	var r api.Room
	m.must(m.key, http.MethodPost, "/api/v1/rooms", `{"name": "Weekly"}`, &r)
	m.room, m.code = r.ID, r.Code
	m.people = []*person{
		{name: "gus", kind: asGuest, devices: make([]*device, 1)},
		{name: "gil", kind: asGuest, devices: make([]*device, 1)},
		{name: "tom", kind: byToken, devices: make([]*device, 2)},
		{name: "hal", kind: byToken, host: true, devices: make([]*device, 1)},
		{name: "amy", kind: byAccount, devices: make([]*device, 2)},
	}
	for _, p := range m.people {
		if p.kind == byAccount {
			p.session = m.signIn(workspace, p.name)
		}
		for i := range p.devices {
			p.devices[i] = new(device)
		}
		m.comes(p, p.devices[0])
	}
	m.turn = m.people[0]
	return m
}

// signIn returns the cookie of a session of a new member.
func (m *model) signIn(workspace, name string) string {
	m.t.Helper()
	email := name + "@acme.example"
	if _, err := m.Identity.AddMember(m.t.Context(), workspace, email, "member"); err != nil {
		m.fail("%v", err)
	}
	invitation, err := m.Identity.Invite(m.t.Context(), email)
	if err != nil {
		m.fail("%v", err)
	}
	secret := strings.TrimPrefix(invitation.URL, servertest.PublicURL+"/invitation#")
	_, session, err := m.Identity.Accept(m.t.Context(), secret, name, "correct horse battery")
	if err != nil {
		m.fail("%v", err)
	}
	return identity.SessionCookie(servertest.PublicURL) + "=" + session
}

// directs says whether the person has a host's powers.
func (p *person) directs() bool { return p.host || p.cohost }

// belongs is where the person was placed, without visits.
func (p *person) belongs() string {
	if p.placed == nil || !p.placed.inside {
		return ""
	}
	return p.placed.room
}

// device finds a device of the person that is like this; nil when there is none.
func (p *person) device(is func(*device) bool) *device {
	if i := slices.IndexFunc(p.devices, is); i >= 0 {
		return p.devices[i]
	}
	return nil
}

func isIn(d *device) bool      { return d.in }
func mayReturn(d *device) bool { return d.ticket != "" } // is in, or lost its connection

func (m *model) must(bearer, method, path, body string, out any) {
	m.t.Helper()
	a := m.ask(bearer, method, path, body)
	if err := json.Unmarshal(a.Body, out); err != nil || a.Status/100 != 2 {
		m.fail("%s %s %s: %d %s", method, path, body, a.Status, a.Body)
	}
}

func (m *model) ask(bearer, method, path, body string) servertest.Answer {
	m.t.Helper()
	a := m.Send(servertest.Request{Method: method, Path: path, Bearer: bearer, Body: body})
	m.Settle()
	return a
}

// wantRefused wants a refusal with this code, or success if the code is "". It
// says whether there was success.
func (m *model) wantRefused(what string, a servertest.Answer, code string) (done bool) {
	m.t.Helper()
	if a.Code() != code || (code == "") != (a.Status/100 == 2) {
		m.fail("%s: %d %s, want it to be refused with %q", what, a.Status, a.Body, code)
	}
	return code == ""
}

func (m *model) fail(format string, args ...any) {
	m.t.Helper()
	m.t.Fatalf("%s\n%s", fmt.Sprintf(format, args...), strings.Join(m.steps, "\n"))
}

func (m *model) path(rest string) string { return "/api/v1/rooms/" + m.room + rest }

// compare compares the service with the model.
func (m *model) compare() {
	m.t.Helper()
	var b api.Breakouts
	m.must(m.key, http.MethodGet, m.path("/breakouts"), "", &b)
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
	var present api.List[api.Participant]
	m.must(m.key, http.MethodGet, m.path("/participants"), "", &present)
	in := map[string]api.Role{}
	for _, p := range present.Data {
		in[p.Identity] = p.Role
		if n := listed[seat.Person(p.Identity)]; b.Active != nil && n != 1 {
			m.fail("%s is listed %d times", p.Name, n)
		}
	}
	at := m.mediaRooms()
	for _, p := range m.people {
		for _, d := range p.devices {
			role, there := in[d.identity]
			if d.in != there || there && (role == api.RoleHost) != p.directs() {
				m.fail("%s (%s) is in: %v as %q, want %v, a host: %v", p.name, d.identity, there, role, d.in, p.directs())
			}
			m.compareMedia(p, d, at[d.identity])
		}
	}
}

func (m *model) compareRooms(s api.BreakoutSession, listed map[string]int) {
	m.t.Helper()
	if len(s.Rooms) != len(m.rooms) {
		m.fail("%d rooms, want %d", len(s.Rooms), len(m.rooms))
	}
	for _, r := range s.Rooms {
		for _, member := range r.Members {
			listed[member.ID]++
			i := slices.IndexFunc(m.people, func(p *person) bool { return p.id == member.ID })
			if i < 0 {
				continue // a guest who left, and is another person by now
			}
			p := m.people[i]
			here := p.place == r.ID && p.device(func(d *device) bool { return d.in && d.away.IsZero() }) != nil
			if p.placed == nil || p.placed.room != r.ID || member.Present != here || member.CanReturn != p.placed.canReturn {
				m.fail("%s is listed in %s as %+v, want %+v, present: %v", p.name, r.ID, member, p.placed, here)
			}
		}
	}
}

// mediaRooms returns the media rooms in which each device is.
func (m *model) mediaRooms() map[string][]string {
	m.t.Helper()
	rooms, err := m.Media.Rooms(m.t.Context())
	if err != nil {
		m.fail("%v", err)
	}
	at := map[string][]string{}
	for _, r := range rooms {
		people, _ := m.Media.Participants(m.t.Context(), r.Name)
		for _, p := range people {
			at[p.Identity] = append(at[p.Identity], r.Name)
		}
	}
	return at
}

// compareMedia wants a device in the one media room where it belongs, or for a
// short time in its old one.
func (m *model) compareMedia(p *person, d *device, at []string) {
	m.t.Helper()
	var want []string
	switch {
	case d.in && d.away.IsZero():
		want = []string{seat.MediaRoom(m.room, p.place)}
	case d.in:
		want = []string{d.at}
	}
	if !slices.Equal(at, want) {
		m.fail("%s (%s) is in the media rooms %v, want %v", p.name, d.identity, at, want)
	}
}

// finish makes everybody leave, and checks the log.
func (m *model) finish() {
	m.t.Helper()
	for _, p := range m.people {
		for _, d := range p.devices {
			if d.in {
				m.must(d.ticket, http.MethodPost, "/meet/v1/leave", "", &struct{}{})
			}
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
	// The media server closes the empty main room by itself a minute later.
	rooms, err := m.Media.Rooms(m.t.Context())
	if err != nil {
		m.fail("%v", err)
	}
	for _, left := range rooms {
		people, err := m.Media.Participants(m.t.Context(), left.Name)
		if err != nil || left.Name != m.room || len(people) > 0 {
			m.fail("the media room %s is left, with %v (%v)", left.Name, people, err)
		}
	}
}
