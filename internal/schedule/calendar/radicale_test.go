package calendar

import (
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/schedule/caldavtest"
)

// radicale is the CalDAV server Radicale with one calendar of the user ada.
type radicale struct {
	address string
	data    string // the folder of ada's calendars
	name    string // of the calendar
	t       *testing.T
}

const testPassword = caldavtest.Password

// startRadicale starts the server, without calendars.
func startRadicale(t *testing.T) *radicale {
	t.Helper()
	address, data := caldavtest.Run(t)
	return &radicale{address: address, data: data}
}

// with creates a calendar on the server.
func (r *radicale) with(t *testing.T, name string) *radicale {
	t.Helper()
	c := *r
	c.name, c.t = name, t
	c.do(t, "MKCALENDAR", c.path(""), `<C:mkcalendar xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><D:set><D:prop><D:displayname>`+name+`</D:displayname>`+
		`<C:supported-calendar-component-set><C:comp name="VEVENT"/></C:supported-calendar-component-set></D:prop></D:set></C:mkcalendar>`)
	return &c
}

// path returns the path of a meeting's event, or of the calendar.
func (r *radicale) path(meeting string) string {
	if meeting == "" {
		return "/ada/" + r.name + "/"
	}
	return "/ada/" + r.name + "/" + meeting + ".ics"
}

func (r *radicale) do(t *testing.T, method, path, body string) {
	t.Helper()
	req, err := http.NewRequest(method, r.address+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.SetBasicAuth("ada", testPassword)
	if method == http.MethodPut {
		req.Header.Set("Content-Type", "text/calendar; charset=utf-8")
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode >= 300 {
		text, _ := io.ReadAll(res.Body)
		t.Fatalf("%s %s: %d %s", method, path, res.StatusCode, text)
	}
}

func (r *radicale) client(address string) *CalDAV {
	return &CalDAV{Outbound: testOutbound(), Now: testNow, User: "ada", Password: testPassword, Server: address, Collection: address + r.path(""), Host: testHost}
}

func (r *radicale) Calendar(address string) Calendar { return r.client(address) }

// Handler returns the server. It checks that every write has a condition.
func (r *radicale) Handler() http.Handler {
	to, _ := url.Parse(r.address)
	proxy := httputil.NewSingleHostReverseProxy(to)
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if changes(req) && req.Header.Get("If-Match") == "" && req.Header.Get("If-None-Match") != "*" {
			r.t.Errorf("%s without a condition", req.Method)
		}
		proxy.ServeHTTP(w, req)
	})
}

func (*radicale) Places() bool { return true }

func (*radicale) Rule() string { return "FREQ=WEEKLY;BYDAY=TU;UNTIL=20260630T070000Z" }

// Events reads the files of the calendar.
func (r *radicale) Events(t testing.TB) []seen {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(r.data, r.name, "*.ics"))
	if err != nil {
		t.Fatal(err)
	}
	var events []seen
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, readEvent(t, string(raw)))
	}
	return events
}

// readEvent reads the event of an iCalendar object.
func readEvent(t testing.TB, object string) seen {
	t.Helper()
	_, text, _ := strings.Cut(strings.ReplaceAll(object, "\r\n", "\n"), "BEGIN:VEVENT\n")
	text, _, _ = strings.Cut(text, "\nEND:VEVENT\n")
	plain := strings.NewReplacer(`\n`, "\n", `\,`, ",", `\;`, ";", `\\`, `\`)
	var s seen
	for _, line := range strings.Split(strings.ReplaceAll(text, "\n ", ""), "\n") {
		name, value, _ := strings.Cut(line, ":")
		name, params, _ := strings.Cut(name, ";")
		switch name {
		case "SUMMARY":
			s.Title = plain.Replace(value)
		case "DESCRIPTION":
			s.Text = plain.Replace(value)
		case "LOCATION":
			s.Place = plain.Replace(value)
		case "RRULE":
			s.Rule = value
		case "DTSTART":
			s.Starts = readTime(t, params, value)
		case "DTEND":
			s.Ends = readTime(t, params, value)
		case "X-CONCLAVE-MEETING":
			s.Ours = true
		}
	}
	return s
}

func readTime(t testing.TB, params, value string) time.Time {
	t.Helper()
	zone, err := time.LoadLocation(strings.TrimPrefix(params, "TZID="))
	if err != nil {
		t.Fatal(err)
	}
	at, err := time.ParseInLocation("20060102T150405", strings.TrimSuffix(value, "Z"), zone)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func (r *radicale) file(meeting string) string { return filepath.Join(r.data, r.name, meeting+".ics") }

func (r *radicale) Rename(t *testing.T, meeting, title string) {
	t.Helper()
	raw, err := os.ReadFile(r.file(meeting))
	if err != nil {
		t.Fatal(err)
	}
	var changed []string
	for _, line := range strings.Split(strings.ReplaceAll(string(raw), "\r\n", "\n"), "\n") {
		if strings.HasPrefix(line, "SUMMARY:") {
			line = "SUMMARY:" + title
		}
		changed = append(changed, line)
	}
	r.do(t, http.MethodPut, r.path(meeting), strings.Join(changed, "\r\n"))
}

func (r *radicale) Remove(t *testing.T, meeting string) {
	t.Helper()
	r.do(t, http.MethodDelete, r.path(meeting), "")
}

func (r *radicale) PutForeign(t *testing.T, meeting string) {
	t.Helper()
	r.do(t, http.MethodPut, r.path(meeting), "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Ada//EN\r\nBEGIN:VEVENT\r\nUID:"+meeting+
		"@example.net\r\nDTSTAMP:20260301T000000Z\r\nDTSTART:20260301T100000Z\r\nDTEND:20260301T110000Z\r\nSUMMARY:Dentist\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n")
}
