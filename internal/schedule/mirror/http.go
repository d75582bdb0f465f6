package mirror

import (
	"context"
	"net/http"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/identity"
	"github.com/conclave-rooms/conclave/internal/rest"
	"github.com/conclave-rooms/conclave/internal/rest/limit"
)

// Overview is what the account page shows about connected calendars.
type Overview struct {
	Object      string             `json:"object" enum:"connected_calendars"`
	Providers   []Provider         `json:"providers" doc:"Providers that can be connected: caldav always, google and microsoft if the operator registered the service there."`
	Connections []ConnectionObject `json:"connections" doc:"Connected calendars, oldest first."`
}

type caldavInput struct {
	Body struct {
		URL      string          `json:"url" minLength:"1" maxLength:"2000" doc:"Address of the CalDAV server, or of a calendar on it."`
		User     string          `json:"username" minLength:"1" maxLength:"200" doc:"User name on the server."`
		Password string          `json:"password" raw:"true" minLength:"1" maxLength:"1000" doc:"Password on the server, preferably one made for this purpose."`
		Calendar api.Opt[string] `json:"calendar" maxLength:"200" doc:"Name of the calendar. Default: the first one that can be written to."`
	}
}

type connectionInput struct {
	ConnectionID string `path:"connection_id" doc:"Id of the connected calendar." format:"uuid"`
}

// An account can connect connectsAtOnce calendars at a time, so that servers that do
// not answer hold only a few requests. Another try is refused and may be repeated
// after connectRetry.
const (
	connectsAtOnce = 2
	connectRetry   = 5 * time.Second
)

// MountAccount registers the operations on a person's own calendars.
func (s *Service) MountAccount(d *rest.Group) {
	const tag = "Calendars"
	connecting := limit.NewTurns(connectsAtOnce)
	rest.Handle(d, rest.Op{
		ID: "listCalendars", Method: http.MethodGet, Path: "/calendars", Tag: tag, Summary: "List one's connected calendars",
	}, func(ctx context.Context, _ *struct{}) (Overview, error) {
		who, _ := identity.SignedIn(ctx)
		list, err := s.List(ctx, who.ID)
		return Overview{Object: "connected_calendars", Providers: s.providers(), Connections: list}, err
	})
	rest.Handle(d, rest.Op{
		ID: "connectCalDAV", Method: http.MethodPost, Path: "/calendars/caldav", Tag: tag, Limit: rest.ClassCalendarConnect, NoTurn: true,
		Summary:     "Connect a CalDAV calendar",
		Description: "Finds the calendar and tries the password. Upcoming meetings are written to it at once, and later changes as they happen.",
		Errors:      []string{api.CodeCalendarUnreachable, api.CodeLimitReached},
	}, func(ctx context.Context, in *caldavInput) (ConnectionObject, error) {
		who, _ := identity.SignedIn(ctx)
		done, ok := connecting.TakeNow(who.ID)
		if !ok {
			f := fault.New(fault.RateLimited, api.CodeRateLimited, "Two calendars of yours are being connected at this moment. Try again in a few seconds.")
			f.RetryAfter = connectRetry
			return ConnectionObject{}, f
		}
		defer done()
		return s.ConnectCalDAV(ctx, who.ID, CalDAVRequest{
			URL: in.Body.URL, User: in.Body.User, Password: in.Body.Password, Calendar: in.Body.Calendar.Or(""),
		})
	})
	rest.Handle(d, rest.Op{
		ID: "disconnectCalendar", Method: http.MethodDelete, Path: "/calendars/{connection_id}", Tag: tag,
		Summary:     "Disconnect a calendar",
		Description: "Upcoming meetings are removed from it, and a series that has begun ends. Past meetings stay. Returns the connection as it was.",
		Errors:      []string{api.CodeNotFound},
	}, func(ctx context.Context, in *connectionInput) (ConnectionObject, error) {
		who, _ := identity.SignedIn(ctx)
		return s.Disconnect(ctx, who.ID, in.ConnectionID)
	})
	s.mountConsent(d, Google)
	s.mountConsent(d, Microsoft)
}

func (s *Service) providers() []Provider {
	list := []Provider{CalDAV}
	for _, name := range []Provider{Google, Microsoft} {
		if s.Providers.named(name) != nil {
			list = append(list, name)
		}
	}
	return list
}
