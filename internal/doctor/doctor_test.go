package doctor

import (
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/config"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
)

// usual are settings that fit together.
func usual(where db.Config) *Options {
	return &Options{Now: time.Now, Config: config.Serve{
		Data:     config.Data{Data: where.Dir, DatabaseURL: where.URL, PublicURL: "http://localhost:8080"},
		Listener: config.Listener{Listen: "127.0.0.1:0"}, StopTimeout: time.Second, RateLimits: "on", MediaUDPPort: 7882, MediaTCPPort: 7881,
	}}
}

func want(t *testing.T, f Finding, verdict Verdict, part string) {
	t.Helper()
	if f.Verdict != verdict || !strings.Contains(f.Found, part) {
		t.Errorf("got %s: %s; want %s: ...%s...", f.Verdict, f.Found, verdict, part)
	}
	if advised := f.Advice != ""; advised != (verdict == Failed || verdict == Warning) {
		t.Errorf("%s: %s: the advice is %q", f.Verdict, f.Found, f.Advice)
	}
}

// One cause is reported once: what needs it is not tried.
func TestOneCauseIsReportedOnce(t *testing.T) {
	t.Parallel()
	o := usual(db.Config{Dir: t.TempDir()})
	o.Config.PublicURL = "meet.example.com"
	var told []Finding
	all := Examine(t.Context(), *o, func(f Finding) { told = append(told, f) })
	if !slices.Equal(all, told) || len(all) != len(checks()) || Healthy(all) {
		t.Fatalf("told %+v of %+v", told, all)
	}
	for _, f := range all {
		switch f.Check {
		case "settings":
			want(t, f, Failed, "--public-url must be an address")
		case "open files":
		default:
			want(t, f, Skipped, "it needs this: settings")
		}
	}
}

// Every check that another one needs comes before it.
func TestAPrerequisiteOfACheckComesBeforeIt(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, c := range checks() {
		for _, name := range c.needs {
			if !seen[name] {
				t.Errorf("%s needs %s, which does not come before it", c.name, name)
			}
		}
		if seen[c.name] {
			t.Errorf("two checks are called %s", c.name)
		}
		seen[c.name] = true
	}
}

func TestDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := usual(db.Config{Dir: dir})
	if f := directory(t.Context(), o); f.Verdict == Failed || !strings.Contains(f.Found, dir) {
		t.Errorf("a directory: %+v", f)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 0 {
		t.Errorf("left behind: %v, %v", files, err)
	}
	o.Config.Data.Data = filepath.Join(dir, "none")
	want(t, directory(t.Context(), o), Warning, "does not exist")
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	o.Config.Data.Data = file
	want(t, directory(t.Context(), o), Failed, "Nothing can be written")
}

func TestDatabase(t *testing.T) {
	t.Parallel()
	for _, engine := range []db.Engine{db.SQLite, db.PostgreSQL} {
		where := dbtest.Empty(t, engine)
		o := usual(where)
		want(t, database(t.Context(), o), OK, "without data")
		d := dbtest.Open(t, where)
		if f := database(t.Context(), o); f.Verdict != OK && !strings.Contains(f.Found, "does not wait for its disk") { // as in tests
			t.Errorf("a database that is up to date: %+v", f)
		}
		err := d.Write(t.Context(), func(tx *db.Tx) error {
			_, err := tx.Exec(t.Context(), `INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, TRUE)`)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		want(t, database(t.Context(), o), Failed, "has schema 999, from a newer program")
	}
	o := usual(db.Config{Dir: t.TempDir(), URL: "postgres://nobody:secret@127.0.0.1:1/none"})
	f := database(t.Context(), o)
	want(t, f, Failed, "does not answer")
	if strings.Contains(f.Found, "secret") {
		t.Errorf("the password is shown: %s", f.Found)
	}
}

func TestClock(t *testing.T) {
	t.Parallel()
	o := usual(dbtest.Config(t, db.PostgreSQL))
	want(t, clock(t.Context(), o), OK, "agrees")
	o.Now = func() time.Time { return time.Now().Add(time.Hour) }
	want(t, clock(t.Context(), o), Failed, "1h0m0s ahead")
	f := clock(t.Context(), usual(db.Config{Dir: t.TempDir()})) // what it says depends on this machine
	want(t, f, f.Verdict, "with SQLite there is no other")
	if f.Verdict == Failed {
		t.Errorf("on SQLite: %+v", f)
	}
	now := time.Date(2026, 11, 26, 9, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		isSet, known bool
		verdict      Verdict
		found        string
	}{
		{true, true, OK, "keeps its clock right, which says 2026-11-26T09:00:00Z"},
		{false, true, Warning, "knows of nothing that keeps its own right, which says 2026-11-26T09:00:00Z"},
		{false, false, Skipped, "Not compared"},
	} {
		want(t, clockAlone(c.isSet, c.known, now), c.verdict, c.found)
	}
}

func TestOtherServersAreTriedWhereTheyAreConfigured(t *testing.T) {
	t.Parallel()
	o := usual(db.Config{Dir: t.TempDir()})
	want(t, bucket(t.Context(), o), Skipped, "data directory")
	want(t, mailServer(t.Context(), o), Skipped, "--smtp-url")
	want(t, identityProvider(t.Context(), o), Skipped, "--oidc-issuer")
	o.Config.SMTPURL, o.Config.MailFrom = "smtp://127.0.0.1:1", "Conclave <meet@example.com>"
	want(t, mailServer(t.Context(), o), Failed, "reach the mail server")
	o.Config.BlobURL = "s3://none?region=us-east-1&endpoint=http://127.0.0.1:1"
	want(t, bucket(t.Context(), o), Failed, "Nothing can be written")

	issuer := ""
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/.well-known/openid-configuration" {
			_, _ = w.Write([]byte(`{"issuer": "` + issuer + `"}`))
		}
	}))
	defer provider.Close()
	o.Config.OIDCIssuer, issuer = provider.URL, provider.URL
	want(t, identityProvider(t.Context(), o), OK, "answers")
	issuer = "https://other.example.com"
	want(t, identityProvider(t.Context(), o), Failed, `"https://other.example.com"`)
	o.Config.OIDCIssuer = provider.URL + "/realm"
	want(t, identityProvider(t.Context(), o), Failed, "not with its configuration")
}

func TestName(t *testing.T) {
	t.Parallel()
	o := usual(db.Config{Dir: t.TempDir()})
	want(t, nameLeads(t.Context(), o), OK, "localhost leads to this machine")
	o.Config.PublicURL = "https://meet.example.invalid"
	want(t, nameLeads(t.Context(), o), Failed, "leads nowhere")
	o.Config.PublicURL = "https://192.0.2.7"
	want(t, nameLeads(t.Context(), o), Warning, "not an address of this machine")
}

func TestServiceHere(t *testing.T) {
	t.Parallel()
	o := usual(db.Config{Dir: t.TempDir()})
	says, status := `{"status":"ok","parts":{"database":"ok"}}`, http.StatusOK
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(says))
	}))
	o.Config.Listen = s.Listener.Addr().String()
	want(t, serviceHere(t.Context(), o), OK, "is ready")
	says = `{"status":"ok","parts":{"clock":"ahead"}}`
	want(t, serviceHere(t.Context(), o), Warning, "clock ahead")
	says, status = `{"status":"unavailable","parts":{"media":"unavailable"}}`, http.StatusServiceUnavailable
	want(t, serviceHere(t.Context(), o), Failed, "media unavailable")
	says = `{"status":"draining","parts":{"media":"ok"}}`
	want(t, serviceHere(t.Context(), o), Warning, "is draining")
	says = "<h1>nginx</h1>"
	want(t, serviceHere(t.Context(), o), Failed, "not as Conclave does")
	s.Close()
	want(t, serviceHere(t.Context(), o), Warning, "No service runs")
	o.Config.Listen = "192.0.2.7:80"
	f := serviceHere(t.Context(), o)
	want(t, f, Failed, "could not listen there")
	if !strings.Contains(f.Advice, "This machine does not have the address") {
		t.Errorf("the advice is %q", f.Advice)
	}
}

func TestCertificate(t *testing.T) {
	t.Parallel()
	s := httptest.NewTLSServer(http.NotFoundHandler())
	defer s.Close()
	o := usual(db.Config{Dir: t.TempDir()})
	want(t, certificate(t.Context(), o), Skipped, "http on this machine")
	o.Config.PublicURL = "http://meet.example.com"
	want(t, certificate(t.Context(), o), Failed, "only on https")
	o.Config.PublicURL = s.URL
	want(t, certificate(t.Context(), o), Failed, "Browsers refuse the certificate")
	want(t, publicAddress(t.Context(), o), Failed, "Nobody answers")
	o.Trust = x509.NewCertPool()
	o.Trust.AddCert(s.Certificate())
	want(t, certificate(t.Context(), o), OK, "is good for")
	ends := s.Certificate().NotAfter
	o.Now = func() time.Time { return ends.Add(-14*24*time.Hour + time.Second) }
	want(t, certificate(t.Context(), o), Warning, "13 more days")
	o.Now = func() time.Time { return ends.Add(-14 * 24 * time.Hour) }
	want(t, certificate(t.Context(), o), OK, "14 more days")
	s.Close()
	want(t, certificate(t.Context(), o), Failed, "No handshake")
}

// The gate names the version of the protocol in its refusals of WebSockets, and not in
// those of other requests.
func TestWebSocket(t *testing.T) {
	t.Parallel()
	status, version := http.StatusUnauthorized, "13"
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") == "websocket" && version != "" {
			w.Header().Set("Sec-WebSocket-Version", version)
		}
		w.WriteHeader(status)
	}))
	defer s.Close()
	o := usual(db.Config{Dir: t.TempDir()})
	o.Config.PublicURL = s.URL
	want(t, webSocket(t.Context(), o), OK, "reach the service")
	version = ""
	want(t, webSocket(t.Context(), o), Failed, "A proxy turns requests")
	status = http.StatusBadGateway
	want(t, webSocket(t.Context(), o), Failed, "502")
}
