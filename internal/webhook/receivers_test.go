package webhook_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/outbound"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// customerServer is a customer's TLS server. It remembers the requests it got, and
// behaves as the path of each request says.
type customerServer struct {
	hooks map[string]api.WebhookEndpointCreated // by path

	mu     sync.Mutex
	bodies map[string][]byte // by path
	signed map[string]string
}

func (d *customerServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body) // a body that was cut short does not verify
	d.mu.Lock()
	d.bodies[r.URL.Path], d.signed[r.URL.Path] = body, r.Header.Get("Service-Signature")
	d.mu.Unlock()
	misbehaviours[r.URL.Path].do(w, r)
}

// verifies reports whether the request to a path was signed with a secret.
func (d *customerServer) verifies(path, secret string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	stamp, signature, _ := strings.Cut(strings.TrimPrefix(d.signed[path], "t="), ",v1=")
	h := hmac.New(sha256.New, []byte(secret))
	h.Write([]byte(stamp + "." + string(d.bodies[path])))
	return len(d.bodies[path]) > 0 && signature == hex.EncodeToString(h.Sum(nil))
}

func answers(status int) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }
}

// hijacked answers by taking over the connection.
func hijacked(do func(net.Conn)) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		if conn, _, err := w.(http.Hijacker).Hijack(); err == nil {
			do(conn)
			_ = conn.Close()
		}
	}
}

// misbehaviours lists by path what a receiver does, and the result of the first
// attempt.
var misbehaviours = map[string]struct {
	do     func(http.ResponseWriter, *http.Request)
	status string // of the delivery
	code   int    // 0: no answer
	reason string
}{
	"/good":   {answers(http.StatusAccepted), "succeeded", http.StatusAccepted, ""},
	"/gone":   {answers(http.StatusGone), "failed", http.StatusGone, "http_error"},
	"/busy":   {answers(http.StatusTooManyRequests), "retrying", http.StatusTooManyRequests, "http_error"},
	"/broken": {answers(http.StatusInternalServerError), "retrying", http.StatusInternalServerError, "http_error"},
	"/elsewhere": {func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://169.254.169.254/latest/meta-data", http.StatusTemporaryRedirect)
	}, "retrying", http.StatusTemporaryRedirect, "redirect"},
	"/silent": {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "retrying", 0, "timeout"},
	"/slow": {hijacked(func(conn net.Conn) {
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\n")
		for {
			if _, err := io.WriteString(conn, "X-Slow: 1\r\n"); err != nil {
				return
			}
			time.Sleep(10 * time.Millisecond) // it is slow on purpose, until the service's timeout ends it
		}
	}), "retrying", 0, "timeout"},
	"/endless": {func(w http.ResponseWriter, _ *http.Request) {
		for buf := make([]byte, 32<<10); ; {
			if _, err := w.Write(buf); err != nil {
				return
			}
		}
	}, "succeeded", http.StatusOK, ""},
	"/reset": {hijacked(func(conn net.Conn) {
		if plain, ok := conn.(interface{ NetConn() net.Conn }); ok {
			_ = plain.NetConn().(*net.TCPConn).SetLinger(0)
		}
	}), "retrying", 0, "connect_error"},
}

// Every kind of receiver gets the same signed event over TLS. What a receiver
// does affects its own delivery and no other.
func TestAReceiverAffectsOnlyItsOwnDelivery(t *testing.T) {
	t.Parallel()
	var answering, silent []string
	for path, what := range misbehaviours {
		if what.reason == "timeout" {
			silent = append(silent, path)
		} else {
			answering = append(answering, path)
		}
	}
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		d := deliverTo(t, where, time.Minute, answering) // however slow the machine is
		for path, hook := range d.hooks {
			if !d.verifies(path, hook.Secret) {
				t.Errorf("%s: what arrived is not signed with the endpoint's secret", path)
			}
		}
	})
	t.Run("those that do not answer", func(t *testing.T) {
		t.Parallel()
		// The time may be over even before anything has arrived.
		dbtest.EachConfig(t, func(t *testing.T, where db.Config) { deliverTo(t, where, 2*time.Second, silent) })
	})
}

// deliverTo makes a room, whose event is sent to the receivers at some paths, and
// checks the deliveries.
func deliverTo(t *testing.T, where db.Config, timeout time.Duration, paths []string) *customerServer {
	t.Helper()
	d := &customerServer{bodies: map[string][]byte{}, signed: map[string]string{}, hooks: map[string]api.WebhookEndpointCreated{}}
	web := httptest.NewTLSServer(d)
	t.Cleanup(func() { web.CloseClientConnections(); web.Close() })
	trusted := x509.NewCertPool()
	trusted.AddCert(web.Certificate())
	s := servertest.Start(t, where, servertest.Options{AllowPrivate: true, Outbound: outbound.Config{RootCAs: trusted, Timeout: timeout}})
	key := s.Key(s.Workspace("acme", "owner@acme.example"), api.Scopes()...)
	for _, path := range paths {
		d.hooks[path] = endpointAt(t, s, key, web.URL+path)
	}
	if a := s.Send(servertest.Request{Method: http.MethodPost, Path: "/api/v1/rooms", Bearer: key, Body: `{"name": "Room"}`}); a.Status != http.StatusCreated {
		t.Fatalf("make a room: %d %s", a.Status, a.Body)
	}
	s.Settle()
	for _, path := range paths {
		want := misbehaviours[path]
		if got, expected := theDelivery(t, s, key, d.hooks[path].ID), fmt.Sprint(want.status, 1, want.code, want.reason); got != expected {
			t.Errorf("%s: the delivery is %s, want %s", path, got, expected)
		}
	}
	return d
}

// A receiver whose certificate is not trusted gets nothing.
func TestNothingIsSentWithoutATrustedCertificate(t *testing.T) {
	t.Parallel()
	web := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("something was sent") }))
	t.Cleanup(web.Close)
	s := servertest.Start(t, dbtest.Config(t, db.SQLite), servertest.Options{AllowPrivate: true, Outbound: outbound.Config{RootCAs: x509.NewCertPool(), Timeout: time.Hour}})
	key := s.Key(s.Workspace("acme", "owner@acme.example"), api.Scopes()...)
	hook := endpointAt(t, s, key, web.URL)
	s.Send(servertest.Request{Method: http.MethodPost, Path: "/api/v1/rooms", Bearer: key, Body: `{"name": "Room"}`})
	s.Settle()
	if got, want := theDelivery(t, s, key, hook.ID), fmt.Sprint("retrying", 1, 0, "tls_error"); got != want {
		t.Errorf("the delivery is %s, want %s", got, want)
	}
}

func endpointAt(t *testing.T, s *servertest.Service, key, url string) api.WebhookEndpointCreated {
	t.Helper()
	var hook api.WebhookEndpointCreated
	a := s.Send(servertest.Request{Method: http.MethodPost, Path: "/api/v1/webhooks", Bearer: key, Body: fmt.Sprintf(`{"url": %q, "events": ["room.created"]}`, url)})
	if err := json.Unmarshal(a.Body, &hook); err != nil || a.Status != http.StatusCreated {
		t.Fatalf("make an endpoint: %d %s", a.Status, a.Body)
	}
	return hook
}

// theDelivery describes an endpoint's only delivery: its status, the attempts,
// the code of the answer and the error.
func theDelivery(t *testing.T, s *servertest.Service, key, endpointID string) string {
	t.Helper()
	var list api.List[api.WebhookDelivery]
	a := s.Send(servertest.Request{Method: http.MethodGet, Path: "/api/v1/webhooks/" + endpointID + "/deliveries", Bearer: key})
	if err := json.Unmarshal(a.Body, &list); err != nil || len(list.Data) != 1 {
		t.Fatalf("the deliveries are %s", a.Body)
	}
	d := list.Data[0]
	code, reason := 0, ""
	if d.ResponseCode != nil {
		code = *d.ResponseCode
	}
	if d.Error != nil {
		reason = *d.Error
	}
	return fmt.Sprint(d.Status, d.Attempts, code, reason)
}
