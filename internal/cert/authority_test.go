package cert

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/conclave-rooms/conclave/internal/cert/certtest"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
)

// An order that fails does not keep the other names from their certificates. The
// next one is made after a pause, by whichever node.
func TestAFailedOrderDoesNotStopOtherNames(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := listen(t)
		s := newSite(t, certtest.Options{TLSPort: port(p.tls), Refuse: []string{"no.example.com"}}, "no.example.com", name)
		m := s.node(t, d)
		p.serve(t, m)
		look(t, m)
		s.wantGreeting(t, p)
		if _, err := s.greet(p, "no.example.com"); err == nil {
			t.Error("there is a certificate for a name that the authority refuses")
		}
		log := s.log.String()
		if !strings.Contains(log, "rejectedIdentifier") || !strings.Contains(log, "next_try=") {
			t.Errorf("the log does not say what was refused and when the next try is:\n%s", log)
		}
		tries := func() int { return strings.Count(s.log.String(), "ordering a certificate") }
		if tries() != 2 {
			t.Errorf("%d orders were tried, want 2", tries())
		}
		look(t, m)
		look(t, s.node(t, d))
		if tries() != 2 {
			t.Errorf("during the pause %d orders were tried, want 2", tries())
		}
		s.advance(shortPause)
		look(t, s.node(t, d))
		if tries() != 3 {
			t.Errorf("after the pause %d orders were tried, want 3", tries())
		}
	})
}

// Nobody answers the challenge, which is what most often goes wrong.
func TestTheLogSaysWhyAChallengeFailed(t *testing.T) {
	t.Parallel()
	p := listen(t)
	_ = p.tls.Close()
	s := newSite(t, certtest.Options{TLSPort: port(p.tls)}, name)
	look(t, s.node(t, dbtest.Open(t, dbtest.Config(t, db.SQLite))))
	for _, want := range []string{"the challenge tls-alpn-01 failed: Failed to connect", "next_try="} {
		if !strings.Contains(s.log.String(), want) {
			t.Errorf("the log does not say %q:\n%s", want, &s.log)
		}
	}
}

func TestTheLogSaysThatTheAuthorityIsDown(t *testing.T) {
	t.Parallel()
	p := listen(t)
	s := newSite(t, certtest.Options{TLSPort: port(p.tls)}, name)
	s.authority.Stop()
	look(t, s.node(t, dbtest.Open(t, dbtest.Config(t, db.SQLite))))
	if !strings.Contains(s.log.String(), "it does not answer") || !strings.Contains(s.log.String(), "next_try=") {
		t.Errorf("the log does not say that the authority does not answer:\n%s", &s.log)
	}
}

// An authority, or a machine in its place, cannot fill the memory with an answer.
func TestALongAnswerOfTheAuthorityIsNotRead(t *testing.T) {
	t.Parallel()
	s := newSite(t, certtest.Options{}, name)
	a := s.node(t, dbtest.Open(t, dbtest.Config(t, db.SQLite))).authority
	for _, kind := range []string{"text/html", "application/problem+json"} {
		a.RoundTripper = answering{&http.Response{
			StatusCode: http.StatusBadGateway, Header: http.Header{"Content-Type": {kind}},
			Body: io.NopCloser(strings.NewReader(strings.Repeat("x", 2*mostAnswer))),
		}}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.authority.Directory, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		res, err := a.RoundTrip(req)
		if err != nil {
			continue // it is not passed on at all
		}
		body, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err == nil || len(body) > mostAnswer {
			t.Errorf("%s: %d bytes were read, %v", kind, len(body), err)
		}
	}
}

// answering is an authority with one answer.
type answering struct{ res *http.Response }

// RoundTrip returns the answer.
func (a answering) RoundTrip(*http.Request) (*http.Response, error) { return a.res, nil }
