package calendar

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/outbound"
	"github.com/conclave-rooms/conclave/internal/schedule/calendar/calendartest"
)

// The meeting of these tests, and the host of the service that writes it.
const (
	testMeeting = "0193a1f0-5c3e-7bb4-8a50-3f1d2c4b5a69"
	testHost    = "meet.example.com"
)

// testNow is the time for the calendars of these tests.
func testNow() time.Time { return time.Date(2026, time.March, 2, 8, 0, 0, 0, time.UTC) }

// in returns a local time of a zone.
func in(t *testing.T, zone, local string) time.Time {
	t.Helper()
	location, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	at, err := time.ParseInLocation("2006-01-02 15:04", local, location)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// weekly is a series in Berlin.
func weekly(t *testing.T) Entry {
	t.Helper()
	until := in(t, "Europe/Berlin", "2026-06-30 09:00")
	return Entry{
		Meeting: testMeeting, Title: "Weekly review", Description: "Numbers; then, plans.\nBring coffee.",
		Starts: in(t, "Europe/Berlin", "2026-03-24 09:00"), Ends: in(t, "Europe/Berlin", "2026-03-24 10:30"), Zone: "Europe/Berlin",
		Recurrence: Weekly, Until: &until, JoinURL: "https://meet.example.com/abc-defg-hjk",
		Created: testNow(), Updated: testNow(),
	}
}

// seen is an event as the calendar holds it, read without our client.
type seen = calendartest.Event

// provider is a kind of calendar server under test. All methods except Calendar act
// on the server without using our client.
type provider interface {
	Calendar(address string) Calendar
	Handler() http.Handler
	Events(t testing.TB) []seen
	// Rename changes the title of our event, as the person does.
	Rename(t *testing.T, meeting, title string)
	// Remove deletes our event, as the person does.
	Remove(t *testing.T, meeting string)
	// PutForeign puts an event of the person where a meeting's should be.
	PutForeign(t *testing.T, meeting string)
	// Places reports whether the place of an event follows from the meeting's id.
	Places() bool
	// Rule is how the provider writes the rule of weekly.
	Rule() string
}

// world is a calendar server behind a proxy, where tests can interfere.
type world struct {
	provider

	calendar Calendar

	mu     sync.Mutex
	before func(w http.ResponseWriter, r *http.Request, forward http.Handler) bool
}

// intercept calls do with every request from now on. do returns true if it has
// answered the request.
func (w *world) intercept(do func(w http.ResponseWriter, r *http.Request, forward http.Handler) bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.before = do
}

func (w *world) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	before := w.before
	w.mu.Unlock()
	if before == nil || !before(rw, r, w.Handler()) {
		w.Handler().ServeHTTP(rw, r)
	}
}

func newWorld(t *testing.T, p provider) *world {
	t.Helper()
	w := &world{provider: p}
	web := httptest.NewServer(w)
	t.Cleanup(web.Close)
	w.calendar = p.Calendar(web.URL)
	return w
}

func testOutbound() *outbound.Client {
	return outbound.New(outbound.Config{AllowPrivate: true, Timeout: time.Minute})
}

// Every kind of calendar behaves the same in these stories.
func TestCalendars(t *testing.T) {
	t.Parallel()
	server := startRadicale(t)
	for name, start := range map[string]func(t *testing.T, name string) provider{
		"CalDAV":    func(t *testing.T, name string) provider { t.Helper(); return server.with(t, name) },
		"Google":    func(t *testing.T, _ string) provider { t.Helper(); return newFakeGoogle(t) },
		"Microsoft": func(t *testing.T, _ string) provider { t.Helper(); return newFakeMicrosoft(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for story, tell := range stories() {
				t.Run(story, func(t *testing.T) {
					t.Parallel()
					tell(t, newWorld(t, start(t, fmt.Sprintf("%x", story))))
				})
			}
		})
	}
}

func stories() map[string]func(*testing.T, *world) {
	return map[string]func(*testing.T, *world){
		"an entry is written":                             storyWritten,
		"writing it again makes no second one":            storyAgain,
		"a change replaces every field":                   storyChange,
		"what the person changed is replaced":             storyRenamed,
		"what the person deleted comes back":              storyRemoved,
		"an event without the mark is left alone":         storyForeign,
		"the person's event appears in between":           storyForeignBetween,
		"a meeting is deleted, and deleted again":         storyDeleted,
		"a deleted meeting can be written again":          storyRevived,
		"a change in between is read again":               storyRace,
		"a deletion meets a change in between":            storyDeleteRace,
		"an event that keeps changing is an error":        storyRestless,
		"two nodes write the same new entry":              storyTwice,
		"the answer is lost after the event was written":  storyLost,
		"the access was taken back":                       storyRevoked,
		"the provider is busy":                            storyBusy,
		"the provider is in trouble":                      storyTrouble,
		"a calendar is checked":                           storyChecked,
		"an entry that makes no sense is not sent at all": storyNonsense,
	}
}

// write writes an entry and expects success.
func (w *world) write(t *testing.T, e Entry) Ref {
	t.Helper()
	ref, err := w.calendar.Write(t.Context(), e)
	if err != nil {
		t.Fatalf("write: %v", err)
	}
	return ref
}

// holds checks that the calendar has exactly one event, the entry's.
func (w *world) holds(t *testing.T, e Entry, rule string) {
	t.Helper()
	want := seen{
		Title: e.Title, Text: e.Description + "\n\nJoin: " + e.JoinURL, Place: e.JoinURL, Starts: e.Starts, Ends: e.Ends, Rule: rule, Ours: true,
	}
	if events := w.Events(t); len(events) != 1 || events[0].String() != want.String() {
		t.Errorf("the calendar holds\n%v\nwant\n%v", events, want)
	}
}

func storyWritten(t *testing.T, w *world) {
	ref := w.write(t, weekly(t))
	if ref.ID == "" || ref.Version == "" {
		t.Errorf("the entry was written to %+v", ref)
	}
	w.holds(t, weekly(t), w.Rule())
}

func storyAgain(t *testing.T, w *world) {
	for range 3 {
		w.write(t, weekly(t))
	}
	w.holds(t, weekly(t), w.Rule())
}

// moved is the series after it became one meeting in another zone.
func moved(t *testing.T) Entry {
	t.Helper()
	e := weekly(t)
	e.Title, e.Description, e.JoinURL = "Yearly review", "Plans.", "https://meet.example.com/xyz-defg-hjk"
	e.Starts, e.Ends, e.Zone = in(t, "America/New_York", "2026-03-25 16:00"), in(t, "America/New_York", "2026-03-25 17:00"), "America/New_York"
	e.Recurrence, e.Until, e.Sequence, e.Updated = None, nil, 1, testNow().Add(time.Hour)
	return e
}

func storyChange(t *testing.T, w *world) {
	w.write(t, weekly(t))
	w.write(t, moved(t))
	w.holds(t, moved(t), "")
	back := weekly(t)
	back.Sequence = 2
	w.write(t, back)
	w.holds(t, back, w.Rule())
}

func storyRenamed(t *testing.T, w *world) {
	w.write(t, weekly(t))
	w.Rename(t, testMeeting, "My own title")
	if events := w.Events(t); len(events) != 1 || events[0].Title != "My own title" {
		t.Fatalf("the person's title is not there: %v", events)
	}
	w.write(t, weekly(t))
	w.holds(t, weekly(t), w.Rule())
}

func storyRemoved(t *testing.T, w *world) {
	w.write(t, weekly(t))
	w.Remove(t, testMeeting)
	if events := w.Events(t); len(events) != 0 {
		t.Fatalf("the entry is still there: %v", events)
	}
	changed := weekly(t)
	changed.Sequence = 1
	w.write(t, changed)
	w.holds(t, changed, w.Rule())
}

func storyForeign(t *testing.T, w *world) {
	w.PutForeign(t, testMeeting)
	before := w.Events(t)
	_, err := w.calendar.Write(t.Context(), weekly(t))
	if errors.Is(err, ErrForeign) != w.Places() || err == nil == w.Places() {
		t.Errorf("written: %v", err)
	}
	err = w.calendar.Delete(t.Context(), testMeeting)
	if errors.Is(err, ErrForeign) != w.Places() || err == nil == w.Places() {
		t.Errorf("deleted: %v", err)
	}
	if after := w.Events(t); len(after) != 1 || after[0] != before[0] {
		t.Errorf("the event of the person is now %v, and was %v", after, before)
	}
}

func storyDeleted(t *testing.T, w *world) {
	w.write(t, weekly(t))
	for range 2 {
		if err := w.calendar.Delete(t.Context(), testMeeting); err != nil {
			t.Errorf("delete: %v", err)
		}
		if events := w.Events(t); len(events) != 0 {
			t.Errorf("the calendar holds %v", events)
		}
	}
}

func storyRevived(t *testing.T, w *world) {
	w.write(t, weekly(t))
	if err := w.calendar.Delete(t.Context(), testMeeting); err != nil {
		t.Fatal(err)
	}
	w.write(t, weekly(t))
	w.holds(t, weekly(t), w.Rule())
}

func storyNonsense(t *testing.T, w *world) {
	w.intercept(func(http.ResponseWriter, *http.Request, http.Handler) bool {
		t.Error("a request was made")
		return false
	})
	e := weekly(t)
	e.Zone = "Mars/Olympus"
	if _, err := w.calendar.Write(t.Context(), e); err == nil {
		t.Error("an unknown zone was written")
	}
}
