// Package mailtest is a small SMTP server, for tests that send mail.
package mailtest

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/cert/certtest"
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
			s.ended <- s.serve(conn)
		}
	}()
}

func (s *Server) certify(t testing.TB) {
	t.Helper()
	own := certtest.Issue(t, certtest.ThisMachine(), nil)
	s.Pool = certtest.Trust(own)
	s.config = &tls.Config{Certificates: []tls.Certificate{own}, MinVersion: tls.VersionTLS12}
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

// serve holds the conversation with one client.
func (s *Server) serve(conn net.Conn) Conversation {
	t := &talk{server: s, refuse: s.refused(), conn: conn, in: bufio.NewReader(conn)}
	if s.Implicit {
		t.secure()
	}
	defer func() { _ = t.conn.Close() }()
	t.say("220 ready")
	for {
		line, err := t.in.ReadString('\n')
		if err != nil {
			return t.said
		}
		verb, rest, _ := strings.Cut(strings.TrimRight(line, "\r\n"), " ")
		if !t.answer(verb, rest) {
			return t.said
		}
	}
}

// talk is the server's side of a conversation.
type talk struct {
	server *Server
	refuse string // the verb that is refused
	conn   net.Conn
	in     *bufio.Reader
	said   Conversation
}

func (t *talk) say(line string) { _, _ = io.WriteString(t.conn, line+"\r\n") }

// secure goes on in TLS.
func (t *talk) secure() {
	t.conn, t.said.Secured = tls.Server(t.conn, t.server.config), true
	t.in = bufio.NewReader(t.conn)
}

// answer answers one command, and says whether another one may follow.
func (t *talk) answer(verb, rest string) bool {
	switch {
	case t.refuse != "" && verb == t.refuse:
		t.say("550 no")
	case verb == "EHLO":
		t.say("250-mail.example.com")
		if t.server.StartTLS && !t.said.Secured {
			t.say("250-STARTTLS")
		}
		t.say("250 AUTH PLAIN")
	case verb == "STARTTLS":
		t.say("220 go ahead")
		t.secure()
	case verb == "AUTH":
		t.signIn(rest)
	case verb == "NOOP":
		t.say("250 ok")
	case verb == "MAIL":
		t.said.From = rest
		t.say("250 ok")
	case verb == "RCPT":
		t.said.To = rest
		t.say("250 ok")
	case verb == "DATA":
		t.say("354 go on")
		t.readData()
		t.say("250 taken")
	case verb == "QUIT":
		t.say("221 bye")
		return false
	default:
		t.say("500 what?")
	}
	return true
}

// signIn checks the account and the password.
func (t *talk) signIn(credentials string) {
	plain, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(credentials, "PLAIN "))
	t.said.User = string(plain)
	if password := t.server.Password; password != "" && !strings.HasSuffix(t.said.User, "\x00"+password) {
		t.say("535 wrong account or password")
		return
	}
	t.say("235 welcome")
}

// readData reads the mail, up to the line that ends it.
func (t *talk) readData() {
	for {
		text, err := t.in.ReadString('\n')
		if err != nil || text == ".\r\n" {
			return
		}
		t.said.Data += text
	}
}
