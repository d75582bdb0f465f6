package breakout

import (
	"slices"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/seat"
	"github.com/conclave-rooms/conclave/internal/stream"
)

// object is the session as the API shows it.
func (s Session) object(people []attendee) api.BreakoutSession {
	return api.BreakoutSession{
		Object: "breakout_session", ID: s.ID, RoomID: s.RoomID, Status: string(s.Status), AutoJoin: s.AutoJoin, AllowReturn: s.AllowReturn,
		SelfSelect: s.SelfSelect, DurationSeconds: s.Duration, StartedAt: api.At(s.StartedAt), EndsAt: api.TimeOrNull(s.EndsAt),
		Rooms: s.roomObjects(people), Unassigned: s.unassigned(people),
	}
}

func (s Session) roomObjects(people []attendee) []api.BreakoutRoom {
	rooms := make([]api.BreakoutRoom, len(s.Rooms))
	for i, r := range s.Rooms {
		rooms[i] = api.BreakoutRoom{ID: r.ID, Name: r.Name, Members: []api.BreakoutMember{}}
		for _, p := range s.Placements {
			if p.BreakoutID != r.ID {
				continue
			}
			here, _ := find(people, p.Person)
			rooms[i].Members = append(rooms[i].Members, api.BreakoutMember{
				ID: p.Person, Name: p.Name, Present: here.present[r.ID], CanReturn: p.CanReturn,
			})
		}
	}
	return rooms
}

// unassigned are the people in the meeting who have no room, and people who were
// sent to the main room and may come back.
func (s Session) unassigned(people []attendee) []api.UnassignedPerson {
	out := []api.UnassignedPerson{}
	for _, here := range people {
		p, known := s.placement(here.ID)
		if known && p.BreakoutID != "" || !known && !here.In {
			continue
		}
		out = append(out, api.UnassignedPerson{ID: here.ID, Name: here.Name, Present: here.In})
	}
	return out
}

// summary is the session in a few numbers.
func (s Session) summary() api.BreakoutSessionSummary {
	people := 0
	for _, p := range s.Placements {
		if p.BreakoutID != "" {
			people++
		}
	}
	return api.BreakoutSessionSummary{
		Object: "breakout_session_summary", ID: s.ID, Status: string(s.Status), StartedBy: s.StartedBy, StartedAt: api.At(s.StartedAt),
		EndsAt: api.TimeOrNull(s.EndsAt), ClosedAt: api.TimeOrNull(s.ClosedAt), Rooms: len(s.Rooms), People: people,
	}
}

// The parts that the stream sends (docs/reference/meeting-protocol.md).

type breakoutsView struct {
	Session *sessionView `json:"session"`
}

type sessionView struct {
	ID         string                             `json:"id"`
	Status     Status                             `json:"status" enum:"open,closing" doc:"closing: the rooms close at ends_at, within a minute."`
	AutoJoin   bool                               `json:"auto_join"`
	Return     bool                               `json:"allow_return"`
	SelfSelect bool                               `json:"self_select"`
	StartedAt  api.Time                           `json:"started_at"`
	EndsAt     *api.Time                          `json:"ends_at"`
	You        placeView                          `json:"you"`
	Rooms      stream.Written[[]api.BreakoutRoom] `json:"rooms" doc:"Members are filled for hosts and co-hosts, for everybody if people choose their rooms, and in one's own room."`
	Unassigned []api.UnassignedPerson             `json:"unassigned"`
}

// placeView is where a person belongs and may go.
type placeView struct {
	Place     *string `json:"place" doc:"The room that this device belongs in; null: the main room."`
	Assigned  *string `json:"assigned" doc:"Their room."`
	CanReturn bool    `json:"can_return"`
	MayChoose bool    `json:"may_choose"`
}

type announcementView struct {
	ID      string   `json:"id"`
	Message string   `json:"message"`
	From    *string  `json:"from" doc:"The host's name; null if it came through the API."`
	At      api.Time `json:"at"`
}

// announcedFor is how long an announcement is shown to devices that start to
// follow.
const announcedFor = time.Minute

func (s Session) viewFor(held seat.Seat) sessionView {
	id, host := seat.Person(held.Identity), held.RoleNow() == api.RoleHost
	p, _ := s.placement(id)
	return sessionView{
		ID: s.ID, Status: s.Status, AutoJoin: s.AutoJoin, Return: s.AllowReturn, SelfSelect: s.SelfSelect,
		StartedAt: api.At(s.StartedAt), EndsAt: api.TimeOrNull(s.EndsAt),
		You: placeView{
			Place: api.TextOrNull(held.BreakoutID), Assigned: api.TextOrNull(p.BreakoutID), CanReturn: s.mayReturn(id, host), MayChoose: host || s.SelfSelect,
		},
	}
}

// seesAll says whether a person sees who is where: hosts do, and everybody does
// where people choose.
func (s Session) seesAll(held seat.Seat) bool {
	return s.SelfSelect || held.RoleNow() == api.RoleHost
}

// ownOnly leaves out the people of all rooms except those where the viewer is or
// belongs.
func (s Session) ownOnly(rooms []api.BreakoutRoom, held seat.Seat) []api.BreakoutRoom {
	p, _ := s.placement(seat.Person(held.Identity))
	own := slices.Clone(rooms)
	for i := range own {
		if own[i].ID != held.BreakoutID && own[i].ID != p.BreakoutID {
			own[i].Members = []api.BreakoutMember{}
		}
	}
	return own
}

// view is an announcement as people see it, while it is new.
func (a *announcement) view(now time.Time) *announcementView {
	if a == nil || !now.Before(a.At.Add(announcedFor)) {
		return nil
	}
	return &announcementView{ID: a.ID, Message: a.Message, From: api.TextOrNull(a.From), At: api.At(a.At)}
}
