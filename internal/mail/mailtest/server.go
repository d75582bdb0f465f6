// Package mailtest is a small SMTP server, for tests that send mail.
package mailtest

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
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Server is an SMTP server on this machine.
type Server struct {
	StartTLS bool // offers STARTTLS
	Implicit bool // TLS from the first byte
	// Password is the only one with which accounts can sign in; "": any.
	Password string

	Address string
	Pool    *x509.CertPool // contains the server's certificate

	config *tls.Config
	ended  chan Conversation
	asked  atomic.Int64

	mu     sync.Mutex
	refuse string
}

// Conversation is what one client said.
type Conversation struct {
	Secured  bool
	User     string
	From, To string // as sent, including FROM: and TO:
	Data     string // as it was sent
}

// Start makes the server listen until the end of the test, with a new certificate
// for 127.0.0.1.
func (s *Server) Start(t testing.TB) {
	t.Helper()
	s.certify(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.Address, s.ended = listener.Addr().String(), make(chan Conversation, 100)
	done := make(chan struct{})
	t.Cleanup(func() { _ = listener.Close(); <-done })
	go func() {
		defer close(done)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			s.asked.Add(1)
			s.ended <- s.talk(conn)
		}
	}()
}

func (s *Server) certify(t testing.TB) {
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
	s.Pool = x509.NewCertPool()
	s.Pool.AddCert(certificate)
	s.config = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{raw}, PrivateKey: key}}, MinVersion: tls.VersionTLS12}
}

// Refuse makes the server refuse a command, such as RCPT, from the next
// conversation on. An empty verb refuses none.
func (s *Server) Refuse(verb string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuse = verb
}

func (s *Server) refused() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refuse
}

// Ended waits for the next conversation to end.
func (s *Server) Ended(t testing.TB) Conversation {
	t.Helper()
	select {
	case c := <-s.ended:
		return c
	case <-time.After(time.Minute):
		t.Fatal("no client connected to the mail server")
		return Conversation{}
	}
}

// Asked returns how many conversations have begun.
func (s *Server) Asked() int { return int(s.asked.Load()) }

func (s *Server) talk(conn net.Conn) (c Conversation) {
	if s.Implicit {
		conn, c.Secured = tls.Server(conn, s.config), true
	}
	defer func() { _ = conn.Close() }()
	refuse := s.refused()
	in := bufio.NewReader(conn)
	say := func(line string) { _, _ = io.WriteString(conn, line+"\r\n") }
	say("220 ready")
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return c
		}
		line = strings.TrimRight(line, "\r\n")
		verb, rest, _ := strings.Cut(line, " ")
		switch {
		case refuse != "" && verb == refuse:
			say("550 no")
		case verb == "EHLO":
			say("250-mail.example.com")
			if s.StartTLS && !c.Secured {
				say("250-STARTTLS")
			}
			say("250 AUTH PLAIN")
		case verb == "STARTTLS":
			say("220 go ahead")
			conn, c.Secured = tls.Server(conn, s.config), true
			in = bufio.NewReader(conn)
		case verb == "AUTH":
			plain, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(rest, "PLAIN "))
			c.User = string(plain)
			if s.Password != "" && !strings.HasSuffix(c.User, "\x00"+s.Password) {
				say("535 wrong account or password")
				continue
			}
			say("235 welcome")
		case verb == "NOOP":
			say("250 ok")
		case verb == "MAIL":
			c.From = rest
			say("250 ok")
		case verb == "RCPT":
			c.To = rest
			say("250 ok")
		case verb == "DATA":
			say("354 go on")
			for {
				text, err := in.ReadString('\n')
				if err != nil || text == ".\r\n" {
					break
				}
				c.Data += text
			}
			say("250 taken")
		case verb == "QUIT":
			say("221 bye")
			return c
		default:
			say("500 what?")
		}
	}
}
