package mirror

import (
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/schedule/calendar"
)

// Provider is a kind of calendar.
type Provider string

// The providers.
const (
	CalDAV    Provider = "caldav"
	Google    Provider = "google"
	Microsoft Provider = "microsoft"
)

// Title is what people call a provider.
func (p Provider) Title() string {
	switch p {
	case CalDAV:
		return "CalDAV"
	case Google:
		return "Google Calendar"
	case Microsoft:
		return "Microsoft 365"
	}
	return string(p)
}

// Status is how a connection stands.
type Status string

// The states of a connection.
const (
	Connected   Status = "connected"
	Revoked     Status = "revoked"     // the provider no longer grants access
	Unreachable Status = "unreachable" // nothing but failures for too long
	Leaving     Status = "leaving"     // disconnected; its entries are being removed
)

// Connection is a calendar that a person connected.
type Connection struct {
	ID           string
	AccountID    string
	Provider     Provider
	Target       string // CalDAV: the calendar's address; otherwise the id of the account there
	Name         string // what the person knows it by
	Status       Status
	StatusAt     time.Time
	Failures     int       // in a row
	FailingSince time.Time // zero: the last request was good
	PausedUntil  time.Time // zero: requests may be sent
	Error        string    // why the last request failed
	CreatedAt    time.Time

	credentials string // sealed
	asked       int64  // how often its meetings were to be gone through
	filled      int64  // of that, how often they were
}

// ConnectionObject is a connection as its owner sees it.
type ConnectionObject struct {
	Object       string    `json:"object" enum:"calendar_connection"`
	ID           string    `json:"id" format:"uuid"`
	Provider     Provider  `json:"provider" enum:"caldav,google,microsoft"`
	Name         string    `json:"name" doc:"What the calendar is called."`
	Status       Status    `json:"status" enum:"connected,revoked,unreachable" doc:"revoked: the provider no longer grants access. unreachable: nothing could be written for seven days. Both need connecting again."`
	FailingSince *api.Time `json:"failing_since" nullable:"true" doc:"Since when nothing could be written; null while all is well."`
	Error        *string   `json:"error" nullable:"true" doc:"Why the last request failed, in a word: access_ended, busy, calendar_missing, not_answering, refused."`
	Pending      int       `json:"pending" doc:"Meetings that are yet to be written or removed."`
	Failed       int       `json:"failed" doc:"Meetings that the calendar refused."`
	CreatedAt    api.Time  `json:"created_at"`
}

// Object is the connection as its owner sees it; counts are of its mirrors.
func (c Connection) Object(pending, failed int) ConnectionObject {
	o := ConnectionObject{
		Object: "calendar_connection", ID: c.ID, Provider: c.Provider, Name: c.Name, Status: c.Status,
		FailingSince: nil, Error: nil, Pending: pending, Failed: failed, CreatedAt: api.At(c.CreatedAt),
	}
	if !c.FailingSince.IsZero() {
		since := api.At(c.FailingSince)
		o.FailingSince = &since
	}
	if c.Error != "" {
		o.Error = &c.Error
	}
	return o
}

// place names where the credentials of a connection are kept, so that they open
// nowhere else.
func (c Connection) place() string {
	return "calendar_connection/credentials/" + c.ID + "/" + c.AccountID
}

// credentials are what the service shows a provider. Those of CalDAV and of
// OAuth have nothing in common.
type credentials struct {
	Server     string          `json:"server,omitempty"`     // CalDAV: the address that the person gave
	Collection string          `json:"collection,omitempty"` // CalDAV: the calendar's
	User       string          `json:"user,omitempty"`
	Password   string          `json:"password,omitempty"`
	Token      *calendar.Token `json:"token,omitempty"` // OAuth
}

// mirror is a meeting in a connected calendar.
type mirror struct {
	ID           string // and of its job
	ConnectionID string
	MeetingID    string
	WorkspaceID  string
	Wanted       int64 // counts the changes
	Done         int64 // of those, the last that is in the calendar
	Failures     int   // in a row
	FailingSince time.Time
}

// pending says whether the calendar is behind.
func (m mirror) pending() bool { return m.Wanted > m.Done }
