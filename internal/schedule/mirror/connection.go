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

// Title returns the name of a provider for people.
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

// Status is the state of a connection.
type Status string

// The states of a connection.
const (
	Connected   Status = "connected"
	Revoked     Status = "revoked"     // the provider no longer grants access
	Unreachable Status = "unreachable" // it failed for too long
	Leaving     Status = "leaving"     // disconnected; its entries are being removed
)

// Connection is a calendar that a person connected.
type Connection struct {
	ID           string
	AccountID    string
	Provider     Provider
	Target       string // CalDAV: the calendar's address; otherwise the id of the account there
	Name         string // shown to the person
	Status       Status
	StatusAt     time.Time
	Failures     int       // in a row
	FailingSince time.Time // zero: the last request succeeded
	PausedUntil  time.Time // zero: requests may be sent
	Error        string    // why the last request failed
	CreatedAt    time.Time

	credentials string // sealed
	asked       int64  // how many times a fill was requested
	filled      int64  // how many of those requests are done
}

// ConnectionObject is a connection as its owner sees it.
type ConnectionObject struct {
	Object       string    `json:"object" enum:"calendar_connection"`
	ID           string    `json:"id" format:"uuid"`
	Provider     Provider  `json:"provider" enum:"caldav,google,microsoft"`
	Name         string    `json:"name" doc:"Name of the calendar."`
	Status       Status    `json:"status" enum:"connected,revoked,unreachable" doc:"revoked: the provider no longer grants access. unreachable: nothing could be written for seven days. Both need connecting again."`
	FailingSince *api.Time `json:"failing_since" nullable:"true" doc:"Since when nothing could be written; null while the calendar works."`
	Error        *string   `json:"error" nullable:"true" doc:"Why the last request failed, in a word: access_ended, busy, calendar_missing, client_refused, not_answering, refused."`
	Pending      int       `json:"pending" doc:"Meetings that still have to be written or removed."`
	Failed       int       `json:"failed" doc:"Meetings that the calendar refused."`
	CreatedAt    api.Time  `json:"created_at"`
}

// Object returns the connection as its owner sees it. The counts are those of its
// mirrors.
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

// binding names the row and column of a connection's credentials, so that they can only
// be opened there.
func (c Connection) binding() string {
	return "calendar_connection/credentials/" + c.ID + "/" + c.AccountID
}

// credentials authenticate the service to a provider. CalDAV and OAuth use different
// fields.
type credentials struct {
	Server     string          `json:"server,omitempty"`     // CalDAV: the address that the person entered
	Collection string          `json:"collection,omitempty"` // CalDAV: the calendar's
	User       string          `json:"user,omitempty"`
	Password   string          `json:"password,omitempty"`
	Token      *calendar.Token `json:"token,omitempty"` // OAuth
}

// mirror is a meeting in a connected calendar.
type mirror struct {
	ID           string // also the id of its job
	ConnectionID string
	MeetingID    string
	WorkspaceID  string
	Wanted       int64 // counts the changes to be written
	Done         int64 // the last of those changes that was written or given up
	Failures     int   // in a row
	FailingSince time.Time
}

// pending reports whether the calendar lacks a change.
func (m mirror) pending() bool { return m.Wanted > m.Done }
