package calendar

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"golang.org/x/oauth2"

	"github.com/conclave-rooms/conclave/internal/outbound"
)

// OAuth is how people consent to the use of their calendar at a provider: by
// the authorization code flow of OAuth 2.0 with PKCE (RFC 6749, RFC 7636).
type OAuth struct {
	Outbound *outbound.Client
	Now      func() time.Time
	Config   oauth2.Config
	// Extra are the provider's own parameters of the address to which people go.
	Extra map[string]string
}

// App is the client that the operator registered at a provider.
type App struct {
	ID       string
	Secret   string
	Redirect string // where the provider sends people back to
}

// identityScopes let a provider say which account a consent is for: its id, and
// its address of email, by which people know it.
func identityScopes() []string { return []string{"openid", "email"} }

// GoogleOAuth asks for the events of calendars that the person owns, and for
// access while they are away. Without prompt=consent Google gives no refresh
// token to somebody who consented before.
func GoogleOAuth(client *outbound.Client, now func() time.Time, app App) *OAuth {
	return &OAuth{
		Outbound: client, Now: now,
		Config: oauth2.Config{
			ClientID: app.ID, ClientSecret: app.Secret, RedirectURL: app.Redirect,
			Scopes: append(identityScopes(), "https://www.googleapis.com/auth/calendar.events.owned"),
			Endpoint: oauth2.Endpoint{ //nolint:gosec // addresses, no secrets
				AuthURL:   "https://accounts.google.com/o/oauth2/v2/auth",
				TokenURL:  "https://oauth2.googleapis.com/token",
				AuthStyle: oauth2.AuthStyleInParams,
			},
		},
		Extra: map[string]string{"access_type": "offline", "prompt": "select_account consent"},
	}
}

// MicrosoftOAuth asks for the person's calendars, and for access while they are
// away. Tenant is the operator's directory, or "common" for every account.
func MicrosoftOAuth(client *outbound.Client, now func() time.Time, app App, tenant string) *OAuth {
	base := "https://login.microsoftonline.com/" + tenant + "/oauth2/v2.0/"
	return &OAuth{
		Outbound: client, Now: now,
		Config: oauth2.Config{
			ClientID: app.ID, ClientSecret: app.Secret, RedirectURL: app.Redirect,
			Scopes:   append(identityScopes(), "offline_access", "https://graph.microsoft.com/Calendars.ReadWrite"),
			Endpoint: oauth2.Endpoint{AuthURL: base + "authorize", TokenURL: base + "token", AuthStyle: oauth2.AuthStyleInParams},
		},
		Extra: map[string]string{"prompt": "select_account"},
	}
}

// Verifier makes a new secret of PKCE. It stays in the browser that began the flow.
func (*OAuth) Verifier() string { return oauth2.GenerateVerifier() }

// Address is where to send a person who connects a calendar. State comes back
// with them.
func (o *OAuth) Address(state, verifier string) string {
	options := []oauth2.AuthCodeOption{oauth2.S256ChallengeOption(verifier)}
	for name, value := range o.Extra {
		options = append(options, oauth2.SetAuthURLParam(name, value))
	}
	return o.Config.AuthCodeURL(state, options...)
}

// Exchange turns the code with which a person came back into a token, and says
// whose it is.
func (o *OAuth) Exchange(ctx context.Context, code, verifier string) (Token, Holder, error) {
	given, err := o.Config.Exchange(o.context(ctx), code, oauth2.VerifierOption(verifier))
	if err != nil {
		return Token{}, Holder{}, o.failure("connect the calendar", err)
	}
	token := o.token(given)
	if token.Refresh == "" {
		return Token{}, Holder{}, errors.New("connect the calendar: the provider gave no lasting access")
	}
	said, _ := given.Extra("id_token").(string)
	holder, err := holderOf(said)
	if err != nil {
		return Token{}, Holder{}, fmt.Errorf("connect the calendar: %w", err)
	}
	return token, holder, nil
}

// refresh gets a new access. Microsoft also gives a new refresh token, which
// takes the place of the old one.
func (o *OAuth) refresh(ctx context.Context, old Token) (Token, error) {
	given, err := o.Config.TokenSource(o.context(ctx), &oauth2.Token{RefreshToken: old.Refresh}).Token()
	if err != nil {
		return Token{}, o.failure("renew the access to the calendar", err)
	}
	return o.token(given), nil
}

func (o *OAuth) token(given *oauth2.Token) Token {
	token := Token{Access: given.AccessToken, Refresh: given.RefreshToken}
	if given.ExpiresIn > 0 {
		token.Expires = o.Now().Add(time.Duration(given.ExpiresIn) * time.Second)
	}
	return token
}

// context lets the requests of package oauth2 go through package outbound.
func (o *OAuth) context(ctx context.Context) context.Context {
	return context.WithValue(ctx, oauth2.HTTPClient, &http.Client{Transport: o.Outbound})
}

// failure tells a consent that ended from a provider in trouble. The answer's
// text is left out: it may hold a token.
func (o *OAuth) failure(doing string, err error) error {
	refused, ok := errors.AsType[*oauth2.RetrieveError](err)
	if !ok {
		return fmt.Errorf("%s: %w", doing, err)
	}
	switch refused.ErrorCode {
	case "invalid_grant", "interaction_required", "consent_required", "login_required":
		return fmt.Errorf("%s: %w", doing, ErrRevoked)
	}
	res := outbound.Response{Header: http.Header{}}
	if refused.Response != nil {
		res.Answer = outbound.AnswerOf(refused.Response)
	}
	if res.Status == http.StatusUnauthorized { // about the operator's client, not about the person
		return &AnswerError{Doing: doing, Status: res.Status, Code: refused.ErrorCode}
	}
	return refusal(res, doing, refused.ErrorCode, o.Now())
}

// Access is the token of one connection, renewed as it is needed.
type Access struct {
	OAuth *OAuth
	// Save keeps a renewed token before it is used: the old one may be void.
	Save func(ctx context.Context, token Token) error

	mu    sync.Mutex
	token Token
}

// NewAccess begins with the token that was kept.
func NewAccess(o *OAuth, token Token, save func(ctx context.Context, token Token) error) *Access {
	return &Access{OAuth: o, Save: save, token: token}
}

// bearer gives an access that is good now. Refused is one that the provider has
// just turned down, "" for none.
func (a *Access) bearer(ctx context.Context, refused string) (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.token.fresh(a.OAuth.Now(), refused) {
		return a.token.Access, nil
	}
	if a.token.Refresh == "" {
		return "", ErrRevoked
	}
	renewed, err := a.OAuth.refresh(ctx, a.token)
	if err != nil {
		return "", err
	}
	if err := a.Save(ctx, renewed); err != nil {
		return "", fmt.Errorf("keep the renewed access: %w", err)
	}
	a.token = renewed
	return renewed.Access, nil
}

// send sends JSON with the access. When it is turned down, one that is renewed
// is tried, once.
func (a *Access) send(ctx context.Context, doing string, r outbound.Request, body any) (outbound.Response, error) {
	if r.Header == nil {
		r.Header = map[string]string{}
	}
	r.Header["Accept"] = "application/json"
	r.MostRead = mostAnswer
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return outbound.Response{}, fmt.Errorf("%s: %w", doing, err)
		}
		r.Body, r.Header["Content-Type"] = raw, "application/json"
	}
	refused := ""
	for {
		bearer, err := a.bearer(ctx, refused)
		if err != nil {
			return outbound.Response{}, fmt.Errorf("%s: %w", doing, err)
		}
		r.Header["Authorization"] = "Bearer " + bearer
		res, err := a.OAuth.Outbound.Do(ctx, r)
		if err != nil {
			return res, fmt.Errorf("%s: %w", doing, err)
		}
		if res.Status != http.StatusUnauthorized || refused != "" {
			return res, nil
		}
		refused = bearer
	}
}
