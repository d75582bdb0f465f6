package identity

import (
	"log/slog"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/seal"
)

// serviceOn makes a service on a database, without mail and without an identity
// provider.
func serviceOn(t *testing.T, d *db.DB) *Service {
	t.Helper()
	sealer, err := seal.New(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	return &Service{
		DB: d, Now: func() time.Time { return now }, Logger: slog.New(slog.DiscardHandler), PublicURL: "https://meet.example.com", Sealer: sealer,
		Mail: nil, OIDC: nil, OnStanding: nil,
	}
}

func TestTheCookieOfADeviceIsForOneAccount(t *testing.T) {
	t.Parallel()
	s := serviceOn(t, nil)
	cookie, err := s.knownDevice("ada@acme.example", "mark")
	if err != nil || cookie.Name != "__Host-conclave_device" || !cookie.Secure || !cookie.HttpOnly || cookie.Path != "/" || cookie.Domain != "" {
		t.Fatalf("%v (%v)", cookie, err)
	}
	again, err := s.knownDevice("ada@acme.example", "mark")
	if err != nil {
		t.Fatal(err)
	}
	first, known := s.openDevice(cookie.Value, tried(" Ada@Acme.example "))
	second, knownToo := s.openDevice(again.Value, tried("ada@acme.example"))
	if !known || !knownToo || first.ID == second.ID {
		t.Errorf("two devices are %+v %v and %+v %v", first, known, second, knownToo)
	}
	otherPlace, err := s.Sealer.Seal([]byte(`{"account": "`+tried("ada@acme.example")+`"}`), flowBinding)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ value, email string }{
		"another account": {cookie.Value, "ben@acme.example"},
		"no cookie":       {"", "ada@acme.example"},
		"made up":         {"v1.x.y", "ada@acme.example"},
		"another cookie":  {otherPlace, "ada@acme.example"},
	} {
		if d, known := s.openDevice(c.value, tried(c.email)); known {
			t.Errorf("%s: known as %+v", name, d)
		}
	}
}

func TestCookiesHaveThePrefixOfTheirHostOnHTTPS(t *testing.T) {
	t.Parallel()
	for publicURL, want := range map[string]string{
		"https://meet.example.com": "__Host-conclave_session", "http://localhost:8080": "conclave_session",
	} {
		s := &Service{PublicURL: publicURL} // only the address matters
		c := s.cookie("x")
		if c.Name != want || SessionCookie(publicURL) != want || c.Secure != (want[0] == '_') || c.Path != "/" || c.Domain != "" {
			t.Errorf("%s: %v", publicURL, c)
		}
	}
}

func TestAddressesFoldOnlyASCII(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Ada@ACME.Example":             "ada@acme.example",
		" ada@acme.example ":           "ada@acme.example",
		"\u212Aim@acme.example":        "\u212Aim@acme.example", // the Kelvin sign is not a k
		"kim@acme.example":             "kim@acme.example",
		"L\u0130sa@acme.example":       "l\u0130sa@acme.example",
		"\u00C9mile@acme.example":      "\u00C9mile@acme.example",
		"ada@\u212Aiosk.example":       "ada@\u212Aiosk.example",
		"zoe\u0308@acme.example":       "zo\u00EB@acme.example", // as a browser's address arrives
		"ada@zoe\u0308.example":        "ada@zo\u00EB.example",
		"Ada Lovelace <ada@x.example>": "",
		"ada":                          "",
	} {
		if got, err := cleanEmail(text); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q (%v), want %q", text, got, err, want)
		}
	}
	if tried("\u212Aim@acme.example") == tried("kim@acme.example") || tried("KIM@acme.example") != tried("kim@acme.example") {
		t.Error("the tries of two accounts are counted together, or those of one account separately")
	}
}
