package main_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/schedule/caldavtest"
	"github.com/conclave-rooms/conclave/internal/schedule/mirror"
)

// connectCalendar connects a calendar to the owner's account from the command
// line.
func connectCalendar(t *testing.T, where db.Config, email string, to *caldavtest.Server) mirror.ConnectionObject {
	t.Helper()
	file := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(file, []byte(caldavtest.Password+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var made mirror.ConnectionObject
	administrate(t, where, &made, "calendars", "connect", "--account", email, "--caldav-url", to.URL, "--username", caldavtest.User,
		"--password-file", file, "--calendars-allow-private")
	return made
}

// ownerOf is the address of a workspace's first member.
func ownerOf(t *testing.T, where db.Config, workspace string) string {
	t.Helper()
	var members struct {
		Data []struct {
			Email string `json:"email"`
		} `json:"data"`
	}
	r := command(t, append([]string{"members", "list", "--workspace", workspace, "--json"}, at(where)...)...)
	if err := json.Unmarshal([]byte(r.stdout), &members); err != nil || len(members.Data) == 0 {
		t.Fatalf("members: %s %s %v", r.stdout, r.stderr, err)
	}
	return members.Data[0].Email
}

// A calendar is connected, listed and disconnected from the command line. The
// password comes from a file and is never printed.
func TestCalendarsFromTheCommandLine(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		workspace, _ := newKey(t, where)
		email := ownerOf(t, where, workspace)
		to := caldavtest.Start(t)
		made := connectCalendar(t, where, email, to)
		if made.Name != "Work" || made.Status != mirror.Connected {
			t.Errorf("made was %+v", made)
		}
		r := command(t, append([]string{"calendars", "list", "--account", email}, at(where)...)...)
		if r.status != 0 || !strings.Contains(r.stdout, made.ID) || !strings.Contains(r.stdout, "CalDAV") {
			t.Errorf("the list is %s %s", r.stdout, r.stderr)
		}
		var gone mirror.ConnectionObject
		administrate(t, where, &gone, "calendars", "disconnect", "--account", email, made.ID)
		var list api.List[mirror.ConnectionObject]
		administrate(t, where, &list, "calendars", "list", "--account", email)
		if len(list.Data) != 0 {
			t.Errorf("disconnected, the list is %+v", list)
		}
		r = command(t, append([]string{"calendars", "connect", "--account", email, "--provider", "google", "--public-url", "https://meet.example.com"}, at(where)...)...)
		if r.status != 0 || !strings.Contains(r.stdout, "https://meet.example.com/account") {
			t.Errorf("for Google it says %s %s", r.stdout, r.stderr)
		}
		r = command(t, append([]string{"calendars", "connect", "--account", email, "--caldav-url", "http://127.0.0.1:1", "--username", "ada", "--password-file", "/dev/null"}, at(where)...)...)
		if r.status != 1 || !strings.Contains(r.stderr, "password") {
			t.Errorf("without a password: %d %s", r.status, r.stderr)
		}
	})
}

// The service is killed at random moments while meetings are scheduled, changed
// and cancelled. Afterwards the calendar has each meeting once, up to date, and
// no cancelled ones.
func TestCalendarsSurviveCrashes(t *testing.T) {
	t.Parallel()
	kills := killsWanted(t, 3)
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		workspace, key := newKey(t, where)
		to := caldavtest.Start(t)
		connectCalendar(t, where, ownerOf(t, where, workspace), to)
		for range kills {
			p := start(t, "serve", where, "--calendars-allow-private")
			crashWhileScheduling(t, p, key)
		}
		p := start(t, "serve", where, "--calendars-allow-private")
		want := map[string]string{}
		for _, m := range allMeetings(t, p, key) {
			want[m.ID] = m.Title
		}
		deadline := time.Now().Add(patience)
		for {
			wrong := differences(to.Events(t), want)
			if len(wrong) == 0 {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("there are %d meetings, and the calendar differs in %v", len(want), wrong)
			}
			time.Sleep(50 * time.Millisecond) // only the server's files show it, so this polls
		}
		t.Logf("%d kills, %d meetings", kills, len(want))
		p.stop()
	})
}

// crashWhileScheduling schedules meetings, changes most and cancels some, and
// kills the service meanwhile.
func crashWhileScheduling(t *testing.T, p *process, key string) {
	t.Helper()
	for i := range 6 + rand.N(10) {
		status, body := p.call(http.MethodPost, "/api/v1/meetings", key, fmt.Sprintf(
			`{"title": "Meeting %d", "starts_at": "2099-11-23T10:00:00Z", "ends_at": "2099-11-23T11:00:00Z"}`, i))
		var m api.Meeting
		if err := json.Unmarshal(body, &m); err != nil || status != http.StatusCreated {
			t.Fatalf("schedule: %d %s", status, body)
		}
		switch i % 3 {
		case 0:
			p.call(http.MethodPatch, "/api/v1/meetings/"+m.ID, key, `{"title": "Changed"}`)
			p.call(http.MethodPatch, "/api/v1/meetings/"+m.ID, key, fmt.Sprintf(`{"title": "Changed again %d"}`, i))
		case 1:
			p.call(http.MethodDelete, "/api/v1/meetings/"+m.ID, key, "")
		}
	}
	time.Sleep(rand.N(60 * time.Millisecond)) // the moment of the crash is what this test varies
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	p.wait()
}

func allMeetings(t *testing.T, p *process, key string) (all []api.Meeting) {
	t.Helper()
	for after := ""; ; {
		var page api.List[api.Meeting]
		status, body := p.call(http.MethodGet, "/api/v1/meetings?limit=100&from=2099-11-01T00:00:00Z&to=2099-12-01T00:00:00Z"+after, key, "")
		if err := json.Unmarshal(body, &page); err != nil || status != http.StatusOK {
			t.Fatalf("list: %d %s", status, body)
		}
		all = append(all, page.Data...)
		if page.HasMore == nil || !*page.HasMore {
			return all
		}
		after = "&starting_after=" + page.Data[len(page.Data)-1].ID
	}
}

// differences names entries that a calendar lacks, has too many of, or has with
// other content.
func differences(got, want map[string]string) (wrong []string) {
	for id, title := range want {
		if is := caldavtest.Line(got[id], "SUMMARY"); is != title {
			wrong = append(wrong, fmt.Sprintf("%s: %q instead of %q", id, is, title))
		}
	}
	for id := range got {
		if _, there := want[id]; !there {
			wrong = append(wrong, id+": cancelled and still there")
		}
	}
	return wrong
}

// The prompt for the password is only for people at a terminal.
func TestThePromptForThePassword(t *testing.T) {
	t.Parallel()
	where := dbtest.Config(t, db.SQLite)
	workspace, _ := newKey(t, where)
	// The command reads from /dev/null, which is a device like a terminal.
	r := command(t, append([]string{
		"calendars", "connect", "--account", ownerOf(t, where, workspace), "--caldav-url", "http://127.0.0.1:1", "--username", "ada",
	}, at(where)...)...)
	if r.status != 1 || !strings.HasPrefix(r.stderr, "conclave: the password is empty") {
		t.Errorf("status %d, %q", r.status, r.stderr)
	}
}
