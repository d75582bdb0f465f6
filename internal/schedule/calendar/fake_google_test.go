package calendar

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/conclave-rooms/conclave/internal/schedule/calendar/calendartest"
)

// fakeGoogle is Google with our client.
type fakeGoogle struct{ *calendartest.Google }

func newFakeGoogle(t *testing.T) *fakeGoogle {
	t.Helper()
	return &fakeGoogle{calendartest.NewGoogle(t, "ada@example.com")}
}

func (g *fakeGoogle) Calendar(address string) Calendar {
	return &Google{Access: accessTo(&g.Tokens, address), Base: address, Calendar: "primary", Host: testHost}
}

func (g *fakeGoogle) Handler() http.Handler { return g }

func (*fakeGoogle) Places() bool { return true }

func (*fakeGoogle) Rule() string { return "RRULE:FREQ=WEEKLY;BYDAY=TU;UNTIL=20260630T070000Z" }

func (g *fakeGoogle) Rename(_ *testing.T, meeting, title string) {
	g.Set(googleID(meeting), "summary", title)
}

func (g *fakeGoogle) Remove(_ *testing.T, meeting string) { g.Google.Remove(googleID(meeting)) }

func (g *fakeGoogle) PutForeign(_ *testing.T, meeting string) { g.Google.PutForeign(googleID(meeting)) }

// Fields that the person added to our event stay.
func TestGoogleKeepsWhatPeopleAdd(t *testing.T) {
	t.Parallel()
	g := newFakeGoogle(t)
	w := newWorld(t, g)
	w.write(t, weekly(t))
	reminders := map[string]any{"useDefault": false}
	g.Set(googleID(testMeeting), "reminders", reminders)
	g.Set(googleID(testMeeting), "colorId", "7")
	w.write(t, moved(t))
	for field, want := range map[string]any{"colorId": "7", "reminders": reminders} {
		if got := g.Field(googleID(testMeeting), field); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s is %v, want %v", field, got, want)
		}
	}
	w.holds(t, moved(t), "")
}

// The reason of a 403 from Google tells a limit from an ended consent.
func TestGoogleReasons(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]string{
		"rateLimitExceeded": "busy", "userRateLimitExceeded": "busy", "quotaExceeded": "busy",
		"insufficientPermissions": "revoked", "forbidden": "revoked", "calendarUsageLimitsExceeded": "answer",
	} {
		w := newWorld(t, newFakeGoogle(t))
		w.intercept(func(rw http.ResponseWriter, _ *http.Request, _ http.Handler) bool {
			calendartest.GoogleRefusal(rw, http.StatusForbidden, reason)
			return true
		})
		_, err := w.calendar.Write(t.Context(), weekly(t))
		if got := kindOf(err); got != want {
			t.Errorf("%s: %v is %s, want %s", reason, err, got, want)
		}
	}
}

func TestGoogleID(t *testing.T) {
	t.Parallel()
	if got := googleID("00000000-0000-0000-0000-000000000000"); got != strings.Repeat("0", 26) {
		t.Errorf("the id is %q", got)
	}
	if got := googleID("ffffffff-ffff-ffff-ffff-ffffffffffff"); got != strings.Repeat("v", 25)+"s" {
		t.Errorf("the id is %q", got)
	}
}
