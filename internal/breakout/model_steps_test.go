package breakout_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/seat"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// lingering is how long a device may stay where it does not belong any more
// (docs/reference/breakouts.md).
const lingering = 5 * time.Second

// thing is a step that may happen.
type thing struct {
	what string
	do   func()
}

// step makes one thing happen, often to the same person as before, and then
// everybody goes where they belong.
func (m *model) step() {
	if m.dice.IntN(6) == 0 {
		m.turn = m.people[m.dice.IntN(len(m.people))]
	}
	p := m.turn
	d := p.devices[m.dice.IntN(len(p.devices))]
	things := m.thingsOfOne(p, d)
	switch {
	case m.open == "" && m.dice.IntN(3) > 0:
		things = []thing{{"opens", m.opens}}
	case m.dice.IntN(5) == 0:
		things = m.thingsOfAll()
	}
	now := things[m.dice.IntN(len(things))]
	m.steps = append(m.steps, fmt.Sprintf("%s %s %s", m.Now().Format("15:04:05"), p.name, now.what))
	now.do()
	m.everybodyFollows()
}

// thingsOfOne are the steps of one person with one of their devices.
func (m *model) thingsOfOne(p *person, d *device) []thing {
	if !d.in && m.dice.IntN(3) > 0 {
		return []thing{{"comes", func() { m.comes(p, d) }}}
	}
	things := []thing{
		{"is placed", func() { m.assign(p) }},
		{"joins", func() { m.joins(p) }},
		{"joins", func() { m.joins(p) }},
		{"returns", func() { m.returns(p) }},
		{"is appointed", func() { m.appoint(p, !p.cohost) }},
		{"is appointed", func() { m.appoint(p, !p.cohost) }},
		{"is appointed to what they are", func() { m.appoint(p, p.cohost) }},
		{"leaves", func() { m.leaves(p, d) }},
		{"is removed", func() { m.isRemoved(p) }},
		{"vanishes", func() { m.vanishes(p, d) }},
		{"dawdles", func() { m.dawdles(p, d) }},
	}
	if p.kind == byAccount {
		things = append(things, thing{"changes the admission", m.changesAdmission})
	}
	return things
}

// thingsOfAll are the steps that concern everybody.
func (m *model) thingsOfAll() []thing {
	return []thing{
		{"opens", m.opens},
		{"ends", func() { m.ends(false) }},
		{"warns", func() { m.ends(true) }},
		{"adds", m.adds},
		{"removes", m.removes},
		{"changes the admission", m.changesAdmission},
		{"restarts", m.restarts},
		{"waits", func() { m.Advance(time.Duration(m.dice.IntN(9)) * time.Second) }},
	}
}

// everybodyFollows brings everybody to where they belong now.
func (m *model) everybodyFollows() {
	m.Settle()
	m.noteEnds()
	for _, p := range m.people {
		for _, d := range p.devices {
			m.follows(p, d)
		}
	}
	m.Settle()
	m.noteEnds()
}

// dawdles keeps a device where it is for longer than allowed, while its person
// moves from room to room.
func (m *model) dawdles(p *person, d *device) {
	for d.lingers = d.in; d.lingers && m.dice.IntN(8) > 0; {
		[]func(*person){m.assign, m.joins, m.returns}[m.dice.IntN(3)](p)
		m.everybodyFollows()
		m.compare()
		m.Advance(time.Duration(m.dice.IntN(5)) * time.Second)
		m.everybodyFollows()
		m.compare()
	}
}

func (m *model) note(format string, args ...any) {
	m.steps[len(m.steps)-1] += ": " + fmt.Sprintf(format, args...)
}

// comes connects a device that is not connected: for the first time, on a new
// seat, or to come back.
func (m *model) comes(p *person, d *device) {
	if d.in {
		return
	}
	if p.device(mayReturn) == nil {
		p.place = p.belongs() // no other device of theirs is there to follow
	}
	var token, breakoutID string
	if d.ticket == "" {
		token, breakoutID = m.isSeated(p, d)
	} else {
		token, breakoutID = m.renews(d)
	}
	if breakoutID != p.place {
		m.fail("%s comes to %q, belongs to %q", p.name, breakoutID, p.place)
	}
	m.connect(p, d, token)
	d.in = true
}

// isSeated gives a device a seat, and returns its media token and breakout.
func (m *model) isSeated(p *person, d *device) (token, breakoutID string) {
	var held struct {
		Identity, Ticket, Token, Decision string
		BreakoutID                        *string `json:"breakout_id"`
	}
	if p.kind == byToken {
		role := map[bool]api.Role{true: api.RoleHost, false: api.RoleParticipant}[p.host]
		var t api.RoomToken
		m.must(m.key, http.MethodPost, m.path("/tokens"), fmt.Sprintf(`{"name": %q, "user_id": %q, "role": %q}`, p.name, p.name, role), &t)
		m.must("", http.MethodPost, "/meet/v1/tickets", fmt.Sprintf(`{"token": %q}`, t.Token), &held)
	} else {
		a := m.Send(servertest.Request{
			Method: http.MethodPost, Path: "/meet/v1/join", Body: fmt.Sprintf(`{"code": %q, "name": %q}`, m.code, p.name), Header: http.Header{"Cookie": {p.session}},
		})
		if err := json.Unmarshal(a.Body, &held); err != nil || a.Status != http.StatusOK {
			m.fail("%s: %d %s", p.name, a.Status, a.Body)
		}
	}
	d.identity, d.ticket = held.Identity, held.Ticket
	p.id = seat.Person(held.Identity)
	if held.Decision == "knock" {
		m.must(m.key, http.MethodPost, m.path("/waiting/"+held.Identity), `{"decision": "admit"}`, &struct{}{})
		return m.renews(d)
	}
	return held.Token, text(held.BreakoutID)
}

func (m *model) renews(d *device) (token, breakoutID string) {
	var renewed struct {
		Token      string
		BreakoutID *string `json:"breakout_id"`
	}
	m.must(d.ticket, http.MethodPost, "/meet/v1/token", "", &renewed)
	return renewed.Token, text(renewed.BreakoutID)
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func (m *model) connect(p *person, d *device, token string) {
	upstream, held, err := m.Joins.LetThrough(m.t.Context(), token)
	if err == nil {
		_, err = m.Media.Connect(upstream)
	}
	if err != nil {
		m.fail("%s: %v", p.name, err)
	}
	if old := d.at; old != "" && old != held.MediaRoom() {
		_ = m.Media.Leave(old, d.identity) // it may have been disconnected already
	}
	d.at, d.away, d.lingers = held.MediaRoom(), time.Time{}, false
	m.Settle()
}

// follows brings a device to where it belongs, as clients do when their stream
// says so. A device that lingers is disconnected from the old room after a while.
func (m *model) follows(p *person, d *device) {
	if !d.in || d.at == seat.MediaRoom(m.room, p.place) {
		d.away = time.Time{}
		return
	}
	if d.away.IsZero() {
		d.away = m.Now()
	}
	if d.lingers {
		if m.Now().Before(d.away.Add(lingering)) {
			return
		}
		if at := m.mediaRooms()[d.identity]; len(at) > 0 {
			m.fail("%s was sent away at %s and lingers in %v", p.name, d.away.Format("15:04:05"), at)
		}
	}
	token, _ := m.renews(d)
	m.connect(p, d, token)
}

func (m *model) leaves(p *person, d *device) {
	if !d.in {
		return
	}
	m.must(d.ticket, http.MethodPost, "/meet/v1/leave", "", &struct{}{})
	*d = device{}
	m.isOff(p)
}

// isOff notes that a device of a person is not connected any more.
func (m *model) isOff(p *person) {
	if p.kind == byToken && p.device(isIn) == nil {
		p.cohost = false // which lasts while they are connected
	}
	if p.kind == asGuest && p.device(mayReturn) == nil {
		p.id, p.cohost, p.placed = "", false, nil
	}
	p.endVisit()
}

func (p *person) endVisit() {
	if !p.directs() {
		p.place = p.belongs()
	}
}

func (m *model) isRemoved(p *person) {
	if p.cohost || p.device(isIn) == nil {
		return
	}
	m.must(m.key, http.MethodDelete, m.path("/participants/"+p.id), "", &struct{}{})
	for _, d := range p.devices {
		*d = device{}
	}
	m.isOff(p)
}

func (m *model) vanishes(p *person, d *device) {
	was := d.at
	m.Advance(11 * time.Second) // so that they connected long ago
	m.everybodyFollows()
	if !d.in || !d.away.IsZero() || d.at != was {
		return
	}
	_ = m.Media.Vanish(d.at, d.identity)
	m.Settle()
	d.in, d.at, d.lingers = false, "", false
	m.isOff(p)
}

// appoint makes a person co-host, or takes the right back.
func (m *model) appoint(p *person, cohost bool) {
	if p.device(isIn) == nil {
		return
	}
	method, refusal := http.MethodPost, ""
	if !cohost {
		method = http.MethodDelete
	}
	if !cohost && p.host {
		refusal = api.CodeNotACohost
	}
	if m.wantRefused("co-host", m.ask(m.key, method, m.path("/participants/"+p.id+"/cohost"), ""), refusal) && !p.host {
		p.cohost = cohost
		p.endVisit()
	}
}

func (m *model) changesAdmission() {
	m.knock = !m.knock
	admission := map[bool]string{true: "knock", false: "direct"}[m.knock]
	m.must(m.key, http.MethodPatch, m.path(""), fmt.Sprintf(`{"settings": {"admission": %q}}`, admission), &struct{}{})
}
