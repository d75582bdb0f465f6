package calendar

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/outbound"
)

// Find lists the calendars that accept events, whether it starts at the address of
// the server, of the person's page, or of a calendar.
func TestFindOnARealServer(t *testing.T) {
	t.Parallel()
	server := startRadicale(t)
	server.with(t, "Private")
	server.with(t, "Work")
	server.do(t, "MKCALENDAR", "/ada/Tasks/", `<C:mkcalendar xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><D:set><D:prop>`+
		`<D:displayname>Tasks</D:displayname><C:supported-calendar-component-set><C:comp name="VTODO"/></C:supported-calendar-component-set></D:prop></D:set></C:mkcalendar>`)
	for path, want := range map[string][]string{
		"": {"Private", "Work"}, "/": {"Private", "Work"}, "/ada/": {"Private", "Work"}, "/ada/Work/": {"Work"}, "/nobody/": nil,
	} {
		c := server.client(server.address)
		c.Server = server.address + path
		list, err := c.Find(t.Context())
		var names []string
		for _, found := range list {
			names = append(names, found.Name)
			if found.Address != server.address+"/ada/"+found.Name+"/" || !found.Writable {
				t.Errorf("from %q it finds %+v", path, found)
			}
		}
		slices.Sort(names)
		if !slices.Equal(names, want) || (err == nil) != (want != nil) {
			t.Errorf("from %q it finds %q, %v; want %q", path, names, err, want)
		}
	}
	c := server.client(server.address)
	list, err := c.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	chosen, err := Choose(list, "Work")
	if err != nil || chosen.Name != "Work" {
		t.Fatalf("chosen is %+v, %v", chosen, err)
	}
	c.Collection = chosen.Address
	if err := c.Check(t.Context()); err != nil {
		t.Errorf("check: %v", err)
	}
	c.Password = "wrong"
	if _, err := c.Find(t.Context()); !errors.Is(err, ErrRevoked) {
		t.Errorf("with a wrong password: %v", err)
	}
}

func TestChoose(t *testing.T) {
	t.Parallel()
	list := []Collection{{"https://a.example/1/", "Holidays", false}, {"https://a.example/2/", "Home", true}, {"https://a.example/3/", "Work", true}}
	for name, want := range map[string]string{"": "Home", "Work": "Work", "https://a.example/3/": "Work", "Holidays": "", "Other": ""} {
		chosen, err := Choose(list, name)
		if chosen.Name != want || errors.Is(err, ErrNoCalendar) != (want == "") {
			t.Errorf("for %q, Choose returns %q, %v; want %q", name, chosen.Name, err, want)
		}
	}
}

// place answers PROPFIND with the properties of one place.
func place(w http.ResponseWriter, href, props string) {
	w.WriteHeader(http.StatusMultiStatus)
	_, _ = fmt.Fprintf(w, `<?xml version="1.0"?><d:multistatus xmlns:d="DAV:" xmlns:cal="urn:ietf:params:xml:ns:caldav"><d:response><d:href>%s</d:href>`+
		`<d:propstat><d:prop>%s</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat>`+
		`<d:propstat><d:prop><cal:calendar-home-set/></d:prop><d:status>HTTP/1.1 404 Not Found</d:status></d:propstat></d:response></d:multistatus>`, href, props)
}

// find runs Find on a server with a handler.
func find(t *testing.T, handler http.HandlerFunc) ([]Collection, error) {
	t.Helper()
	web := httptest.NewServer(handler)
	t.Cleanup(web.Close)
	c := &CalDAV{Outbound: testOutbound(), Now: testNow, User: "ada", Password: "secret", Server: web.URL, Host: testHost}
	return c.Find(t.Context())
}

// Find goes from the well-known address, over a redirect, to the calendars, and
// leaves out those that cannot be written to.
func TestFindFollowsTheSteps(t *testing.T) {
	t.Parallel()
	calendar := `<d:displayname>%s</d:displayname><d:resourcetype><d:collection/><cal:calendar/></d:resourcetype>`
	list, err := find(t, func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); r.Method != "PROPFIND" || user != "ada" || password != "secret" {
			t.Errorf("%s %s as %s", r.Method, r.URL, user)
		}
		switch r.URL.Path {
		case "/.well-known/caldav":
			http.Redirect(w, r, "/dav/", http.StatusMovedPermanently)
		case "/dav/":
			place(w, "/dav/", `<d:current-user-principal><d:href>people/ada/</d:href></d:current-user-principal>`)
		case "/dav/people/ada/":
			place(w, "/dav/people/ada/", `<cal:calendar-home-set><d:href>/dav/calendars/ada/</d:href></cal:calendar-home-set>`)
		case "/dav/calendars/ada/":
			if r.Header.Get("Depth") != "1" {
				t.Errorf("the depth is %s", r.Header.Get("Depth"))
			}
			place(w, "/dav/calendars/ada/team/", fmt.Sprintf(calendar, "Team")+`<d:current-user-privilege-set><d:privilege><d:read/></d:privilege></d:current-user-privilege-set>`)
		default:
			t.Errorf("%s was asked for", r.URL)
		}
	})
	if err != nil || len(list) != 1 || list[0].Name != "Team" || list[0].Writable {
		t.Errorf("the calendars found are %+v, %v", list, err)
	}
}

// The name of a calendar is cut to one line of at most 200 characters. A calendar
// with an address of more than 2000 bytes is left out.
func TestFindLimitsNamesAndAddresses(t *testing.T) {
	t.Parallel()
	const isCalendar = `<d:displayname>%s</d:displayname><d:resourcetype><d:collection/><cal:calendar/></d:resourcetype>`
	long := strings.Repeat("ü", longestName)
	for said, want := range map[string]string{
		" Work ": "Work", "": "", "Ours\r\nSubject: x\ty": "Ours Subject: x y", "a\u2028b\u0085c\u0090d": "a b cd", long: long, long + "x": long,
	} {
		list, err := find(t, func(w http.ResponseWriter, _ *http.Request) { place(w, "/", fmt.Sprintf(isCalendar, said)) })
		if err != nil || len(list) != 1 || list[0].Name != want {
			t.Errorf("%q is called %+v, %v", said, list, err)
		}
	}
	for _, more := range []int{0, 1} {
		list, err := find(t, func(w http.ResponseWriter, r *http.Request) {
			server := "http://" + r.Host + "/"
			place(w, server+strings.Repeat("a", longestAddress-len(server)+more), fmt.Sprintf(isCalendar, "Work"))
		})
		if found := err == nil && len(list) == 1; found != (more == 0) {
			t.Errorf("at an address of %d bytes it finds %+v, %v", longestAddress+more, list, err)
		}
	}
}

// The password is not sent to any other server.
func TestFindStaysOnTheServer(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("another server was asked: %v", r.Header) }))
	t.Cleanup(other.Close)
	for name, handler := range map[string]http.HandlerFunc{
		"a redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL, http.StatusMovedPermanently)
		},
		"a link": func(w http.ResponseWriter, _ *http.Request) {
			place(w, "/", `<d:current-user-principal><d:href>`+other.URL+`/ada/</d:href></d:current-user-principal>`)
		},
		"a redirect to itself": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.Path, http.StatusMovedPermanently)
		},
		"more than is read": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusMultiStatus)
			_, _ = io.WriteString(w, strings.Repeat("<!-- -->", mostAnswer/8+1))
		},
		"no XML":    func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusMultiStatus) },
		"no server": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) },
		"no calendar": func(w http.ResponseWriter, _ *http.Request) {
			place(w, "/", `<cal:calendar-home-set><d:href>/</d:href></cal:calendar-home-set>`)
		},
	} {
		if list, err := find(t, handler); err == nil || len(list) != 0 {
			t.Errorf("%s: %v, %v", name, list, err)
		}
	}
	// Large providers have calendars on other hosts of the same site.
	for _, s := range []struct {
		a, b string
		same bool
	}{
		{"https://caldav.example.com/", "https://p42-caldav.example.com:443/1/", true},
		{"https://caldav.example.com/", "http://p42-caldav.example.com/1/", false},
		{"https://caldav.example.com/", "https://caldav.example.net/", false},
		{"https://ada.github.io/", "https://eve.github.io/", false},
		{"https://10.0.0.1/", "https://10.0.0.2/", false},
	} {
		a, _ := http.NewRequest(http.MethodGet, s.a, http.NoBody)
		b, _ := http.NewRequest(http.MethodGet, s.b, http.NoBody)
		if sameSite(a.URL, b.URL) != s.same {
			t.Errorf("%s and %s are of the same site: %v", s.a, s.b, !s.same)
		}
	}
}

// Servers on private addresses are refused unless the operator allows them.
func TestCalDAVStaysOutside(t *testing.T) {
	t.Parallel()
	server := startRadicale(t).with(t, "work")
	c := server.client(strings.Replace(server.address, "http:", "https:", 1))
	c.Outbound = outbound.New(outbound.Config{Timeout: time.Minute})
	_, err := c.Write(t.Context(), weekly(t))
	if refused, ok := errors.AsType[*outbound.Error](err); !ok || refused.Reason != outbound.ReasonBlocked {
		t.Errorf("written: %v", err)
	}
}

// A 403 that names an unmet condition does not mean that the access has ended.
func TestCalDAVConditions(t *testing.T) {
	t.Parallel()
	for _, s := range []struct {
		status     int
		body, want string
	}{
		{http.StatusForbidden, "", "revoked"},
		{http.StatusForbidden, `<d:error xmlns:d="DAV:"><d:need-privileges/></d:error>`, "revoked"},
		{http.StatusForbidden, `<d:error xmlns:d="DAV:" xmlns:s="http://sabredav.org/ns"><s:exception>Forbidden</s:exception></d:error>`, "revoked"},
		{http.StatusForbidden, `<d:error xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><c:max-resource-size/></d:error>`, "answer"},
		{http.StatusForbidden, `<d:error xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><c:no-uid-conflict/></d:error>`, "foreign"},
		{http.StatusConflict, `<d:error xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><c:no-uid-conflict/></d:error>`, "foreign"},
		{http.StatusConflict, "", "no calendar"},
		{http.StatusInsufficientStorage, "", "answer"},
	} {
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				w.WriteHeader(http.StatusNotFound)
				return
			}
			w.WriteHeader(s.status)
			_, _ = io.WriteString(w, s.body)
		}))
		t.Cleanup(web.Close)
		c := &CalDAV{Outbound: testOutbound(), Now: testNow, Collection: web.URL, Host: testHost}
		_, err := c.Write(t.Context(), weekly(t))
		if got := kindOf(err); got != s.want {
			t.Errorf("%d %s: %v is %s, want %s", s.status, s.body, err, got, s.want)
		}
	}
}
