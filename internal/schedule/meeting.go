package schedule

import (
	"math"
	"reflect"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/auth"
)

// Meeting is a row of the table of scheduled meetings.
type Meeting struct {
	ID              string
	WorkspaceID     string
	Title           string
	Description     *string
	StartsAt        time.Time
	EndsAt          time.Time
	RoomID          *string
	RoomCode        string // of the room, "" without one
	Recurrence      string
	RecurrenceUntil *time.Time
	Timezone        *string
	CreatedBy       string // the account that scheduled it, or whose key did
	CreatedAt       time.Time
	UpdatedAt       time.Time
	DeletedAt       time.Time // zero until it is cancelled
	Revision        int64     // revision of the workspace's series when its times last changed; 0: it never was a series
	Sequence        int64     // grows with each change; tells calendars which of two states is later
}

// Deleted reports whether the meeting was cancelled.
func (m Meeting) Deleted() bool { return !m.DeletedAt.IsZero() }

// Repeats reports whether the meeting is a series.
func (m Meeting) Repeats() bool { return m.Recurrence != Once }

// Object returns the meeting as the API shows it; publicURL is the service's
// address.
func (m Meeting) Object(publicURL string) api.Meeting {
	o := api.Meeting{
		Object: "meeting", ID: m.ID, Title: m.Title, Description: m.Description, StartsAt: api.At(m.StartsAt), EndsAt: api.At(m.EndsAt),
		RoomID: m.RoomID, JoinURL: m.joinURL(publicURL), Recurrence: m.Recurrence, RecurrenceUntil: nil, Timezone: m.Timezone,
		CreatedAt: api.At(m.CreatedAt), Deleted: m.Deleted(),
	}
	if m.RecurrenceUntil != nil {
		until := api.At(*m.RecurrenceUntil)
		o.RecurrenceUntil = &until
	}
	return o
}

// shownTo returns the meeting as the API shows it to a principal.
func (m Meeting) shownTo(p auth.Principal, publicURL string) api.Meeting {
	o := m.Object(publicURL)
	if p.Session {
		managed := p.MayChange(m.CreatedBy)
		o.Managed = &managed
	}
	return o
}

// movesSeries reports whether a change adds or removes occurrences of a series.
func movesSeries(before *Meeting, after Meeting) bool {
	if before == nil {
		return after.Repeats()
	}
	if !before.Repeats() && !after.Repeats() {
		return false
	}
	return before.Recurrence != after.Recurrence || before.Deleted() != after.Deleted() ||
		!before.StartsAt.Equal(after.StartsAt) || !before.EndsAt.Equal(after.EndsAt) ||
		untilOf(before.RecurrenceUntil) != untilOf(after.RecurrenceUntil) || !reflect.DeepEqual(before.Timezone, after.Timezone)
}

func (m Meeting) joinURL(publicURL string) *string {
	if m.RoomID == nil {
		return nil
	}
	url := publicURL + "/" + m.RoomCode
	return &url
}

// rule returns the rule that gives the meeting's times, in its zone.
func (m Meeting) rule(zone *time.Location) rule {
	return newRule(m.Recurrence, m.StartsAt.UnixMilli(), m.EndsAt.UnixMilli(), untilOf(m.RecurrenceUntil), zone)
}

// untilOf returns the last moment at which an occurrence may start.
func untilOf(t *time.Time) moment {
	if t == nil {
		return math.MaxInt64
	}
	return t.UnixMilli()
}

// everything returns an update with every field of the meeting, so that the same
// checks apply to a new meeting, a change, and the result of a change.
func (m Meeting) everything() api.MeetingUpdate {
	u := api.MeetingUpdate{
		Title: api.Set(m.Title), Description: option(m.Description), StartsAt: api.Set(api.At(m.StartsAt)), EndsAt: api.Set(api.At(m.EndsAt)),
		RoomID: option(m.RoomID), Recurrence: api.Set(m.Recurrence), RecurrenceUntil: api.Clear[api.Time](), Timezone: option(m.Timezone),
	}
	if m.RecurrenceUntil != nil {
		u.RecurrenceUntil = api.Set(api.At(*m.RecurrenceUntil))
	}
	return u
}

func option[T any](v *T) api.Opt[T] {
	if v == nil {
		return api.Clear[T]()
	}
	return api.Set(*v)
}

// apply returns the meeting after a change, except for its room, whose code has to
// be read from the database.
func apply(m Meeting, u api.MeetingUpdate) Meeting {
	m.Title = u.Title.Or(m.Title)
	m.StartsAt = u.StartsAt.Or(api.At(m.StartsAt)).Time
	m.EndsAt = u.EndsAt.Or(api.At(m.EndsAt)).Time
	m.Recurrence = u.Recurrence.Or(m.Recurrence)
	if u.Description.Set {
		m.Description = u.Description.Ptr()
	}
	if u.RoomID.Set {
		m.RoomID = u.RoomID.Ptr()
	}
	if u.Timezone.Set {
		m.Timezone = u.Timezone.Ptr()
	}
	if u.RecurrenceUntil.Set {
		m.RecurrenceUntil = nil
		if until := u.RecurrenceUntil.Ptr(); until != nil {
			m.RecurrenceUntil = &until.Time
		}
	}
	return m
}

// changes returns the earlier values of what differs between two states of a
// meeting, under the names of the API's fields. It is empty when they are equal.
func changes(before, after api.Meeting) map[string]any {
	out := map[string]any{}
	b, a := reflect.ValueOf(before), reflect.ValueOf(after)
	for i := range b.NumField() {
		if was := b.Field(i).Interface(); !reflect.DeepEqual(was, a.Field(i).Interface()) {
			out[b.Type().Field(i).Tag.Get("json")] = was
		}
	}
	return out
}
