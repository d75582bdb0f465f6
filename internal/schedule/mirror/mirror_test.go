package mirror_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/schedule/caldavtest"
	"github.com/conclave-rooms/conclave/internal/schedule/mirror"
)

// A meeting is written to the calendar of the person whose key scheduled it,
// changed there, and removed there.
func TestAMeetingIsInTheCalendar(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *testService) {
		to := caldavtest.Start(t)
		d.connect(to)
		m := d.plan("Review", "")
		has(t, to, nil) // the request did not wait for the calendar
		d.Settle()
		has(t, to, map[string]string{m.ID: "Review"})
		if at := caldavtest.Line(to.Event(t, m.ID), "DTSTART"); at != "20261123T100000Z" {
			t.Errorf("the entry starts at %s", at)
		}
		d.change(m, `{"title": "Weekly review", "recurrence": "weekly", "timezone": "Europe/Berlin"}`)
		d.Settle()
		has(t, to, map[string]string{m.ID: "Weekly review"})
		event := to.Event(t, m.ID)
		if rule, at := caldavtest.Line(event, "RRULE"), caldavtest.Line(event, "DTSTART"); rule != "FREQ=WEEKLY;BYDAY=MO" || at != "20261123T110000" {
			t.Errorf("its rule is %q, from %s", rule, at)
		}
		d.cancel(m)
		d.Settle()
		has(t, to, nil)
		if c := d.only(); c.Pending != 0 || c.Failed != 0 || c.Status != mirror.Connected {
			t.Errorf("the connection is %+v", c)
		}
		if n := d.Count("calendar_mirror"); n != 0 {
			t.Errorf("%d rows are left of a meeting that is gone", n)
		}
	})
}

// The entry contains the link to join, until the room is deleted.
func TestAnEntryHasTheLinkToJoinUntilItsRoomIsDeleted(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *testService) {
		to := caldavtest.Start(t)
		d.connect(to)
		room := d.ask(http.MethodPost, "/rooms", `{"name": "Weekly"}`) // d.ask reads the room's id into the meeting's field
		m := d.plan("Review", `, "room_id": "`+room.ID+`"`)
		d.Settle()
		if url := caldavtest.Line(to.Event(t, m.ID), "URL"); m.JoinURL == nil || url != *m.JoinURL {
			t.Errorf("the link is %q, want %v", url, m.JoinURL)
		}
		d.ask(http.MethodDelete, "/rooms/"+room.ID, "")
		d.Settle()
		has(t, to, map[string]string{m.ID: "Review"})
		if url := caldavtest.Line(to.Event(t, m.ID), "URL"); url != "" {
			t.Errorf("the link is still %q", url)
		}
	})
}

// Changes that come faster than the calendar is written need only one write.
func TestThreeChangesCostOneWrite(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *testService) {
		to := caldavtest.Start(t)
		d.connect(to)
		m := d.plan("One", "")
		for _, title := range []string{"Two", "Three", "Four"} {
			d.change(m, `{"title": "`+title+`"}`)
		}
		to.Asked()
		d.Settle()
		has(t, to, map[string]string{m.ID: "Four"})
		if n := caldavtest.Writes(to.Asked()); n != 1 {
			t.Errorf("the meeting was written %d times", n)
		}
	})
}

// A calendar that is connected later gets the upcoming meetings: those that are under
// way or later, and series that have not ended.
func TestACalendarThatIsConnectedLater(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *testService) {
		over := d.plan("Over", "")
		going := d.plan("Going on", `, "recurrence": "weekly"`)
		ended := d.plan("Ended", `, "recurrence": "daily", "recurrence_until": "2026-11-24T10:00:00Z"`)
		gone := d.plan("Cancelled", `, "recurrence": "daily"`)
		d.cancel(gone)
		d.Advance(5 * 24 * time.Hour) // Wednesday
		later := d.ask(http.MethodPost, "/meetings", `{"title": "Later", "starts_at": "2026-12-01T10:00:00Z", "ends_at": "2026-12-01T11:00:00Z"}`)
		under := d.ask(http.MethodPost, "/meetings", `{"title": "Under way", "starts_at": "2026-11-25T09:30:00Z", "ends_at": "2026-11-25T10:00:00.001Z"}`)
		d.ask(http.MethodPost, "/meetings", `{"title": "Just over", "starts_at": "2026-11-25T09:30:00Z", "ends_at": "2026-11-25T10:00:00Z"}`)
		to := caldavtest.Start(t)
		d.connect(to)
		has(t, to, map[string]string{later.ID: "Later", going.ID: "Going on", under.ID: "Under way"})
		// A past meeting that was left out is added by a change only if it becomes
		// upcoming.
		d.change(over, `{"title": "Still over"}`)
		d.change(ended, `{"recurrence_until": null}`)
		d.Settle()
		has(t, to, map[string]string{later.ID: "Later", going.ID: "Going on", under.ID: "Under way", ended.ID: "Ended"})
	})
}

// Disconnecting removes upcoming meetings and leaves past ones.
func TestDisconnectingRemovesUpcomingMeetings(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *testService) {
		to := caldavtest.Start(t)
		c := d.connect(to)
		over := d.plan("Over", "")
		going := d.plan("Going on", `, "recurrence": "weekly"`)
		later := d.ask(http.MethodPost, "/meetings", `{"title": "Later", "starts_at": "2026-12-01T10:00:00Z", "ends_at": "2026-12-01T11:00:00Z"}`)
		d.Settle()
		has(t, to, map[string]string{over.ID: "Over", going.ID: "Going on", later.ID: "Later"})
		d.Advance(5 * 24 * time.Hour)
		if _, err := d.Calendars.Disconnect(t.Context(), d.account, c.ID); err != nil {
			t.Fatal(err)
		}
		if list := d.connections(); len(list) != 0 {
			t.Errorf("the connection is still listed: %+v", list)
		}
		d.plan("Too late", "")
		d.Settle()
		has(t, to, map[string]string{over.ID: "Over", going.ID: "Going on"})
		if rule := caldavtest.Line(to.Event(t, going.ID), "RRULE"); rule != "FREQ=WEEKLY;BYDAY=MO;UNTIL=20261125T100000Z" {
			t.Errorf("the series goes on: %s", rule)
		}
		d.Advance(time.Minute) // the next check finds that nothing is left
		if n := d.Count("calendar_connection") + d.Count("calendar_mirror") + d.Count("job"); n != 0 {
			t.Errorf("%d rows are left", n)
		}
	})
}

// A person who leaves the workspace keeps past meetings in their calendar and gets no
// new ones. When they come back, upcoming meetings are written again.
func TestAFormerMemberKeepsPastMeetingsAndGetsNoNewOnes(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *testService) {
		if _, err := d.Identity.AddMember(t.Context(), d.workspace, "eve@acme.example", "owner"); err != nil {
			t.Fatal(err)
		}
		to := caldavtest.Start(t)
		d.connect(to)
		m := d.plan("Review", "")
		d.Settle()
		if err := d.Identity.RemoveMember(t.Context(), d.workspace, owner); err != nil {
			t.Fatal(err)
		}
		d.Settle()
		has(t, to, nil)
		if c := d.only(); c.Status != mirror.Connected {
			t.Errorf("the connection is %+v", c)
		}
		if _, err := d.Identity.AddMember(t.Context(), d.workspace, owner, "owner"); err != nil {
			t.Fatal(err)
		}
		d.Settle()
		has(t, to, map[string]string{m.ID: "Review"})
	})
}

// An event that is not ours stays unchanged, even where our entry would be.
func TestAnEventOfSomebodyElseStaysUnchanged(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *testService) {
		to := caldavtest.Start(t)
		d.connect(to)
		m := d.plan("Review", "")
		to.Do(t, http.MethodPut, m.ID+".ics", "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Ada//EN\r\nBEGIN:VEVENT\r\nUID:1@example.net\r\n"+
			"DTSTAMP:20260301T000000Z\r\nDTSTART:20260301T100000Z\r\nDTEND:20260301T110000Z\r\nSUMMARY:Dentist\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n")
		d.Settle()
		has(t, to, map[string]string{m.ID: "Dentist"})
		if c := d.only(); c.Failed != 1 || c.Pending != 0 {
			t.Errorf("the connection is %+v", c)
		}
		d.cancel(m)
		d.Settle()
		has(t, to, map[string]string{m.ID: "Dentist"})
	})
}
