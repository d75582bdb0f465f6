package mail_test

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"io"
	"math/big"
	"mime/quotedprintable"
	"net"
	netmail "net/mail"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/mail"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// server is a small SMTP server that takes one conversation.
type server struct {
	startTLS bool // offers it
	implicit bool // TLS from the first byte
	refuse   string
	config   *tls.Config
	pool     *x509.CertPool

	address string
	done    chan struct{}
	// What happened, to be read once done is closed.
	secured  bool
	user     string
	from, to string
	data     string
}

// start makes the server listen, with a certificate of its own for 127.0.0.1.
func (s *server) start(t *testing.T) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(raw)
	if err != nil {
		t.Fatal(err)
	}
	s.pool = x509.NewCertPool()
	s.pool.AddCert(certificate)
	s.config = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{raw}, PrivateKey: key}}, MinVersion: tls.VersionTLS12}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.address, s.done = listener.Addr().String(), make(chan struct{})
	t.Cleanup(func() { _ = listener.Close(); <-s.done })
	go func() {
		defer close(s.done)
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		if s.implicit {
			conn, s.secured = tls.Server(conn, s.config), true
		}
		s.talk(conn)
	}()
}

func (s *server) talk(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	in := bufio.NewReader(conn)
	say := func(line string) { _, _ = io.WriteString(conn, line+"\r\n") }
	say("220 ready")
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		line = strings.TrimRight(line, "\r\n")
		verb, rest, _ := strings.Cut(line, " ")
		switch {
		case s.refuse != "" && verb == s.refuse:
			say("550 no")
		case verb == "EHLO":
			say("250-mail.example.com")
			if s.startTLS && !s.secured {
				say("250-STARTTLS")
			}
			say("250 AUTH PLAIN")
		case verb == "STARTTLS":
			say("220 go ahead")
			conn, s.secured = tls.Server(conn, s.config), true
			in = bufio.NewReader(conn)
		case verb == "AUTH":
			plain, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(rest, "PLAIN "))
			s.user = string(plain)
			say("235 welcome")
		case verb == "MAIL":
			s.from = rest
			say("250 ok")
		case verb == "RCPT":
			s.to = rest
			say("250 ok")
		case verb == "DATA":
			say("354 go on")
			for {
				text, err := in.ReadString('\n')
				if err != nil || text == ".\r\n" {
					break
				}
				s.data += text
			}
			say("250 taken")
		case verb == "QUIT":
			say("221 bye")
			return
		default:
			say("500 what?")
		}
	}
}

func (s *server) sender(t *testing.T, scheme, user, more string) *mail.Sender {
	t.Helper()
	sender, err := mail.New(scheme+"://"+user+s.address+more, "Conclave <meet@example.com>", func() time.Time { return noon })
	if err != nil {
		t.Fatal(err)
	}
	sender.TLS = &tls.Config{RootCAs: s.pool, MinVersion: tls.VersionTLS12}
	return sender
}

func TestAMessageArrivesEncryptedAndWhole(t *testing.T) {
	t.Parallel()
	for _, scheme := range []string{"smtp", "smtps"} {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			s := &server{startTLS: true, implicit: scheme == "smtps"}
			s.start(t)
			text := "Open this:\n\nhttps://meet.example.com/invitation#s3cr=t\n.\n" + strings.Repeat("lang und länger ", 20) + "\n"
			err := s.sender(t, scheme, "me:p%40ss@", "").Send(t.Context(), mail.Message{To: "ada@example.com", Subject: "Grüße", Text: text})
			if err != nil {
				t.Fatal(err)
			}
			<-s.done
			if !s.secured || s.user != "\x00me\x00p@ss" || s.from != "FROM:<meet@example.com>" || s.to != "TO:<ada@example.com>" {
				t.Errorf("secured %v, user %q, from %q, to %q", s.secured, s.user, s.from, s.to)
			}
			m, err := netmail.ReadMessage(strings.NewReader(strings.ReplaceAll(s.data, "\r\n..", "\r\n.")))
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
		s := &server{startTLS: true, refuse: verb}
		s.start(t)
		err := s.sender(t, "smtp", "me:secret@", "").Send(t.Context(), mail.Message{To: "ada@example.com", Subject: "x", Text: "x"})
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", verb, err)
		}
	}
}

func TestAServerThatProvesNothingGetsNothing(t *testing.T) {
	t.Parallel()
	s := &server{startTLS: true}
	s.start(t)
	sender := s.sender(t, "smtp", "me:secret@", "")
	sender.TLS = nil // the machine's authorities do not know the server's certificate
	if err := sender.Send(t.Context(), mail.Message{To: "ada@example.com", Subject: "x", Text: "x"}); err == nil {
		t.Error("the message was sent")
	}
	<-s.done
	if s.user != "" || s.data != "" {
		t.Errorf("the server got %q %q", s.user, s.data)
	}
}

// A server on this machine needs no encryption; one elsewhere only without it
// when the operator says so. Elsewhere is another name for this machine here.
func TestWithoutEncryption(t *testing.T) {
	t.Parallel()
	near := &server{}
	near.start(t)
	if err := near.sender(t, "smtp", "", "").Send(t.Context(), mail.Message{To: "ada@example.com", Subject: "x", Text: "x"}); err != nil {
		t.Errorf("on this machine: %v", err)
	}
	for more, taken := range map[string]bool{"": false, "?tls=none": true} {
		s := &server{}
		s.start(t)
		_, port, _ := net.SplitHostPort(s.address)
		s.address = net.JoinHostPort("0.0.0.0", port)
		err := s.sender(t, "smtp", "", more).Send(t.Context(), mail.Message{To: "ada@example.com", Subject: "x", Text: "x"})
		if (err == nil) != taken {
			t.Errorf("%q: %v", more, err)
		}
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
	// A line end in an address would be a header of its own.
	for _, to := range []string{"ada@example.com\r\nBcc: eve@example.com", ""} {
		if err := s.Send(t.Context(), mail.Message{To: to}); err == nil {
			t.Errorf("%q was taken", to)
		}
	}
}
