package calendar

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2"

	"github.com/conclave-rooms/conclave/internal/schedule/calendar/calendartest"
)

func TestWhereToConsent(t *testing.T) {
	t.Parallel()
	app := App{ID: "the-client", Secret: "the-secret", Redirect: "https://meet.example.com/back"}
	for name, s := range map[string]struct {
		oauth *OAuth
		at    string
		want  map[string]string
	}{
		"Google": {
			GoogleOAuth(nil, testNow, app), "https://accounts.google.com/o/oauth2/v2/auth",
			map[string]string{"access_type": "offline", "prompt": "select_account consent", "scope": "openid email https://www.googleapis.com/auth/calendar.events.owned"},
		},
		"Microsoft": {
			MicrosoftOAuth(nil, testNow, app, "common"), "https://login.microsoftonline.com/common/oauth2/v2.0/authorize",
			map[string]string{"scope": "openid email offline_access https://graph.microsoft.com/Calendars.ReadWrite"},
		},
	} {
		verifier := s.oauth.Verifier()
		address, err := url.Parse(s.oauth.Address("the-state", verifier))
		if err != nil {
			t.Fatal(err)
		}
		hash := sha256.Sum256([]byte(verifier))
		query := address.Query()
		s.want["state"], s.want["client_id"], s.want["response_type"] = "the-state", "the-client", "code"
		s.want["redirect_uri"], s.want["code_challenge_method"] = "https://meet.example.com/back", "S256"
		s.want["code_challenge"] = base64.RawURLEncoding.EncodeToString(hash[:])
		for parameter, want := range s.want {
			if got := query.Get(parameter); got != want {
				t.Errorf("%s: %s is %q, want %q", name, parameter, got, want)
			}
		}
		if address.Query().Has("client_secret") || !strings.HasPrefix(address.String(), s.at+"?") || len(verifier) < 43 {
			t.Errorf("%s: the address is %s", name, address)
		}
	}
}

// exchange gets a token from an endpoint with the given answer.
func exchange(t *testing.T, status int, body map[string]any) (Token, Holder, error) {
	t.Helper()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		for name, want := range map[string]string{"grant_type": "authorization_code", "code": "the-code", "code_verifier": "the-verifier", "client_secret": "the-secret"} {
			if got := r.PostForm.Get(name); got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
		w.Header().Set("Retry-After", "12")
		calendartest.Reply(w, status, body)
	}))
	t.Cleanup(web.Close)
	o := GoogleOAuth(testOutbound(), testNow, App{ID: "the-client", Secret: "the-secret"})
	o.Config.Endpoint = oauth2.Endpoint{TokenURL: web.URL, AuthStyle: oauth2.AuthStyleInParams}
	return o.Exchange(t.Context(), "the-code", "the-verifier")
}

// idToken makes an ID token with some claims.
func idToken(claims string) string {
	return "e30." + base64.RawURLEncoding.EncodeToString([]byte(claims)) + ".c2lnbmVk"
}

// An ID token that does not name an account is refused.
func TestHolderOf(t *testing.T) {
	t.Parallel()
	longest := strings.Repeat("1", longestHolder)
	if holder, err := holderOf(idToken(`{"sub": "` + longest + `"}`)); err != nil || holder != (Holder{ID: longest}) {
		t.Errorf("the account is %+v, %v", holder, err)
	}
	for name, said := range map[string]string{
		"nothing": "", "no claims": "e30.e30", "not base64": "e30.?.c2lnbmVk", "not JSON": idToken("{"), "nobody": idToken("{}"),
		"too long": idToken(`{"sub": "1` + longest + `"}`), "a zero byte": idToken(`{"sub": "\u0000"}`),
	} {
		if holder, err := holderOf(said); err == nil {
			t.Errorf("%s: the account is %+v", name, holder)
		}
	}
}

func TestExchange(t *testing.T) {
	t.Parallel()
	given := map[string]any{"access_token": "a", "refresh_token": "r", "token_type": "Bearer", "expires_in": 3600, "id_token": idToken(`{"sub": "1", "email": "ada@example.com"}`)}
	token, holder, err := exchange(t, http.StatusOK, given)
	if want := (Token{Access: "a", Refresh: "r", Expires: testNow().Add(time.Hour)}); err != nil || token != want {
		t.Errorf("the token is %+v, %v", token, err)
	}
	if want := (Holder{ID: "1", Email: "ada@example.com"}); holder != want {
		t.Errorf("the account is %+v", holder)
	}
	delete(given, "id_token")
	if _, _, err := exchange(t, http.StatusOK, given); err == nil {
		t.Error("an access to an unknown account was accepted")
	}
	if _, _, err := exchange(t, http.StatusOK, map[string]any{"access_token": "a", "token_type": "Bearer"}); err == nil {
		t.Error("an access without a refresh token was accepted")
	}
	for code, want := range map[string]string{"invalid_grant": "revoked", "invalid_client": "client", "unauthorized_client": "client", "interaction_required": "revoked"} {
		if _, _, err := exchange(t, http.StatusBadRequest, map[string]any{"error": code}); kindOf(err) != want {
			t.Errorf("%s: %v, want %s", code, err, want)
		}
	}
	if _, _, err := exchange(t, http.StatusUnauthorized, map[string]any{"error": "invalid_client"}); kindOf(err) != "client" {
		t.Errorf("the operator's client is not known: %v", err)
	}
	_, _, err = exchange(t, http.StatusTooManyRequests, nil)
	if busy, ok := errors.AsType[*BusyError](err); !ok || busy.After != 12*time.Second {
		t.Errorf("the provider is busy: %v", err)
	}
}

// An expired access token is renewed, stored, and used, once for many requests.
func TestAnExpiredAccessTokenIsRenewedOnce(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*fakeGoogle, *Token){
		"the token ended":                func(_ *fakeGoogle, token *Token) { token.Expires = testNow() },
		"the token ends within a minute": func(_ *fakeGoogle, token *Token) { token.Expires = testNow().Add(59 * time.Second) },
		"there is no token yet":          func(_ *fakeGoogle, token *Token) { token.Access = "" },
		"the token is refused early":     func(_ *fakeGoogle, token *Token) { token.Access = "access-of-before" },
	} {
		g := newFakeGoogle(t)
		w := newWorld(t, g)
		access := w.calendar.(*Google).Access
		var saved []Token
		access.Save = func(_ context.Context, token Token) error {
			saved = append(saved, token)
			return nil
		}
		spoil(g, &access.token)
		w.write(t, weekly(t))
		w.write(t, moved(t))
		if want := (Token{Access: g.Tokens.Access(), Refresh: g.Tokens.Refresh(), Expires: testNow().Add(time.Hour)}); len(saved) != 1 || saved[0] != want || g.Tokens.Issued() != 1 {
			t.Errorf("%s: kept were %+v", name, saved)
		}
	}
}

// A renewed access token that could not be stored is not used, and the next request
// tries again.
func TestAnUnstoredAccessTokenIsNotUsed(t *testing.T) {
	t.Parallel()
	g := newFakeGoogle(t)
	w := newWorld(t, g)
	access := w.calendar.(*Google).Access
	access.token.Access = ""
	broken := errors.New("the disk is full")
	access.Save = func(context.Context, Token) error { return broken }
	if _, err := w.calendar.Write(t.Context(), weekly(t)); !errors.Is(err, broken) || len(g.Events(t)) != 0 {
		t.Errorf("written: %v", err)
	}
}

// A withdrawn consent is noticed when the access is renewed.
func TestAWithdrawnConsentIsNoticedAtTheNextRenewal(t *testing.T) {
	t.Parallel()
	g := newFakeGoogle(t)
	w := newWorld(t, g)
	w.write(t, weekly(t))
	g.Tokens.Revoke()
	w.each(t, func(doing string, err error) {
		if !errors.Is(err, ErrRevoked) {
			t.Errorf("%s: %v", doing, err)
		}
	})
}
