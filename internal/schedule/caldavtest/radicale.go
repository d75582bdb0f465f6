// Package caldavtest starts Radicale, a CalDAV server, for tests that write to a real
// calendar. A proxy in front of it can fail like servers and networks do.
package caldavtest

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// The user of every server, and their password.
const (
	User     = "ada"
	Password = "app password: ü"
)

// Server is a CalDAV server with one calendar.
type Server struct {
	URL string // of the proxy

	direct string // without the proxy
	data   string // the folder of the calendar

	transport *http.Transport // from the proxy to Radicale

	mu     sync.Mutex
	answer http.HandlerFunc // nil: let Radicale answer
	asked  []string         // methods and paths
}

// Run runs Radicale, without calendars and without a proxy, until the end of the test.
// It returns its address and the folder of the user's calendars.
func Run(t testing.TB) (address, data string) {
	t.Helper()
	dir := t.TempDir()
	config := filepath.Join(dir, "config")
	for name, text := range map[string]string{
		config: fmt.Sprintf("[server]\nhosts = 127.0.0.1:0\nmax_connections = 50\n[auth]\ntype = htpasswd\nhtpasswd_filename = %s/users\n"+
			"htpasswd_encryption = plain\ndelay = 0\n[storage]\nfilesystem_folder = %s/data\n[logging]\nlevel = info\n", dir, dir),
		filepath.Join(dir, "users"): User + ":" + Password + "\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("radicale", "--config", config)
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatalf("%v; scripts/install-test-deps installs it", err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	return listening(t, said), filepath.Join(dir, "data", "collection-root", User)
}

// Start runs a server until the end of the test.
func Start(t testing.TB) *Server {
	t.Helper()
	address, data := Run(t)
	s := &Server{direct: address, data: filepath.Join(data, "work")}
	s.Do(t, "MKCALENDAR", "", `<C:mkcalendar xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><D:set><D:prop><D:displayname>Work</D:displayname>`+
		`<C:supported-calendar-component-set><C:comp name="VEVENT"/></C:supported-calendar-component-set></D:prop></D:set></C:mkcalendar>`)
	to, err := url.Parse(s.direct)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(to)
	// httptest closes all idle connections of the default transport, even those that
	// another test is about to use.
	s.transport = &http.Transport{DisableKeepAlives: true}
	proxy.Transport = s.transport
	proxy.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) }
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		answer := s.answer
		s.asked = append(s.asked, r.Method+" "+r.URL.Path)
		s.mu.Unlock()
		if answer != nil {
			answer(w, r)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
	})
	s.URL = web.URL
	return s
}

// listening reads from the server's output where it listens, and keeps reading.
func listening(t testing.TB, said io.Reader) string {
	t.Helper()
	lines := bufio.NewScanner(said)
	var heard bytes.Buffer
	address := ""
	for lines.Scan() {
		heard.WriteString(lines.Text() + "\n")
		if _, rest, ok := strings.Cut(lines.Text(), "Listening on '"); ok {
			address, _, _ = strings.Cut(rest, "'")
			address = strings.NewReplacer("[", "", "]", "").Replace(address)
		}
		if strings.Contains(lines.Text(), "server ready") && address != "" {
			go func() { _, _ = io.Copy(io.Discard, said) }()
			return "http://" + address
		}
	}
	t.Fatalf("Radicale does not listen:\n%s", heard.String())
	return ""
}

// Answer replaces the server's answers. With nil, Radicale answers again.
func (s *Server) Answer(h http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = h
}

// Pass lets Radicale answer a request that a handler set by Answer got.
func (s *Server) Pass(w http.ResponseWriter, r *http.Request) {
	to, _ := url.Parse(s.direct)
	proxy := httputil.NewSingleHostReverseProxy(to)
	proxy.Transport = s.transport
	proxy.ServeHTTP(w, r)
}

// Status returns a handler that answers every request with a status and headers,
// given as pairs of name and value.
func Status(status int, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
	}
}

// Asked returns the requests since it was last called.
func (s *Server) Asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.asked
	s.asked = nil
	return asked
}

// Writes counts the requests that write.
func Writes(asked []string) (n int) {
	for _, a := range asked {
		if strings.HasPrefix(a, "PUT ") || strings.HasPrefix(a, "DELETE ") {
			n++
		}
	}
	return n
}

// Do sends a request for a file of the calendar to Radicale, as another program of the
// owner would.
func (s *Server) Do(t testing.TB, method, file, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.direct+"/"+User+"/work/"+file, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.SetBasicAuth(User, Password)
	req.Header.Set("Content-Type", "text/calendar; charset=utf-8")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode >= http.StatusMultipleChoices {
		text, _ := io.ReadAll(res.Body)
		t.Fatalf("%s %s: %d %s", method, file, res.StatusCode, text)
	}
}

// Event returns the iCalendar text of a meeting, with its lines unfolded; "" when the
// calendar does not have it.
func (s *Server) Event(t testing.TB, meetingID string) string {
	t.Helper()
	return s.Events(t)[meetingID]
}

// Count returns the number of events.
func (s *Server) Count(t testing.TB) int {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(s.data, "*.ics"))
	if err != nil {
		t.Fatal(err)
	}
	return len(names)
}

// Events returns the texts of all events by the names of their files.
func (s *Server) Events(t testing.TB) map[string]string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(s.data, "*.ics"))
	if err != nil {
		t.Fatal(err)
	}
	events := map[string]string{}
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if os.IsNotExist(err) {
			continue // deleted meanwhile
		}
		if err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(string(raw), "\r\n", "\n")
		events[strings.TrimSuffix(filepath.Base(name), ".ics")] = strings.ReplaceAll(text, "\n ", "")
	}
	return events
}

// Line returns the value of a property of the event in a text.
func Line(event, name string) string {
	_, event, _ = strings.Cut(event, "BEGIN:VEVENT\n")
	for _, line := range strings.Split(event, "\n") {
		key, value, _ := strings.Cut(line, ":")
		if key, _, _ = strings.Cut(key, ";"); key == name {
			return value
		}
	}
	return ""
}
