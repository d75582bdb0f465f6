package mirror_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/outbound"
	"github.com/conclave-rooms/conclave/internal/schedule/caldavtest"
	"github.com/conclave-rooms/conclave/internal/schedule/mirror"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

const owner = "ada@acme.example"

// patient lets requests to calendars take as long as they need: some of them wait here
// for several others.
var patient = outbound.Config{Timeout: time.Hour}

// testService is a service with one workspace whose owner's key schedules meetings.
type testService struct {
	*servertest.Service

	t         testing.TB
	key       string
	workspace string
	account   string
	cookie    string // of the owner's session; empty until it is needed
}

// each runs a test on a service with each database.
func each(t *testing.T, test func(t *testing.T, d *testService)) {
	t.Helper()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) { test(t, newTestService(t, where)) })
}

func newTestService(t testing.TB, where db.Config) *testService {
	t.Helper()
	d := &testService{Service: servertest.Start(t, where, servertest.Options{AllowPrivate: true, Outbound: patient}), t: t}
	d.workspace = d.Workspace("acme", owner)
	d.key = d.Key(d.workspace, api.Scopes()...)
	account, err := d.Identity.AccountByEmail(t.Context(), owner)
	if err != nil {
		t.Fatal(err)
	}
	d.account = account.ID
	d.Calendars.ConnectWithin = patient.Timeout
	// A refusal does not say why a server's answer was not understood, but the log does.
	d.Calendars.Logger = slog.New(slog.NewTextHandler(t.Output(), nil))
	return d
}

// connect connects a calendar of the owner.
func (d *testService) connect(to *caldavtest.Server) mirror.ConnectionObject {
	d.t.Helper()
	c, err := d.Calendars.ConnectCalDAV(d.t.Context(), d.account, mirror.CalDAVRequest{URL: to.URL, User: caldavtest.User, Password: caldavtest.Password})
	if err != nil {
		d.t.Fatal(err)
	}
	d.Settle()
	return c
}

// connections lists the owner's connections.
func (d *testService) connections() []mirror.ConnectionObject {
	d.t.Helper()
	list, err := d.Calendars.List(d.t.Context(), d.account)
	if err != nil {
		d.t.Fatal(err)
	}
	return list
}

// only returns the owner's only connection.
func (d *testService) only() mirror.ConnectionObject {
	d.t.Helper()
	list := d.connections()
	if len(list) != 1 {
		d.t.Fatalf("the connections are %+v", list)
	}
	return list[0]
}

// ask sends a request to the API and expects success.
func (d *testService) ask(method, path, body string) (m api.Meeting) {
	d.t.Helper()
	a := d.Send(servertest.Request{Method: method, Path: "/api/v1" + path, Bearer: d.key, Body: body})
	if a.Status/100 != 2 {
		d.t.Fatalf("%s %s: %d %s", method, path, a.Status, a.Body)
	}
	if err := json.Unmarshal(a.Body, &m); err != nil {
		d.t.Fatal(err)
	}
	return m
}

// plan schedules a meeting for the next Monday at ten.
func (d *testService) plan(title, more string) api.Meeting {
	d.t.Helper()
	return d.ask(http.MethodPost, "/meetings", fmt.Sprintf(`{"title": %q, "starts_at": "2026-11-23T10:00:00Z", "ends_at": "2026-11-23T11:00:00Z"%s}`, title, more))
}

func (d *testService) change(m api.Meeting, body string) {
	d.t.Helper()
	d.ask(http.MethodPatch, "/meetings/"+m.ID, body)
}

func (d *testService) cancel(m api.Meeting) {
	d.t.Helper()
	d.ask(http.MethodDelete, "/meetings/"+m.ID, "")
}

// has checks the titles of a calendar's events, by meeting.
func has(t *testing.T, to *caldavtest.Server, want map[string]string) {
	t.Helper()
	got := to.Events(t)
	for id, title := range want {
		if is := caldavtest.Line(got[id], "SUMMARY"); is != title {
			t.Errorf("the meeting %s is called %q in the calendar, want %q", id, is, title)
		}
	}
	if len(got) != len(want) {
		t.Errorf("the calendar has %d events, want %d", len(got), len(want))
	}
}
