package identity

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/seal"
)

var morning = time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)

// provider is an identity provider that can be made to misbehave. A real one is
// tested in a browser (web/e2e/account.e2e.ts).
type provider struct {
	*httptest.Server

	key   *rsa.PrivateKey
	token map[string]any // claims of the identity token
	info  map[string]any // the answer of the userinfo endpoint
	other *rsa.PrivateKey
	down  bool
}

func newProvider(t *testing.T) *provider {
	t.Helper()
	p := &provider{}
	var err error
	if p.key, err = rsa.GenerateKey(rand.Reader, 2048); err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/openid-configuration", p.answer(func() any {
		return map[string]any{
			"issuer": p.URL, "authorization_endpoint": p.URL + "/auth", "token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/keys",
			"userinfo_endpoint": p.URL + "/userinfo", "id_token_signing_alg_values_supported": []string{"RS256"},
		}
	}))
	mux.HandleFunc("/keys", p.answer(func() any {
		return jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: &p.key.PublicKey, KeyID: "1", Algorithm: "RS256", Use: "sig"}}}
	}))
	mux.HandleFunc("/userinfo", p.answer(func() any { return p.info }))
	mux.HandleFunc("/token", p.answer(func() any {
		key := p.key
		if p.other != nil {
			key = p.other
		}
		signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: key}, (&jose.SignerOptions{}).WithHeader("kid", "1"))
		if err != nil {
			t.Error(err)
			return nil
		}
		signed, err := jwt.Signed(signer).Claims(p.token).Serialize()
		if err != nil {
			t.Error(err)
		}
		return map[string]any{"access_token": "a", "token_type": "Bearer", "id_token": signed}
	}))
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	return p
}

func (p *provider) answer(value func() any) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if p.down {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(value())
	}
}

func serviceWith(t *testing.T, p *provider) *Service {
	t.Helper()
	d, err := db.Open(t.Context(), dbtest.Config(t, db.SQLite))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	sealer, err := seal.New(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	s := &Service{
		DB: d, Now: func() time.Time { return morning }, Logger: slog.New(slog.DiscardHandler), PublicURL: "https://meet.example.com", Mail: nil, Sealer: sealer, OnStanding: nil,
		OIDC: &OIDC{Issuer: p.URL, ClientID: "conclave", ClientSecret: "s", RedirectURL: "https://meet.example.com/account/v1/oidc/callback", Client: p.Client()},
	}
	if _, _, err := s.CreateWorkspace(t.Context(), "Acme", "ada@acme.example"); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestWhatAProviderMayAnswer(t *testing.T) {
	t.Parallel()
	type spoiler func(p *provider, q url.Values)
	for name, c := range map[string]struct {
		spoil spoiler
		want  error
	}{
		"as expected":               {func(*provider, url.Values) {}, nil},
		"an address in capitals":    {func(p *provider, _ url.Values) { p.token["email"] = "ADA@acme.example" }, nil},
		"verified as a string":      {func(p *provider, _ url.Values) { p.token["email_verified"] = "true" }, nil},
		"the address elsewhere":     {func(p *provider, _ url.Values) { delete(p.token, "email") }, nil},
		"about somebody else":       {func(p *provider, _ url.Values) { delete(p.token, "email"); p.info["sub"] = "2" }, ErrOIDCUnavailable},
		"not verified":              {func(p *provider, _ url.Values) { p.token["email_verified"] = false }, ErrOIDCUnverified},
		"not said whether verified": {func(p *provider, _ url.Values) { delete(p.token, "email_verified") }, ErrOIDCUnverified},
		"no address anywhere":       {func(p *provider, _ url.Values) { delete(p.token, "email"); delete(p.info, "email") }, ErrOIDCUnverified},
		"an address nobody has":     {func(p *provider, _ url.Values) { p.token["email"] = "eve@acme.example" }, ErrOIDCUnknown},
		"a token of another flow":   {func(p *provider, _ url.Values) { p.token["nonce"] = "x" }, ErrOIDCUnavailable},
		"a token of another client": {func(p *provider, _ url.Values) { p.token["aud"] = "x" }, ErrOIDCUnavailable},
		"a token of another issuer": {func(p *provider, _ url.Values) { p.token["iss"] = "https://evil.example" }, ErrOIDCUnavailable},
		"a token of another day":    {func(p *provider, _ url.Values) { p.token["exp"] = morning.Add(-time.Minute).Unix() }, ErrOIDCUnavailable},
		"a token of another key":    {func(p *provider, _ url.Values) { p.other = otherKey() }, ErrOIDCUnavailable},
		"nothing at all":            {func(p *provider, _ url.Values) { p.down = true }, ErrOIDCDenied},
		"a refusal":                 {func(_ *provider, q url.Values) { q.Set("error", "access_denied") }, ErrOIDCDenied},
		"no code":                   {func(_ *provider, q url.Values) { q.Del("code") }, ErrOIDCDenied},
		"another state":             {func(_ *provider, q url.Values) { q.Set("state", "x") }, ErrOIDCExpired},
		"no state":                  {func(_ *provider, q url.Values) { q.Del("state") }, ErrOIDCExpired},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProvider(t)
			s := serviceWith(t, p)
			address, sealed, err := s.StartOIDC(t.Context(), "/abc-defg-hjk")
			if err != nil {
				t.Fatal(err)
			}
			asked := query(t, address)
			p.token = map[string]any{
				"iss": p.URL, "aud": "conclave", "sub": "1", "nonce": asked.Get("nonce"), "iat": morning.Unix(), "exp": morning.Add(time.Hour).Unix(),
				"email": "ada@acme.example", "email_verified": true, "name": "Ada",
			}
			p.info = map[string]any{"sub": "1", "email": "ada@acme.example", "email_verified": true}
			answer := url.Values{"state": {asked.Get("state")}, "code": {"c"}}
			c.spoil(p, answer)
			token, next, err := s.FinishOIDC(t.Context(), answer, sealed)
			if c.want != nil {
				if !errors.Is(err, c.want) || token != "" {
					t.Errorf("got %v, want %v", err, c.want)
				}
				return
			}
			if err != nil || next != "/abc-defg-hjk" {
				t.Fatalf("on to %q: %v", next, err)
			}
			if account, err := s.signedIn(t.Context(), token); err != nil || account.Email != "ada@acme.example" {
				t.Errorf("signed in as %+v: %v", account, err)
			}
		})
	}
}

// The service sends its secret in the way that the provider wants, once.
func TestHowTheProviderWantsTheSecret(t *testing.T) {
	t.Parallel()
	for methods, want := range map[string][]string{
		`["client_secret_post", "client_secret_basic"]`: {"header"},
		`["client_secret_post"]`:                        {"body"},
		`null`:                                          {"header", "body"},
	} {
		t.Run(methods, func(t *testing.T) {
			t.Parallel()
			var p *httptest.Server
			var got []string
			p = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				if r.URL.Path != "/token" {
					_, _ = fmt.Fprintf(w, `{"issuer": %q, "token_endpoint": %q, "token_endpoint_auth_methods_supported": %s}`, p.URL, p.URL+"/token", methods)
					return
				}
				if _, secret, ok := r.BasicAuth(); ok && secret == "s" {
					got = append(got, "header")
				} else if r.FormValue("client_secret") == "s" {
					got = append(got, "body")
				}
				w.WriteHeader(http.StatusBadRequest)
			}))
			defer p.Close()
			o := &OIDC{Issuer: p.URL, ClientID: "conclave", ClientSecret: "s", Client: p.Client()}
			if _, _, err := o.identify(t.Context(), flow{}, "c", time.Now); !errors.Is(err, ErrOIDCDenied) {
				t.Errorf("got %v", err)
			}
			if !slices.Equal(got, want) {
				t.Errorf("the secret came in %q, want %q", got, want)
			}
		})
	}
}

// An answer of a provider has a megabyte at most, also once it is decompressed. More
// would not fit into memory when many people sign in.
func TestAnAnswerThatIsTooLong(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/.well-known/openid-configuration", "/keys", "/userinfo"} {
		for size, want := range map[int]error{mostAnswer: nil, mostAnswer + 1: ErrOIDCUnavailable} {
			t.Run(fmt.Sprint(path, ", ", size), func(t *testing.T) {
				t.Parallel()
				p := newProvider(t)
				answers := p.Config.Handler
				p.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.URL.Path != path {
						answers.ServeHTTP(w, r)
						return
					}
					plain := httptest.NewRecorder()
					answers.ServeHTTP(plain, r)
					w.Header().Set("Content-Type", "application/json")
					w.Header().Set("Content-Encoding", "gzip")
					packed := gzip.NewWriter(w)
					_, _ = packed.Write(plain.Body.Bytes())
					_, _ = packed.Write(bytes.Repeat([]byte(" "), size-plain.Body.Len()))
					_ = packed.Close()
				})
				s := serviceWith(t, p)
				address, sealed, err := s.StartOIDC(t.Context(), "/")
				if err == nil {
					asked := query(t, address)
					p.token = map[string]any{"iss": p.URL, "aud": "conclave", "sub": "1", "nonce": asked.Get("nonce"), "iat": morning.Unix(), "exp": morning.Add(time.Hour).Unix()}
					p.info = map[string]any{"sub": "1", "email": "ada@acme.example", "email_verified": true}
					_, _, err = s.FinishOIDC(t.Context(), url.Values{"state": {asked.Get("state")}, "code": {"c"}}, sealed)
				}
				if !errors.Is(err, want) {
					t.Errorf("got %v, want %v", err, want)
				}
			})
		}
	}
}

func otherKey() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
}

func query(t *testing.T, address string) url.Values {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u.Query()
}

func TestWhatTheProviderIsAsked(t *testing.T) {
	t.Parallel()
	s := serviceWith(t, newProvider(t))
	first, sealed, err := s.StartOIDC(t.Context(), "//evil.example")
	if err != nil {
		t.Fatal(err)
	}
	second, _, err := s.StartOIDC(t.Context(), "/")
	if err != nil {
		t.Fatal(err)
	}
	q, other := query(t, first), query(t, second)
	for name, want := range map[string]string{
		"response_type": "code", "client_id": "conclave", "redirect_uri": "https://meet.example.com/account/v1/oidc/callback",
		"scope": "openid email profile", "code_challenge_method": "S256",
	} {
		if q.Get(name) != want {
			t.Errorf("%s is %q, want %q", name, q.Get(name), want)
		}
	}
	for _, name := range []string{"state", "nonce", "code_challenge"} {
		if len(q.Get(name)) < 43 || q.Get(name) == other.Get(name) {
			t.Errorf("%s is %q and then %q", name, q.Get(name), other.Get(name))
		}
	}
	f, ok := s.openFlow(sealed, q.Get("state"))
	if !ok || f.Next != "/" {
		t.Errorf("the flow is %+v, %v", f, ok)
	}
	// Ten minutes later it is over.
	s.Now = func() time.Time { return morning.Add(flowLife) }
	if _, ok := s.openFlow(sealed, q.Get("state")); ok {
		t.Error("an expired flow was accepted")
	}
}

// A provider that is down when somebody signs in is asked again later.
func TestAProviderThatWasDownIsAskedAgain(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	s := serviceWith(t, p)
	p.down = true
	if _, _, err := s.StartOIDC(t.Context(), "/"); !errors.Is(err, ErrOIDCUnavailable) {
		t.Errorf("got %v", err)
	}
	p.down = false
	ctx, cancel := context.WithCancel(t.Context())
	if _, _, err := s.StartOIDC(ctx, "/"); err != nil {
		t.Errorf("got %v", err)
	}
	cancel()
	if _, _, err := s.StartOIDC(t.Context(), "/"); err != nil {
		t.Errorf("after the first request: %v", err)
	}
}

// While a provider does not answer, nobody waits longer than their own request
// lasts. Everybody who stays gets the same answer.
func TestAProviderThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	s := serviceWith(t, p)
	asked, answer := make(chan struct{}, 10), make(chan struct{})
	answers := p.Config.Handler
	p.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		<-answer
		answers.ServeHTTP(w, r)
	})
	stays := make(chan error)
	go func() {
		_, _, err := s.StartOIDC(t.Context(), "/")
		stays <- err
	}()
	<-asked
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := s.StartOIDC(gone, "/"); !errors.Is(err, ErrOIDCUnavailable) || !errors.Is(err, context.Canceled) {
		t.Errorf("somebody who has left gets %v", err)
	}
	close(answer)
	if err := <-stays; err != nil {
		t.Errorf("somebody who waits gets %v", err)
	}
	if len(asked) > 0 {
		t.Errorf("the provider is asked %d times more", len(asked))
	}
}

func TestAPathToAnotherSiteLeadsToTheStartPage(t *testing.T) {
	t.Parallel()
	for next, want := range map[string]string{
		"/abc-defg-hjk": "/abc-defg-hjk", "/a?b=c#d": "/a?b=c#d", "": "/", "abc": "/", "//evil.example": "/", `/\evil.example`: "/", "https://evil.example": "/",
		"javascript:alert(1)": "/", "/\t/evil.example": "/", "/a\r\nSet-Cookie: x": "/",
	} {
		if got := ownPath(next); got != want {
			t.Errorf("%q leads to %q, want %q", next, got, want)
		}
	}
}
