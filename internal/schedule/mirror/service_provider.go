package mirror

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/outbound"
	"github.com/conclave-rooms/conclave/internal/schedule/calendar"
)

// Providers are those whose calendars people connect by consenting there; nil
// where the operator did not register the service.
type Providers struct {
	Google    *OAuthProvider
	Microsoft *OAuthProvider
}

// OAuthProvider is the service's registration with a provider.
type OAuthProvider struct {
	OAuth *calendar.OAuth
	Base  string // the address of its API
}

// named finds a provider; nil when there is none.
func (p Providers) named(name Provider) *OAuthProvider {
	switch name {
	case Google:
		return p.Google
	case Microsoft:
		return p.Microsoft
	case CalDAV:
	}
	return nil
}

// RedirectURL is where a provider sends people back to.
func RedirectURL(publicURL string, p Provider) string {
	return publicURL + "/account/v1/calendars/" + string(p) + "/callback"
}

// NewGoogle is Google for a client that the operator registered there.
func NewGoogle(client *outbound.Client, now func() time.Time, publicURL, clientID, secret string) *OAuthProvider {
	app := calendar.App{ID: clientID, Secret: secret, Redirect: RedirectURL(publicURL, Google)}
	return &OAuthProvider{OAuth: calendar.GoogleOAuth(client, now, app), Base: calendar.GoogleAPI}
}

// NewMicrosoft is Microsoft for an application that the operator registered
// there.
func NewMicrosoft(client *outbound.Client, now func() time.Time, publicURL, clientID, secret, tenant string) *OAuthProvider {
	app := calendar.App{ID: clientID, Secret: secret, Redirect: RedirectURL(publicURL, Microsoft)}
	return &OAuthProvider{OAuth: calendar.MicrosoftOAuth(client, now, app, tenant), Base: calendar.GraphAPI}
}

// open makes the client of a connected calendar. When the client renews the
// credentials, c gets them too.
func (s *Service) open(c *Connection) (calendar.Calendar, error) {
	plain, err := s.opened(*c)
	if err != nil {
		return nil, err
	}
	if c.Provider == CalDAV {
		return &calendar.CalDAV{
			Outbound: s.Client, Now: s.Now, User: plain.User, Password: plain.Password,
			Server: plain.Server, Collection: plain.Collection, Host: Host(s.PublicURL),
		}, nil
	}
	p := s.Providers.named(c.Provider)
	if p == nil || plain.Token == nil {
		return nil, fmt.Errorf("open calendar connection %s: the service is not registered with %s any more", c.ID, c.Provider.Title())
	}
	return s.consented(c.Provider, p, *plain.Token, func(ctx context.Context, token calendar.Token) error { return s.renewed(ctx, c, token) }), nil
}

// consented is a calendar that a person gave a token for.
func (s *Service) consented(name Provider, p *OAuthProvider, token calendar.Token, save func(context.Context, calendar.Token) error) calendar.Calendar {
	access := calendar.NewAccess(p.OAuth, token, save)
	if name == Google {
		return &calendar.Google{Access: access, Base: p.Base, Calendar: "primary", Host: Host(s.PublicURL)}
	}
	return &calendar.Microsoft{Access: access, Base: p.Base, Calendar: "", Host: Host(s.PublicURL)}
}

// renewed keeps a token that the provider renewed. Where another job renewed it
// at the same time, the first one stays: both are good.
func (s *Service) renewed(ctx context.Context, c *Connection, token calendar.Token) error {
	sealed, err := s.sealed(*c, credentials{Token: &token})
	if err != nil {
		return err
	}
	kept := false
	err = s.DB.WriteLoosely(ctx, func(tx *db.Tx) (err error) {
		kept, err = setCredentials(ctx, tx, c.ID, c.credentials, sealed)
		return err
	})
	if err == nil && kept {
		c.credentials = sealed
	}
	return err
}

// topUp is when an entry has to be written again although nothing changed; zero:
// never.
func (s *Service) topUp(p Provider, e calendar.Entry) time.Time {
	if p != Microsoft {
		return time.Time{}
	}
	next, _ := calendar.TopUp(e, s.Now())
	return next
}

// Host is the name of the service in the marks of entries; publicURL is its
// address.
func Host(publicURL string) string {
	u, err := url.Parse(publicURL)
	if err != nil || u.Host == "" {
		return publicURL
	}
	return u.Host
}
