package mirror

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/id"
	"github.com/conclave-rooms/conclave/internal/identity"
	"github.com/conclave-rooms/conclave/internal/job"
	"github.com/conclave-rooms/conclave/internal/mail"
	"github.com/conclave-rooms/conclave/internal/outbound"
	"github.com/conclave-rooms/conclave/internal/schedule"
	"github.com/conclave-rooms/conclave/internal/schedule/calendar"
	"github.com/conclave-rooms/conclave/internal/seal"
)

// Service connects calendars and writes meetings to them.
type Service struct {
	DB        *db.DB
	Schedule  *schedule.Service
	Identity  *identity.Service
	Jobs      *job.Queue // calls Do for each job
	Sealer    *seal.Sealer
	Client    *outbound.Client // for CalDAV servers, whose addresses people choose
	Mail      *mail.Sender     // nil: owners are not told by mail
	Now       func() time.Time
	Logger    *slog.Logger
	PublicURL string
	Providers Providers
	// ConnectWithin limits the time that all requests of ConnectCalDAV may take
	// together; zero means 20 seconds.
	ConnectWithin time.Duration
}

// connectWithin is as long as a person waits for a page. A working server answers the
// five or so requests within a few seconds.
const connectWithin = 20 * time.Second

// List reads the connections of an account, oldest first, with the number of pending
// meetings. It leaves out connections that are leaving.
func (s *Service) List(ctx context.Context, accountID string) (list []ConnectionObject, err error) {
	list = []ConnectionObject{}
	err = s.DB.Read(ctx, func(tx *db.Tx) error {
		all, err := connectionsOf(ctx, tx, accountID)
		if err != nil {
			return err
		}
		for _, c := range all {
			if c.Status == Leaving {
				continue
			}
			o, err := object(ctx, tx, c)
			if err != nil {
				return err
			}
			list = append(list, o)
		}
		return nil
	})
	return list, err
}

func object(ctx context.Context, tx *db.Tx, c Connection) (ConnectionObject, error) {
	pending, failed, err := counts(ctx, tx, c.ID)
	return c.Object(pending, failed), err
}

// connect stores a connection whose credentials were tried, and queues its fill job. A
// calendar that the account has connected already gets the new credentials.
func (s *Service) connect(ctx context.Context, c Connection, plain credentials) (o ConnectionObject, err error) {
	now := api.At(s.Now()).Time
	c.Status, c.StatusAt, c.CreatedAt, c.asked = Connected, now, now, 1
	err = s.DB.Write(ctx, func(tx *db.Tx) error {
		all, err := connectionsOf(ctx, tx, c.AccountID)
		if err != nil {
			return err
		}
		known := false
		c.ID = id.New()
		for _, other := range all {
			if other.Provider == c.Provider && other.Target == c.Target {
				c.ID, c.CreatedAt, known = other.ID, other.CreatedAt, true
			}
		}
		if !known && len(all) >= mostConnections {
			return fault.Conflicting(api.CodeLimitReached, fmt.Sprintf("An account has at most %d connected calendars. Disconnect one first.", mostConnections))
		}
		if c.credentials, err = s.sealed(c, plain); err != nil {
			return err
		}
		if known {
			err = reconnect(ctx, tx, c)
		} else {
			err = insertConnection(ctx, tx, c)
		}
		if err != nil {
			return err
		}
		if err := s.Jobs.Ensure(ctx, tx, fillJob(c.ID), c.ID, now); err != nil {
			return err
		}
		o, err = object(ctx, tx, c)
		return err
	})
	return o, err
}

// Disconnect disconnects a calendar. Jobs first remove the entries of upcoming
// meetings; past ones stay.
func (s *Service) Disconnect(ctx context.Context, accountID, connectionID string) (o ConnectionObject, err error) {
	err = s.DB.Write(ctx, func(tx *db.Tx) error {
		c, found, err := findConnection(ctx, tx, connectionID)
		if err != nil {
			return err
		}
		if !found || c.AccountID != accountID || c.Status == Leaving {
			return fault.Missing()
		}
		if o, err = object(ctx, tx, c); err != nil {
			return err
		}
		if c.Status == Revoked { // entries can no longer be removed
			_, err := deleteConnection(ctx, tx, c)
			return err
		}
		now := s.Now()
		if _, err := setStatus(ctx, tx, c, c.Status, Leaving, "", now); err != nil {
			return err
		}
		// Failures of before do not count: the seven days in which entries are removed begin now.
		if err := setWell(ctx, tx, c.ID); err != nil {
			return err
		}
		if err := setMirrorsWell(ctx, tx, c.ID); err != nil {
			return err
		}
		if err := countFillRequest(ctx, tx, c.ID); err != nil {
			return err
		}
		return s.Jobs.Ensure(ctx, tx, fillJob(c.ID), c.ID, now)
	})
	return o, err
}

func (s *Service) sealed(c Connection, plain credentials) (string, error) {
	raw, err := json.Marshal(plain) //nolint:gosec // it is sealed below
	if err != nil {
		return "", fmt.Errorf("write the credentials of a calendar: %w", err)
	}
	sealed, err := s.Sealer.Seal(raw, c.binding())
	if err != nil {
		return "", fmt.Errorf("seal the credentials of a calendar: %w", err)
	}
	return sealed, nil
}

// opened unseals the credentials of a connection.
func (s *Service) opened(c Connection) (credentials, error) {
	raw, err := s.Sealer.Open(c.credentials, c.binding())
	if err != nil {
		return credentials{}, fmt.Errorf("open the credentials of calendar connection %s: %w", c.ID, err)
	}
	var plain credentials
	if err := json.Unmarshal(raw, &plain); err != nil {
		return credentials{}, fmt.Errorf("read the credentials of calendar connection %s: %w", c.ID, err)
	}
	return plain, nil
}

// CalDAVRequest is a request to connect a CalDAV calendar.
type CalDAVRequest struct {
	URL      string
	User     string
	Password string
	Calendar string // its name; "": the first one that can be written to
}

// ConnectCalDAV finds the calendar, tries the password, and connects it.
func (s *Service) ConnectCalDAV(ctx context.Context, accountID string, r CalDAVRequest) (ConnectionObject, error) {
	if err := s.Client.Check(ctx, r.URL); err != nil {
		return ConnectionObject{}, fault.BadParameter("url", "url "+err.Error()+".")
	}
	chosen, err := s.tryCalDAV(ctx, r)
	if err != nil {
		return ConnectionObject{}, s.refused(ctx, err)
	}
	name := chosen.Name
	if name == "" {
		name = r.User
	}
	return s.connect(ctx, Connection{AccountID: accountID, Provider: CalDAV, Target: chosen.Address, Name: name},
		credentials{Server: r.URL, Collection: chosen.Address, User: r.User, Password: r.Password})
}

// tryCalDAV finds the calendar and tries the password, in limited time.
func (s *Service) tryCalDAV(ctx context.Context, r CalDAVRequest) (calendar.Collection, error) {
	within := s.ConnectWithin
	if within == 0 {
		within = connectWithin
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	dav := &calendar.CalDAV{Outbound: s.Client, Now: s.Now, User: r.User, Password: r.Password, Server: r.URL, Collection: "", Host: Host(s.PublicURL)}
	list, err := dav.Find(ctx)
	if err != nil {
		return calendar.Collection{}, fmt.Errorf("connect a calendar: %w", err)
	}
	chosen, err := calendar.Choose(list, r.Calendar)
	if err != nil {
		return calendar.Collection{}, fmt.Errorf("connect a calendar: %w", err)
	}
	dav.Collection = chosen.Address
	if err := dav.Check(ctx); err != nil {
		return calendar.Collection{}, fmt.Errorf("connect a calendar: %w", err)
	}
	return chosen, nil
}

// refused turns an error of a calendar into a fault for the person who connects it.
func (s *Service) refused(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err() //nolint:wrapcheck // the person has left the page
	}
	s.Logger.InfoContext(ctx, "a calendar could not be connected", "error", err)
	if errors.Is(err, context.DeadlineExceeded) {
		return fault.New(fault.Unavailable, api.CodeCalendarUnreachable, "The calendar server takes too long to answer. Try again later.")
	}
	switch verdictOn(err).word {
	case "access_ended":
		return fault.BadParameter("password", "The calendar server refuses this user name and password.")
	case "calendar_missing":
		return fault.BadParameter("url", "There is no calendar of this name that takes events. Leave the name out to use the first one that does.")
	case "busy":
		return fault.New(fault.Unavailable, api.CodeCalendarUnreachable, "The calendar server is busy. Try again later.")
	}
	return fault.New(fault.Unavailable, api.CodeCalendarUnreachable, "The calendar server does not answer as a CalDAV server does. Check the address.")
}
