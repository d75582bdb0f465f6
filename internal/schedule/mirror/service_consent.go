package mirror

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/id"
	"github.com/conclave-rooms/conclave/internal/schedule/calendar"
)

// flowLife is how long somebody may take at the provider.
const flowLife = 10 * time.Minute

// flow is what the browser keeps between leaving for the provider and coming back. It
// is sealed for the account that began it.
type flow struct {
	State    string    `json:"state"`
	Verifier string    `json:"verifier"`
	Until    time.Time `json:"until"`
}

func flowBinding(p Provider, accountID string) string {
	return "calendar consent/" + string(p) + "/" + accountID
}

// ConsentError is the reason why connecting a calendar failed. The account page
// explains it in words.
type ConsentError string

// The reasons (docs/reference/calendars.md).
const (
	ErrConsentDenied      ConsentError = "calendar_denied"      // the person or the provider refused
	ErrConsentExpired     ConsentError = "calendar_expired"     // another browser or account, too late, or twice
	ErrConsentUnavailable ConsentError = "calendar_unavailable" // the provider did not answer correctly
	ErrConsentFull        ConsentError = "calendar_limit"       // the account has reached its limit of calendars
)

// Error names the problem.
func (e ConsentError) Error() string { return "connect a calendar: " + string(e) }

func notConfigured() *fault.Error {
	return fault.New(fault.NotFound, api.CodeCalendarNotConfigured, "This service is not registered with this provider of calendars.")
}

// StartConsent begins a flow. It returns the provider's address and the sealed flow
// for the browser to keep.
func (s *Service) StartConsent(name Provider, accountID string) (address, sealed string, err error) {
	p := s.Providers.named(name)
	if p == nil {
		return "", "", notConfigured()
	}
	f := flow{State: id.Secret(), Verifier: p.OAuth.Verifier(), Until: s.Now().Add(flowLife)}
	raw, err := json.Marshal(f)
	if err != nil {
		return "", "", fmt.Errorf("write the flow: %w", err)
	}
	if sealed, err = s.Sealer.Seal(raw, flowBinding(name, accountID)); err != nil {
		return "", "", fmt.Errorf("seal the flow: %w", err)
	}
	return p.OAuth.Address(f.State, f.Verifier), sealed, nil
}

// FinishConsent ends a flow with the provider's answer, and connects the calendar. A
// ConsentError is shown to the person; other errors are accidents.
func (s *Service) FinishConsent(ctx context.Context, name Provider, accountID string, answer url.Values, sealed string) error {
	p := s.Providers.named(name)
	if p == nil {
		return notConfigured()
	}
	f, ok := s.openFlow(name, accountID, sealed, answer.Get("state"))
	if !ok {
		return ErrConsentExpired
	}
	if answer.Get("error") != "" || answer.Get("code") == "" {
		return ErrConsentDenied
	}
	token, holder, err := p.OAuth.Exchange(ctx, answer.Get("code"), f.Verifier)
	if err != nil {
		return problem(err)
	}
	// There is no connection yet in which a renewed token could be stored. The token
	// is new, so it need not be renewed.
	unsaved := func(context.Context, calendar.Token) error { return errors.New("the access ended at once") }
	if err := s.consented(name, p, token, unsaved).Check(ctx); err != nil {
		return problem(err)
	}
	called := holder.Email
	if called == "" {
		called = name.Title()
	}
	_, err = s.connect(ctx, Connection{AccountID: accountID, Provider: name, Target: holder.ID, Name: called}, credentials{Token: &token})
	if fault.HasCode(err, api.CodeLimitReached) {
		return ErrConsentFull
	}
	return err
}

// problem turns a provider's error into a ConsentError.
func problem(err error) error {
	if errors.Is(err, calendar.ErrRevoked) || errors.Is(err, calendar.ErrNoCalendar) {
		return errors.Join(ErrConsentDenied, err)
	}
	return errors.Join(ErrConsentUnavailable, err)
}

// openFlow opens the sealed flow, if it belongs to this answer.
func (s *Service) openFlow(name Provider, accountID, sealed, state string) (flow, bool) {
	raw, err := s.Sealer.Open(sealed, flowBinding(name, accountID))
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
