package breakout_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// The model's steps with sessions: it opens and ends them, places people, and
// lets people move by themselves.

func (m *model) restarts() {
	m.Stop()
	m.Reopen()
	m.Breakouts.Shuffle = m.dice.Shuffle // so that a seed decides everything
}

// noteEnds notes ends that were due: of the session, and of the meeting when
// nobody was left.
func (m *model) noteEnds() {
	if m.open != "" && !m.endsAt.IsZero() && !m.Now().Before(m.endsAt) {
		m.closed()
	}
	finished := 0
	for _, e := range m.EventLog() {
		if e.Type == api.EventRoomFinished {
			finished++
		}
	}
	if finished == m.finished {
		return
	}
	m.finished = finished
	m.closed()
	for _, p := range m.people {
		p.cohost = false
		for _, d := range p.devices {
			*d = device{} // the seat is over
		}
	}
}

func (m *model) closed() {
	m.open, m.rooms, m.endsAt, m.closing = "", nil, time.Time{}, false
	for _, p := range m.people {
		p.placed, p.place = nil, ""
	}
}

// directs sends a request as a key of the API, or as a host in the meeting.
func (m *model) directs(method, rest, body string) servertest.Answer {
	for _, p := range m.people {
		if d := p.device(isIn); d != nil && p.directs() && m.dice.IntN(2) == 0 {
			m.note("by %s", p.name)
			return m.ask(d.ticket, method, "/meet/v1/breakouts"+rest, body)
		}
	}
	return m.ask(m.key, method, m.path("/breakouts"+rest), body)
}

func (m *model) opens() {
	yes := func() bool { return m.dice.IntN(2) == 0 }
	assign := []string{"auto", "manual", "none"}[m.dice.IntN(3)]
	autoJoin, canReturn, selfSelect, timed := m.dice.IntN(4) > 0, yes(), assign == "none" || yes(), m.dice.IntN(4) == 0
	body := fmt.Sprintf(`{"rooms": %d, "assign": %q, "auto_join": %v, "allow_return": %v, "self_select": %v, "include_hosts": %v, "duration_seconds": %s}`,
		1+m.dice.IntN(3), assign, autoJoin, canReturn, selfSelect, yes(), map[bool]string{true: "60", false: "null"}[timed])
	refusal := ""
	if m.open != "" {
		refusal = api.CodeBreakoutAlreadyOpen
	}
	a := m.directs(http.MethodPost, "", body)
	if !m.wantRefused("open", a, refusal) {
		return
	}
	m.note("%s", body)
	var s api.BreakoutSession
	if err := json.Unmarshal(a.Body, &s); err != nil {
		m.fail("open: %d %s", a.Status, a.Body)
	}
	m.open, m.autoJoin, m.canReturn, m.selfSelect = s.ID, autoJoin, canReturn, selfSelect
	if timed {
		m.endsAt = m.Now().Add(time.Minute)
	}
	for _, r := range s.Rooms {
		m.rooms = append(m.rooms, r.ID)
		for _, member := range r.Members {
			for _, p := range m.people {
				if p.id == member.ID {
					p.placed = &placement{r.ID, autoJoin, canReturn}
					p.place = p.belongs()
				}
			}
		}
	}
}

func (m *model) notOpen() (refusal string) {
	if m.open == "" {
		return api.CodeBreakoutNotOpen
	}
	return ""
}

func (m *model) ends(warn bool) {
	a := m.directs(http.MethodPost, "/end", fmt.Sprintf(`{"warn": %v}`, warn))
	switch {
	case !m.wantRefused("end", a, m.notOpen()):
	case !warn:
		m.closed()
	case !m.closing:
		m.closing = true
		if end := m.Now().Add(time.Minute); m.endsAt.IsZero() || end.Before(m.endsAt) {
			m.endsAt = end
		}
	}
}

func (m *model) assign(p *person) {
	to, id := "", "null"
	if len(m.rooms) > 0 && m.dice.IntN(4) > 0 {
		to = m.rooms[m.dice.IntN(len(m.rooms))]
		id = fmt.Sprintf("%q", to)
	}
	canReturn := m.dice.IntN(2) == 0
	who := p.id
	if who == "" {
		who = "guest_nobody"
	}
	refusal := m.notOpen()
	if refusal == "" && p.device(mayReturn) == nil && p.placed == nil {
		refusal = api.CodeNotFound
	}
	a := m.directs(http.MethodPost, "/assignments", fmt.Sprintf(`{"participant": %q, "breakout_id": %s, "can_return": %v}`, who, id, canReturn))
	if !m.wantRefused("place", a, refusal) {
		return
	}
	m.note("to %s", id)
	there := p.device(mayReturn) != nil && p.place == to
	p.placed = &placement{to, to != "" && (m.autoJoin || there), canReturn}
	p.place = p.belongs()
}

// joins makes a person go to a room by themselves: their own, one they choose, or
// one they visit.
func (m *model) joins(p *person) {
	d, to := p.device(isIn), "nowhere"
	if d == nil {
		return
	}
	if len(m.rooms) > 0 {
		to = m.rooms[m.dice.IntN(len(m.rooms))]
	}
	theirs := p.placed != nil && p.placed.room == to
	refusal := m.notOpen()
	if refusal == "" && !theirs && !p.directs() && !m.selfSelect {
		refusal = api.CodeBreakoutNotYours
	}
	a := m.ask(d.ticket, http.MethodPost, "/meet/v1/breakouts/join", fmt.Sprintf(`{"breakout_id": %q}`, to))
	if !m.wantRefused("join", a, refusal) {
		return
	}
	m.note("%s", to)
	switch {
	case p.directs() && !theirs:
		if p.placed != nil {
			p.placed.inside = false
		}
	case p.placed == nil:
		p.placed = &placement{to, true, m.canReturn}
	default:
		p.placed.room, p.placed.inside = to, true
	}
	p.place = to
}

func (m *model) returns(p *person) {
	d := p.device(isIn)
	if d == nil {
		return
	}
	refusal := m.notOpen()
	if refusal == "" && p.place != "" && !p.directs() && p.placed != nil && p.placed.room != "" && !p.placed.canReturn {
		refusal = api.CodeReturnNotAllowed
	}
	if m.wantRefused("return", m.ask(d.ticket, http.MethodPost, "/meet/v1/breakouts/return", ""), refusal) && p.place != "" {
		p.place = ""
		if p.placed != nil {
			p.placed.inside = false
		}
	}
}

func (m *model) adds() {
	if m.open == "" || len(m.rooms) > 6 {
		return
	}
	var s api.BreakoutSession
	m.must(m.key, http.MethodPost, m.path("/breakouts/rooms"), "", &s)
	m.rooms = append(m.rooms, s.Rooms[len(s.Rooms)-1].ID)
}

func (m *model) removes() {
	if m.open == "" {
		return
	}
	i, refusal := m.dice.IntN(len(m.rooms)), ""
	if len(m.rooms) == 1 {
		refusal = api.CodeLastBreakoutRoom
	}
	gone := m.rooms[i]
	if !m.wantRefused("remove", m.directs(http.MethodDelete, "/rooms/"+gone, ""), refusal) {
		return
	}
	for _, p := range m.people {
		if p.placed != nil && p.placed.room == gone {
			p.placed.room, p.placed.inside = "", false
		}
		if p.place == gone {
			p.place = ""
		}
	}
	m.rooms = slices.Delete(m.rooms, i, i+1)
}
