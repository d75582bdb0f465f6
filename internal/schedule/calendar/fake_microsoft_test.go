package calendar

import (
	"net/http"
	"testing"

	"github.com/conclave-rooms/conclave/internal/schedule/calendar/calendartest"
)

// fakeMicrosoft is Microsoft with our client.
type fakeMicrosoft struct{ *calendartest.Microsoft }

func newFakeMicrosoft(t *testing.T) *fakeMicrosoft {
	t.Helper()
	return &fakeMicrosoft{calendartest.NewMicrosoft(t, "ada@example.com")}
}

func (m *fakeMicrosoft) Calendar(address string) Calendar {
	return &Microsoft{Access: accessTo(&m.Tokens, address), Base: address, Host: testHost}
}

func (m *fakeMicrosoft) Handler() http.Handler { return m }

func (*fakeMicrosoft) Places() bool { return false }

func (*fakeMicrosoft) Rule() string {
	return "weekly 1 [tuesday] monday 0 endDate 2026-03-24 2026-06-30 W. Europe Standard Time"
}

func (m *fakeMicrosoft) Rename(_ *testing.T, meeting, title string) {
	m.Microsoft.Rename(UID(meeting, testHost), title)
}

func (m *fakeMicrosoft) Remove(_ *testing.T, meeting string) {
	m.Microsoft.Remove(UID(meeting, testHost))
}

func (m *fakeMicrosoft) PutForeign(_ *testing.T, meeting string) {
	m.Microsoft.PutForeign(UID(meeting, "meet.example.net"))
}
