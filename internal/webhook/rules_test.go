package webhook

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
)

func TestJudge(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]outcome{
		200: {Status: 200}, 201: {Status: 201}, 204: {Status: 204}, 299: {Status: 299},
		101: {Status: 101, Error: errorHTTP},
		300: {Status: 300, Error: errorRedirect}, 301: {Status: 301, Error: errorRedirect}, 307: {Status: 307, Error: errorRedirect}, 399: {Status: 399, Error: errorRedirect},
		400: {Status: 400, Error: errorHTTP, Lasting: true}, 401: {Status: 401, Error: errorHTTP, Lasting: true},
		404: {Status: 404, Error: errorHTTP, Lasting: true}, 410: {Status: 410, Error: errorHTTP, Lasting: true}, 499: {Status: 499, Error: errorHTTP, Lasting: true},
		408: {Status: 408, Error: errorHTTP}, 429: {Status: 429, Error: errorHTTP, RetryAfter: time.Minute},
		500: {Status: 500, Error: errorHTTP}, 503: {Status: 503, Error: errorHTTP, RetryAfter: time.Minute}, 504: {Status: 504, Error: errorHTTP}, 599: {Status: 599, Error: errorHTTP},
	} {
		if got := outcomeOf(status, time.Minute); got != want {
			t.Errorf("outcomeOf(%d) = %+v, want %+v", status, got, want)
		}
	}
}

func TestNext(t *testing.T) {
	t.Parallel()
	failed := outcome{Error: errorHTTP}
	asks := func(d time.Duration) outcome { return outcome{Status: 503, Error: errorHTTP, RetryAfter: d} }
	for _, c := range []struct {
		name   string
		step   int
		o      outcome
		chance float64
		want   time.Duration
		again  bool
	}{
		{"after the first attempt", 1, failed, 0.5, 10 * time.Second, true},
		{"the second", 2, failed, 0.5, time.Minute, true},
		{"the third", 3, failed, 0.5, 5 * time.Minute, true},
		{"the fourth", 4, failed, 0.5, 30 * time.Minute, true},
		{"the fifth", 5, failed, 0.5, 2 * time.Hour, true},
		{"the sixth is the last", 6, failed, 0.5, 0, false},
		{"a tenth less", 1, failed, 0, 9 * time.Second, true},
		{"a tenth more", 1, failed, 1, 11 * time.Second, true},
		{"a refusal is final", 1, outcome{Error: errorHTTP, Lasting: true}, 0.5, 0, false},
		{"asked for less", 1, asks(time.Second), 0.5, 10 * time.Second, true},
		{"asked for more", 1, asks(30 * time.Second), 0.5, 30 * time.Second, true},
		{"up to the attempt after it", 1, asks(70 * time.Second), 0.5, 70 * time.Second, true},
		{"not past it", 1, asks(71 * time.Second), 0.5, 70 * time.Second, true},
		{"the last pause cannot be stretched", 5, asks(24 * time.Hour), 0.5, 2 * time.Hour, true},
		{"but varies", 5, failed, 1, 132 * time.Minute, true},
		{"nothing follows the last", 6, asks(time.Second), 0.5, 0, false},
	} {
		if got, again := next(c.step, c.o, c.chance); got != c.want || again != c.again {
			t.Errorf("%s: %v, %v; want %v, %v", c.name, got, again, c.want, c.again)
		}
	}
}

func TestFailingTooLong(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		since time.Time
		want  bool
	}{
		{time.Time{}, false}, {now, false}, {now.Add(-failingFor + time.Millisecond), false}, {now.Add(-failingFor), true}, {now.Add(-2 * failingFor), true},
	} {
		if got := failingTooLong(c.since, now); got != c.want {
			t.Errorf("failing since %v: %v", c.since, got)
		}
	}
}

// The vectors come from openssl: printf '%s' "$text" | openssl dgst -sha256 -hmac "$key".
func TestSign(t *testing.T) {
	t.Parallel()
	key := []byte("0123456789abcdef0123456789abcdef")
	secret := SecretPrefix + base64.StdEncoding.EncodeToString(key)
	got := sign([]string{secret, NewSecret()}, "evt_1", time.Unix(1795168800, 999), []byte(`{"id":"evt_1"}`))
	own := strings.Split(got["Service-Signature"], ",")
	if len(own) != 3 || own[0] != "t=1795168800" || own[1] != "v1=298e5dbb98e3822068c628d6b02891ee32023cd641a3721b30f35ef28d34d9fa" {
		t.Errorf("Service-Signature is %s", got["Service-Signature"])
	}
	standard := strings.Split(got["Webhook-Signature"], " ")
	if len(standard) != 2 || standard[0] != "v1,L9JvFBTsaKoHpMzYz7Lq+DUkOaHdy3ygd3p90tqIP10=" || got["Webhook-Id"] != "evt_1" || got["Webhook-Timestamp"] != "1795168800" {
		t.Errorf("the standard headers are %v", got)
	}
}

func TestWants(t *testing.T) {
	t.Parallel()
	all, some := []api.EventType{everything}, []api.EventType{api.EventRoomCreated, api.EventWebhookTest}
	for _, c := range []struct {
		e    Endpoint
		kind api.EventType
		want bool
	}{
		{Endpoint{Enabled: true, Events: all}, api.EventRoomCreated, true},
		{Endpoint{Enabled: false, Events: all}, api.EventRoomCreated, false},
		{Endpoint{Enabled: true, Events: some}, api.EventRoomCreated, true},
		{Endpoint{Enabled: true, Events: some}, api.EventRoomDeleted, false},
		{Endpoint{Enabled: true, Events: all}, api.EventWebhookTest, false},
		{Endpoint{Enabled: true, Events: some}, api.EventWebhookTest, false},
	} {
		if got := c.e.Wants(c.kind); got != c.want {
			t.Errorf("%+v wants %s: %v", c.e, c.kind, got)
		}
	}
}

func TestSecretsAreLongAndNew(t *testing.T) {
	t.Parallel()
	a, b := NewSecret(), NewSecret()
	raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(a, "whsec_"))
	if err != nil || len(raw) != 32 || a == b {
		t.Errorf("secrets %s and %s: %v", a, b, err)
	}
}
