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

// Providers are the providers that use OAuth. A provider with which the operator did
// not register the service is nil.
type Providers struct {
	Google    *OAuthProvider
	Microsoft *OAuthProvider
}

// OAuthProvider is the service's registration with a provider.
type OAuthProvider struct {
	OAuth *calendar.OAuth
	Base  string // the address of its API
}

// named returns a provider; nil when there is none.
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

// RedirectURL returns the address to which a provider sends people back.
func RedirectURL(publicURL string, p Provider) string {
	return publicURL + "/account/v1/calendars/" + string(p) + "/callback"
}

// NewGoogle returns Google with the client that the operator registered there.
func NewGoogle(client *outbound.Client, now func() time.Time, publicURL, clientID, secret string) *OAuthProvider {
	app := calendar.App{ID: clientID, Secret: secret, Redirect: RedirectURL(publicURL, Google)}
	return &OAuthProvider{OAuth: calendar.GoogleOAuth(client, now, app), Base: calendar.GoogleAPI}
}

// NewMicrosoft returns Microsoft with the application that the operator registered
// there.
func NewMicrosoft(client *outbound.Client, now func() time.Time, publicURL, clientID, secret, tenant string) *OAuthProvider {
	app := calendar.App{ID: clientID, Secret: secret, Redirect: RedirectURL(publicURL, Microsoft)}
	return &OAuthProvider{OAuth: calendar.MicrosoftOAuth(client, now, app, tenant), Base: calendar.GraphAPI}
}

// open makes the client of a connected calendar. If the client renews the credentials,
// it updates c too.
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

// consented makes the client of a calendar from a person's token.
func (s *Service) consented(name Provider, p *OAuthProvider, token calendar.Token, save func(context.Context, calendar.Token) error) calendar.Calendar {
	access := calendar.NewAccess(p.OAuth, token, save)
	if name == Google {
		return &calendar.Google{Access: access, Base: p.Base, Calendar: "primary", Host: Host(s.PublicURL)}
	}
	return &calendar.Microsoft{Access: access, Base: p.Base, Calendar: "", Host: Host(s.PublicURL)}
}

// renewed stores a token that the provider renewed. If another job renewed it at the
// same time, the first one stays, because both are valid.
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

// topUp returns when an entry has to be written again although nothing changed; zero
// means never.
func (s *Service) topUp(p Provider, e calendar.Entry) time.Time {
	if p != Microsoft {
		return time.Time{}
	}
	next, _ := calendar.TopUp(e, s.Now())
	return next
}

// Host returns the name of the service in the marks of entries; publicURL is its
// address.
func Host(publicURL string) string {
	u, err := url.Parse(publicURL)
	if err != nil || u.Host == "" {
		return publicURL
	}
	return u.Host
}
