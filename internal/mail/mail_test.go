package mail_test

import (
	"crypto/tls"
	"io"
	"mime/quotedprintable"
	"net"
	netmail "net/mail"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/mail"
	"github.com/conclave-rooms/conclave/internal/mail/mailtest"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func sender(t *testing.T, to *mailtest.Server, scheme, user, more string) *mail.Sender {
	t.Helper()
	sender, err := mail.New(scheme+"://"+user+to.Address+more, "Conclave <meet@example.com>", func() time.Time { return noon })
	if err != nil {
		t.Fatal(err)
	}
	sender.TLS = &tls.Config{RootCAs: to.Pool, MinVersion: tls.VersionTLS12}
	return sender
}

func TestAMessageArrivesEncryptedAndWhole(t *testing.T) {
	t.Parallel()
	for _, scheme := range []string{"smtp", "smtps"} {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			s := &mailtest.Server{StartTLS: true, Implicit: scheme == "smtps"}
			s.Start(t)
			text := "Open this:\n\nhttps://meet.example.com/invitation#s3cr=t\n.\n" + strings.Repeat("lang und länger ", 20) + "\n"
			err := sender(t, s, scheme, "me:p%40ss@", "").Send(t.Context(), mail.Message{To: "ada@example.com", Subject: "Grüße", Text: text})
			if err != nil {
				t.Fatal(err)
			}
			c := s.Ended(t)
			if !c.Secured || c.User != "\x00me\x00p@ss" || c.From != "FROM:<meet@example.com>" || c.To != "TO:<ada@example.com>" {
				t.Errorf("the client said %+v", c)
			}
			m, err := netmail.ReadMessage(strings.NewReader(strings.ReplaceAll(c.Data, "\r\n..", "\r\n.")))
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(quotedprintable.NewReader(m.Body))
			if err != nil || strings.ReplaceAll(string(body), "\r\n", "\n") != text {
				t.Errorf("the text is %q (%v)", body, err)
			}
			for name, want := range map[string]string{
				"From": `"Conclave" <meet@example.com>`, "To": "<ada@example.com>", "Subject": "=?utf-8?q?Gr=C3=BC=C3=9Fe?=", "Date": "Fri, 20 Nov 2026 12:00:00 +0000",
			} {
				if got := m.Header.Get(name); got != want {
					t.Errorf("%s is %q, want %q", name, got, want)
				}
			}
		})
	}
}

func TestWhatTheServerRefusesIsAnError(t *testing.T) {
	t.Parallel()
	for _, verb := range []string{"AUTH", "MAIL", "RCPT", "DATA"} {
		s := &mailtest.Server{StartTLS: true}
		s.Refuse(verb)
		s.Start(t)
		err := sender(t, s, "smtp", "me:secret@", "").Send(t.Context(), mail.Message{To: "ada@example.com", Subject: "x", Text: "x"})
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", verb, err)
		}
	}
}

// Somebody on the way to the server can say anything before TLS begins.
func TestAServerThatNeverEndsItsLineIsGivenUp(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	said := make(chan int64, 1)
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		n, _ := io.Copy(conn, io.LimitReader(zeros{}, 64<<20))
		said <- n
	}()
	s := &mailtest.Server{Address: l.Addr().String()}
	err = sender(t, s, "smtp", "", "").Send(t.Context(), mail.Message{To: "ada@example.com", Subject: "x", Text: "x"})
	if err == nil || !strings.Contains(err.Error(), "the mail server says too much") {
		t.Errorf("the error is %v", err)
	}
	if n := <-said; n == 64<<20 {
		t.Errorf("%d bytes without the end of a line were read", n)
	}
}

// zeros is a text without lines and without an end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}

func TestAServerWithAnUnknownCertificateGetsNothing(t *testing.T) {
	t.Parallel()
	s := &mailtest.Server{StartTLS: true}
	s.Start(t)
	to := sender(t, s, "smtp", "me:secret@", "")
	to.TLS = nil // the machine's authorities do not know the server's certificate
	if err := to.Send(t.Context(), mail.Message{To: "ada@example.com", Subject: "x", Text: "x"}); err == nil {
		t.Error("the message was sent")
	}
	if c := s.Ended(t); c.User != "" || c.Data != "" {
		t.Errorf("the server got %+v", c)
	}
}

// A server on this machine needs no encryption. A server elsewhere is used without
// it only when the operator allows that. In this test, elsewhere is another name
// for this machine.
func TestMailGoesUnencryptedElsewhereOnlyIfAllowed(t *testing.T) {
	t.Parallel()
	near := &mailtest.Server{}
	near.Start(t)
	if err := sender(t, near, "smtp", "", "").Send(t.Context(), mail.Message{To: "ada@example.com", Subject: "x", Text: "x"}); err != nil {
		t.Errorf("on this machine: %v", err)
	}
	for more, taken := range map[string]bool{"": false, "?tls=none": true} {
		s := &mailtest.Server{}
		s.Start(t)
		_, port, _ := net.SplitHostPort(s.Address)
		s.Address = net.JoinHostPort("0.0.0.0", port)
		err := sender(t, s, "smtp", "", more).Send(t.Context(), mail.Message{To: "ada@example.com", Subject: "x", Text: "x"})
		if (err == nil) != taken {
			t.Errorf("%q: %v", more, err)
		}
	}
}

// Where the operator allows a connection without encryption, an account can sign in on
// it, too. In this test, elsewhere is another name for this machine.
func TestAnAccountSignsInUnencryptedWhereThatIsAllowed(t *testing.T) {
	t.Parallel()
	s := &mailtest.Server{Password: "secret"}
	s.Start(t)
	_, port, _ := net.SplitHostPort(s.Address)
	s.Address = net.JoinHostPort("0.0.0.0", port)
	if err := sender(t, s, "smtp", "me:secret@", "?tls=none").Send(t.Context(), mail.Message{To: "ada@example.com", Subject: "x", Text: "x"}); err != nil {
		t.Fatal(err)
	}
	if c := s.Ended(t); c.Secured || c.User != "\x00me\x00secret" || c.To == "" {
		t.Errorf("the server was told %+v", c)
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		url, from string
		good      bool
	}{
		{"smtp://mail.example.com", "meet@example.com", true},
		{"smtps://u:p@mail.example.com:465/", "Conclave <meet@example.com>", true},
		{"mail.example.com:25", "meet@example.com", false},
		{"https://mail.example.com", "meet@example.com", false},
		{"smtp://", "meet@example.com", false},
		{"smtp://u:s3cret@mail.example.com/path", "meet@example.com", false},
		{"smtp://mail.example.com", "meet", false},
	} {
		_, err := mail.New(c.url, c.from, time.Now)
		if (err == nil) != c.good || err != nil && strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s, %s: %v", c.url, c.from, err)
		}
	}
	s, err := mail.New("smtp://127.0.0.1:1", "meet@example.com", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	// A line break in an address would add a header.
	for _, to := range []string{"ada@example.com\r\nBcc: eve@example.com", ""} {
		if err := s.Send(t.Context(), mail.Message{To: to}); err == nil {
			t.Errorf("%q was accepted", to)
		}
	}
}
