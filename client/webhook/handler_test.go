package webhook_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/client/webhook"
)

const (
	secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
	left   = `{"id":"evt_01","type":"participant.left","created_at":"2026-11-22T10:00:00.000Z","data":{"room":{"id":"r1","code":"abc-defg-hjk","name":"Weekly"},"participant":{"identity":"api_ada.k3","name":"Ada","role":"host"},"reason":"left","occurred_at":"2026-11-22T10:00:00.000Z"}}`
)

var at = time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)

// post sends a body with a signature to a handler.
func post(h http.Handler, signature string, body io.Reader) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "/webhooks", body)
	if signature != "" {
		r.Header.Set(webhook.SignatureHeader, signature)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestHandler(t *testing.T) {
	t.Parallel()
	broken := errors.New("the database is down")
	signed := webhook.Sign(secret, at, []byte(left))
	for _, c := range []struct {
		name      string
		secrets   []string
		signature string
		body      string
		receives  error
		status    int
		refused   error
		events    int
	}{
		{"an event", []string{secret}, signed, left, nil, http.StatusNoContent, nil, 1},
		{"an event that cannot be worked on now", []string{secret}, signed, left, broken, http.StatusInternalServerError, broken, 1},
		{"a forgery", []string{secret}, webhook.Sign("whsec_x", at, []byte(left)), left, nil, http.StatusUnauthorized, webhook.ErrSignatureMismatch, 0},
		{"no signature", []string{secret}, "", left, nil, http.StatusUnauthorized, webhook.ErrNoSignature, 0},
		{"a header that cannot be read", []string{secret}, "v1", left, nil, http.StatusUnauthorized, webhook.ErrMalformedSignature, 0},
		{"an old one", []string{secret}, webhook.Sign(secret, at.Add(-time.Hour), []byte(left)), left, nil, http.StatusUnauthorized, webhook.ErrTooOld, 0},
		{"a receiver that was not given a secret", []string{""}, signed, left, nil, http.StatusInternalServerError, webhook.ErrNoSecret, 0},
		{"signed, and not an event", []string{secret}, webhook.Sign(secret, at, []byte("[]")), "[]", nil, http.StatusBadRequest, webhook.ErrMalformedEvent, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var (
				events  []webhook.Event
				refused error
			)
			w := post(&webhook.Handler{
				Verifier: webhook.Verifier{Secrets: c.secrets, Now: func() time.Time { return at }},
				Receive:  func(_ context.Context, e webhook.Event) error { events = append(events, e); return c.receives },
				Refused:  func(_ *http.Request, err error) { refused = err },
			}, c.signature, strings.NewReader(c.body))
			if w.Code != c.status || !errors.Is(refused, c.refused) || (c.refused == nil) != (refused == nil) || len(events) != c.events {
				t.Errorf("status %d, refused %v, %d events; want %d, %v, %d", w.Code, refused, len(events), c.status, c.refused, c.events)
			}
			if w.Body.Len() > 0 {
				t.Errorf("the answer has a body, %q, which reveals something to strangers", w.Body)
			}
		})
	}
}

// The body is limited, whatever length the request claims, and a body that breaks off is
// not an event.
func TestHandlerLimitsTheBody(t *testing.T) {
	t.Parallel()
	event := []byte(strings.Replace(left, "Weekly", strings.Repeat("x", webhook.MaxBody-len(left)+len("Weekly")), 1))
	over := append(bytes.Clone(event), ' ')
	for _, c := range []struct {
		name   string
		body   io.Reader
		signed []byte
		status int
	}{
		{"as long as may be", bytes.NewReader(event), event, http.StatusNoContent},
		{"one byte more", bytes.NewReader(over), over, http.StatusRequestEntityTooLarge},
		{"without an end", endless{}, over, http.StatusRequestEntityTooLarge},
		{"cut off", io.MultiReader(strings.NewReader(left), iotest.ErrReader(io.ErrUnexpectedEOF)), []byte(left), http.StatusBadRequest},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := &webhook.Handler{
				Verifier: webhook.Verifier{Secrets: []string{secret}, Now: func() time.Time { return at }},
				Receive:  func(context.Context, webhook.Event) error { return nil },
			}
			if w := post(h, webhook.Sign(secret, at, c.signed), c.body); w.Code != c.status {
				t.Errorf("status %d, want %d", w.Code, c.status)
			}
		})
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func TestHandlerTakesPOSTOnly(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	(&webhook.Handler{}).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/webhooks", http.NoBody))
	if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != http.MethodPost {
		t.Errorf("status %d, Allow %q", w.Code, w.Header().Get("Allow"))
	}
}

// The two signatures of a rotation may be in two header lines.
func TestHandlerReadsEveryHeaderLine(t *testing.T) {
	t.Parallel()
	h := &webhook.Handler{
		Verifier: webhook.Verifier{Secrets: []string{secret}, Now: func() time.Time { return at }},
		Receive:  func(context.Context, webhook.Event) error { return nil },
	}
	r := httptest.NewRequest(http.MethodPost, "/webhooks", strings.NewReader(left))
	_, ours, _ := strings.Cut(webhook.Sign(secret, at, []byte(left)), ",")
	r.Header.Add(webhook.SignatureHeader, webhook.Sign("whsec_new", at, []byte(left)))
	r.Header.Add(webhook.SignatureHeader, ours)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != http.StatusNoContent {
		t.Errorf("status %d, want 204", w.Code)
	}
}

// A receiver and an event that it receives.
func ExampleHandler() {
	receiver := httptest.NewServer(&webhook.Handler{
		Verifier: webhook.Verifier{Secrets: []string{secret}}, // use the environment in a real receiver
		Receive: func(_ context.Context, e webhook.Event) error {
			switch data := e.Data.(type) {
			case *api.ParticipantEvent:
				fmt.Println(e.Type, data.Participant.Name, data.Reason)
			default:
				fmt.Println("nothing to do for", e.Type)
			}
			return nil
		},
	})
	defer receiver.Close()

	// The service sends this request.
	req, _ := http.NewRequest(http.MethodPost, receiver.URL, strings.NewReader(left))
	req.Header.Set(webhook.SignatureHeader, webhook.Sign(secret, time.Now(), []byte(left)))
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = res.Body.Close() }()
	fmt.Println(res.StatusCode)
	// Output:
	// participant.left Ada left
	// 204
}

// With another framework, pass the header and the bytes of the body.
func ExampleVerifier_Event() {
	body := []byte(left)
	header := webhook.Sign(secret, time.Now(), body) // the value of the header Service-Signature

	e, err := webhook.Verifier{Secrets: []string{secret}}.Event(header, body)
	if err != nil {
		fmt.Println("refuse it:", err)
		return
	}
	fmt.Println(e.ID, e.Type)
	// Output: evt_01 participant.left
}
