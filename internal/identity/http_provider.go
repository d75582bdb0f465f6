package identity

import (
	"cmp"
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/id"
	"github.com/conclave-rooms/conclave/internal/rest"
	"github.com/conclave-rooms/conclave/internal/schema"
)

// OIDC is an identity provider (OpenID Connect Core 1.0): people sign in there,
// and it tells the service their e-mail address. Signing in creates no account:
// the address must have one already.
//
//	/account/v1/oidc/start ──► provider ──► /account/v1/oidc/callback ──► page
//	     state, nonce, PKCE verifier: sealed in a cookie of this browser
type OIDC struct {
	Issuer       string
	ClientID     string
	ClientSecret string
	RedirectURL  string
	Client       *http.Client

	mu        sync.Mutex
	discovery *discovery // under way or successful; nil: the next person causes one
}

// discovery is one question to the provider about its endpoints.
type discovery struct {
	done     chan struct{} // closed when the other fields are set
	provider *oidc.Provider
	err      error
}

// flowLife is how long somebody may take at the provider.
const flowLife = 10 * time.Minute

// flowBinding is the purpose a flow is sealed for.
const flowBinding = "oidc flow"

// flow is what the browser keeps between leaving for the provider and coming
// back.
type flow struct {
	State    string    `json:"state"`
	Nonce    string    `json:"nonce"`
	Verifier string    `json:"verifier"`
	Next     string    `json:"next"` // the path to go to afterwards
	Until    time.Time `json:"until"`
}

// OIDCError is the reason why signing in through the provider failed. The
// sign-in page explains it in words.
type OIDCError string

// The reasons (docs/reference/sign-in.md).
const (
	ErrOIDCDenied      OIDCError = "oidc_denied"      // the provider refused, or the person did there
	ErrOIDCExpired     OIDCError = "oidc_expired"     // another browser, too late, or twice
	ErrOIDCUnverified  OIDCError = "oidc_unverified"  // the provider does not vouch for an address
	ErrOIDCUnknown     OIDCError = "oidc_unknown"     // no account has the address
	ErrOIDCUnavailable OIDCError = "oidc_unavailable" // the provider does not answer as it should
)

// Error names the problem.
func (e OIDCError) Error() string { return "sign in with OpenID Connect: " + string(e) }

// discovered asks the provider for its endpoints, once. If that fails, the next
// person who signs in causes another try, so the provider need not be up when
// the service starts. People who come meanwhile wait for the same answer, none
// longer than their own request lasts.
func (o *OIDC) discovered(ctx context.Context) (*oidc.Provider, error) {
	o.mu.Lock()
	d := o.discovery
	if d == nil {
		d = &discovery{done: make(chan struct{})}
		o.discovery = d
		go o.discover(context.WithoutCancel(ctx), d)
	}
	o.mu.Unlock()
	select {
	case <-d.done:
		return d.provider, d.err
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for the identity provider: %w", context.Cause(ctx))
	}
}

// discover asks for the endpoints. The client's timeout bounds it.
func (o *OIDC) discover(ctx context.Context, d *discovery) {
	defer close(d.done)
	// The provider keeps this context to fetch its keys later.
	p, err := oidc.NewProvider(oidc.ClientContext(ctx, o.client()), o.Issuer)
	if err == nil {
		d.provider = p
		return
	}
	d.err = fmt.Errorf("ask the identity provider: %w", err)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.discovery = nil
}

// mostAnswer is the size of the largest answer of a provider that is read, once it is
// decompressed. The largest ones, with its keys, have some ten kilobytes.
const mostAnswer = 1 << 20

// client is the client with which the provider is asked. The libraries would read an
// answer of any size into memory.
func (o *OIDC) client() *http.Client {
	c := *o.Client
	c.Transport = bounded{cmp.Or(c.Transport, http.DefaultTransport)}
	return &c
}

// bounded fails to read more than mostAnswer of an answer.
type bounded struct{ http.RoundTripper }

// RoundTrip sends a request.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		res.Body = http.MaxBytesReader(nil, res.Body, mostAnswer)
	}
	return res, err //nolint:wrapcheck // the client names the request
}

func (o *OIDC) config(p *oidc.Provider) *oauth2.Config {
	endpoint := p.Endpoint()
	endpoint.AuthStyle = authStyle(p)
	return &oauth2.Config{
		ClientID: o.ClientID, ClientSecret: o.ClientSecret, Endpoint: endpoint, RedirectURL: o.RedirectURL,
		Scopes: []string{oidc.ScopeOpenID, "email", "profile"},
	}
}

// authStyle is how the provider wants the client's secret. If it does not say, the
// library tries both ways, which makes two requests of every code that is refused.
func authStyle(p *oidc.Provider) oauth2.AuthStyle {
	var said struct {
		Methods []string `json:"token_endpoint_auth_methods_supported"`
	}
	switch err := p.Claims(&said); {
	case err == nil && slices.Contains(said.Methods, "client_secret_basic"):
		return oauth2.AuthStyleInHeader
	case err == nil && slices.Contains(said.Methods, "client_secret_post"):
		return oauth2.AuthStyleInParams
	default:
		return oauth2.AuthStyleAutoDetect
	}
}

// StartOIDC begins a flow. It returns the provider's address and the sealed flow
// for the browser to keep.
func (s *Service) StartOIDC(ctx context.Context, next string) (address, sealed string, err error) {
	if s.OIDC == nil {
		return "", "", fault.New(fault.NotFound, api.CodeOIDCNotConfigured, "This service has no identity provider to sign in through.")
	}
	p, err := s.OIDC.discovered(ctx)
	if err != nil {
		return "", "", errors.Join(ErrOIDCUnavailable, err)
	}
	f := flow{State: id.Secret(), Nonce: id.Secret(), Verifier: oauth2.GenerateVerifier(), Next: ownPath(next), Until: s.Now().Add(flowLife)}
	raw, err := json.Marshal(f)
	if err != nil {
		return "", "", fmt.Errorf("write the flow: %w", err)
	}
	if sealed, err = s.Sealer.Seal(raw, flowBinding); err != nil {
		return "", "", fmt.Errorf("seal the flow: %w", err)
	}
	return s.OIDC.config(p).AuthCodeURL(f.State, oidc.Nonce(f.Nonce), oauth2.S256ChallengeOption(f.Verifier)), sealed, nil
}

// ownPath returns next if it is a path of this service, and "/" otherwise: the
// value comes from the address, so anybody could make it lead anywhere.
func ownPath(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.ContainsAny(next, "\\\r\n\t") {
		return "/"
	}
	return next
}

// FinishOIDC ends a flow with the provider's answer. It returns a session for
// the account with the verified address, and the path to redirect to. An
// OIDCError is shown to the person; other errors are accidents.
func (s *Service) FinishOIDC(ctx context.Context, answer url.Values, sealed string) (token, next string, err error) {
	if s.OIDC == nil {
		return "", "", fault.New(fault.NotFound, api.CodeOIDCNotConfigured, "This service has no identity provider to sign in through.")
	}
	f, ok := s.openFlow(sealed, answer.Get("state"))
	if !ok {
		return "", "", ErrOIDCExpired
	}
	if answer.Get("error") != "" || answer.Get("code") == "" {
		return "", "", ErrOIDCDenied
	}
	if err := countReturn(ctx, f); err != nil {
		return "", "", err
	}
	email, name, err := s.OIDC.identify(ctx, f, answer.Get("code"), s.Now)
	if err != nil {
		return "", "", err
	}
	token, err = s.signInAs(ctx, email, name)
	return token, f.Next, err
}

// countReturn counts somebody who returns with a code, before the provider is asked
// about it. A stranger can begin a flow and return with codes that they made up. Each
// flow allows one request, so a stranger must begin a flow for each try.
func countReturn(ctx context.Context, f flow) error {
	if err := rest.CountFrom(ctx, rest.ClassProviderReturns, "all"); err != nil {
		return err
	}
	if err := rest.Count(ctx, rest.ClassProviderFlow, id.Hash(f.State)[:32]); err != nil {
		return errors.Join(ErrOIDCExpired, err)
	}
	if err := rest.Count(ctx, rest.ClassProvider, "all"); err != nil {
		return errors.Join(ErrOIDCUnavailable, err)
	}
	return nil
}

// openFlow opens the sealed flow, if it belongs to this answer.
func (s *Service) openFlow(sealed, state string) (flow, bool) {
	raw, err := s.Sealer.Open(sealed, flowBinding)
	if err != nil {
		return flow{}, false
	}
	var f flow
	if err := json.Unmarshal(raw, &f); err != nil {
		return flow{}, false
	}
	same := subtle.ConstantTimeCompare([]byte(f.State), []byte(state)) == 1
	return f, same && s.Now().Before(f.Until)
}

// identify exchanges the code for an identity token, checks the token, and
// returns the person's verified address and name.
func (o *OIDC) identify(ctx context.Context, f flow, code string, now func() time.Time) (email, name string, err error) {
	p, err := o.discovered(ctx)
	if err != nil {
		return "", "", errors.Join(ErrOIDCUnavailable, err)
	}
	ctx = oidc.ClientContext(ctx, o.client())
	tokens, err := o.config(p).Exchange(ctx, code, oauth2.VerifierOption(f.Verifier))
	if err != nil {
		if _, refused := errors.AsType[*oauth2.RetrieveError](err); refused {
			return "", "", errors.Join(ErrOIDCDenied, fmt.Errorf("exchange the code: %w", err))
		}
		return "", "", errors.Join(ErrOIDCUnavailable, fmt.Errorf("exchange the code: %w", err))
	}
	raw, _ := tokens.Extra("id_token").(string)
	idToken, err := p.Verifier(&oidc.Config{ClientID: o.ClientID, Now: now}).Verify(ctx, raw)
	if err != nil {
		return "", "", errors.Join(ErrOIDCUnavailable, fmt.Errorf("check the identity token: %w", err))
	}
	if subtle.ConstantTimeCompare([]byte(idToken.Nonce), []byte(f.Nonce)) != 1 {
		return "", "", errors.Join(ErrOIDCUnavailable, errors.New("the identity token belongs to another flow"))
	}
	var c claims
	if err := idToken.Claims(&c); err != nil {
		return "", "", errors.Join(ErrOIDCUnavailable, fmt.Errorf("read the identity token: %w", err))
	}
	if c.Email == "" { // many providers give it only at their userinfo endpoint
		if c, err = o.userInfo(ctx, p, tokens, idToken.Subject); err != nil {
			return "", "", err
		}
	}
	address, err := cleanEmail(c.Email)
	if err != nil || !bool(c.EmailVerified) {
		return "", "", ErrOIDCUnverified
	}
	return address, schema.ShortPersonName(c.Name, longestName), nil
}

func (o *OIDC) userInfo(ctx context.Context, p *oidc.Provider, tokens *oauth2.Token, subject string) (claims, error) {
	info, err := p.UserInfo(ctx, oauth2.StaticTokenSource(tokens))
	if err != nil {
		return claims{}, errors.Join(ErrOIDCUnavailable, fmt.Errorf("ask the userinfo endpoint: %w", err))
	}
	if info.Subject != subject { // OpenID Connect Core, 5.3.2
		return claims{}, errors.Join(ErrOIDCUnavailable, errors.New("the userinfo answer is about somebody else"))
	}
	var c claims
	if err := info.Claims(&c); err != nil {
		return claims{}, errors.Join(ErrOIDCUnavailable, fmt.Errorf("read the userinfo answer: %w", err))
	}
	return c, nil
}

// longestName is the most characters of a person's name (docs/reference/joining.md).
const longestName = 60

// claims are what the service reads about a person.
type claims struct {
	Email         string    `json:"email"`
	EmailVerified looseBool `json:"email_verified"`
	Name          string    `json:"name"`
}

// looseBool is a boolean that some providers write as a string.
type looseBool bool

// UnmarshalJSON takes true and "true".
func (b *looseBool) UnmarshalJSON(raw []byte) error {
	*b = string(raw) == "true" || string(raw) == `"true"`
	return nil
}
