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

// OAuth lets people consent to the use of their calendar at a provider, with the
// authorization code flow of OAuth 2.0 and PKCE (RFC 6749, RFC 7636).
type OAuth struct {
	Outbound *outbound.Client
	Now      func() time.Time
	Config   oauth2.Config
	// Extra are the provider's own parameters of the address for consent.
	Extra map[string]string
}

// App is the client that the operator registered at a provider.
type App struct {
	ID       string
	Secret   string
	Redirect string // the address to which the provider sends people back
}

// identityScopes lets a provider tell which account a consent is for: its id, and its
// e-mail address, which people recognise.
func identityScopes() []string { return []string{"openid", "email"} }

// GoogleOAuth asks for access to the events of calendars that the person owns, also
// while they are away. Without prompt=consent, Google issues no refresh token to a
// person who has consented before.
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

// MicrosoftOAuth asks for access to the person's calendars, also while they are away.
// tenant is the operator's directory, or "common" for every account.
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

// Verifier makes a new PKCE secret. It stays in the browser that began the flow.
func (*OAuth) Verifier() string { return oauth2.GenerateVerifier() }

// Address returns the address for a person's consent. The provider sends state back
// with the person.
func (o *OAuth) Address(state, verifier string) string {
	options := []oauth2.AuthCodeOption{oauth2.S256ChallengeOption(verifier)}
	for name, value := range o.Extra {
		options = append(options, oauth2.SetAuthURLParam(name, value))
	}
	return o.Config.AuthCodeURL(state, options...)
}

// Exchange exchanges the code with which a person came back for a token, and returns
// the account it belongs to.
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

// refresh gets a new access token. Microsoft also issues a new refresh token, which
// replaces the old one.
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

// context makes package oauth2 send its requests through package outbound.
func (o *OAuth) context(ctx context.Context) context.Context {
	return context.WithValue(ctx, oauth2.HTTPClient, &http.Client{Transport: o.Outbound})
}

// failure tells a consent that has ended from a provider in trouble, and both from a
// client that the provider refuses. It leaves out the answer's text, which may contain
// a token.
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
	err = refusal(res, doing, refused.ErrorCode, o.Now())
	answer, isAnswer := errors.AsType[*AnswerError](err)
	if res.Status == http.StatusUnauthorized || isAnswer && answer.Lasting() { // about the operator's client, not about the person
		return fmt.Errorf("%s: %w: it answered %d (%s)", doing, ErrClient, res.Status, refused.ErrorCode)
	}
	return err
}

// Access is the token of one connection, renewed when needed.
type Access struct {
	OAuth *OAuth
	// Save stores a renewed token before it is used, because the old one may no
	// longer be valid.
	Save func(ctx context.Context, token Token) error

	mu    sync.Mutex
	token Token
}

// NewAccess returns an Access with the stored token.
func NewAccess(o *OAuth, token Token, save func(ctx context.Context, token Token) error) *Access {
	return &Access{OAuth: o, Save: save, token: token}
}

// bearer returns an access token that is valid now. refused is one that the provider
// has just refused, "" for none.
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
		return "", fmt.Errorf("store the renewed access: %w", err)
	}
	a.token = renewed
	return renewed.Access, nil
}

// send sends JSON with the access token. If the token is refused, send tries once more
// with a renewed one.
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
