// Package mail sends messages to people through an SMTP server.
//
//	smtp://user:password@mail.example.com:587     STARTTLS
//	smtps://user:password@mail.example.com:465    TLS from the first byte
//
// Messages contain secrets, so they leave this machine only encrypted. A server
// that does not offer STARTTLS is refused, unless it runs on this machine or its
// address has ?tls=none.
package mail

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"mime"
	"mime/quotedprintable"
	"net"
	netmail "net/mail"
	"net/smtp"
	"net/url"
	"strings"
	"time"
)

// timeout bounds the whole conversation with the server.
const timeout = 20 * time.Second

// Sender sends through one server.
type Sender struct {
	Now func() time.Time
	// TLS configures how the server's certificate is checked; nil means with the
	// machine's certificate authorities.
	TLS *tls.Config

	host     string
	address  string // with the port
	from     *netmail.Address
	user     string
	password string
	implicit bool // TLS from the first byte
	plain    bool // the operator accepts a server without TLS
}

// Message is a text to one person.
type Message struct {
	To      string // a bare address
	Subject string
	Text    string
}

// New makes a Sender from the server's address and the sender's.
func New(smtpURL, from string, now func() time.Time) (*Sender, error) {
	u, err := url.Parse(smtpURL)
	if err != nil || (u.Scheme != "smtp" && u.Scheme != "smtps") || u.Hostname() == "" || strings.Trim(u.Path, "/") != "" {
		return nil, errors.New("the SMTP address must look like smtp://user:password@mail.example.com:587") // without the text: it holds a password
	}
	sender, err := netmail.ParseAddress(from)
	if err != nil {
		return nil, fmt.Errorf("the sender must look like Conclave <meet@example.com>, not %q", from)
	}
	s := &Sender{Now: now, host: u.Hostname(), from: sender, implicit: u.Scheme == "smtps", plain: u.Query().Get("tls") == "none"}
	port := u.Port()
	if port == "" {
		port = "587"
		if s.implicit {
			port = "465"
		}
	}
	s.address = net.JoinHostPort(s.host, port)
	s.user = u.User.Username()
	s.password, _ = u.User.Password()
	return s, nil
}

// Send hands a message to the server. When it returns nil, the server has
// accepted the message.
func (s *Sender) Send(ctx context.Context, m Message) error {
	return s.with(ctx, func(client *smtp.Client) error { return s.deliver(client, m) })
}

// Check says whether the server would take messages: it connects and signs in.
func (s *Sender) Check(ctx context.Context) error {
	return s.with(ctx, func(client *smtp.Client) error {
		if err := client.Noop(); err != nil {
			return fmt.Errorf("ask the mail server %s: %w", s.address, err)
		}
		_ = client.Quit() // it has answered
		return nil
	})
}

// with connects to the server, signs in, and does something.
func (s *Sender) with(ctx context.Context, do func(*smtp.Client) error) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	conn, err := s.dial(ctx)
	if err != nil {
		return fmt.Errorf("reach the mail server %s: %w", s.address, err)
	}
	defer func() { _ = conn.Close() }()
	// net/smtp does not support contexts, so close the connection when ctx ends.
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	client, err := smtp.NewClient(conn, s.host)
	if err != nil {
		return fmt.Errorf("greet the mail server %s: %w", s.address, err)
	}
	if err := s.secure(client); err != nil {
		return err
	}
	return do(client)
}

// mostAnswers is how many bytes of the server's answers are read in a conversation, with
// TLS. A server's certificates have some kilobytes, and an answer some hundred bytes.
const mostAnswers = 1 << 20

// brief is a connection from which not much can be read. The library would read a line
// of any length into memory.
type brief struct {
	net.Conn

	left int
}

var errTalkative = errors.New("the mail server says too much")

// Read reads the next bytes of the answers.
func (b *brief) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTalkative
	}
	n, err := b.Conn.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err //nolint:wrapcheck // a connection's own error
}

func (s *Sender) dial(ctx context.Context) (net.Conn, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", s.address)
	if err != nil {
		return nil, err //nolint:wrapcheck // with wraps
	}
	conn = &brief{Conn: conn, left: mostAnswers}
	if !s.implicit {
		return conn, nil
	}
	secured := tls.Client(conn, s.tls())
	if err := secured.HandshakeContext(ctx); err != nil {
		_ = conn.Close()
		return nil, err //nolint:wrapcheck // as above
	}
	return secured, nil
}

func (s *Sender) tls() *tls.Config {
	c := s.TLS.Clone()
	if c == nil {
		c = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	if c.ServerName == "" {
		c.ServerName = s.host
	}
	return c
}

// secure switches to TLS and signs in.
func (s *Sender) secure(client *smtp.Client) error {
	if !s.implicit {
		offered, _ := client.Extension("STARTTLS")
		switch {
		case offered:
			if err := client.StartTLS(s.tls()); err != nil {
				return fmt.Errorf("encrypt the connection to the mail server: %w", err)
			}
		case !s.plain && !loopback(s.host):
			return errors.New("the mail server offers no STARTTLS; add ?tls=none to its address if the way there is safe")
		}
	}
	if s.user == "" {
		return nil
	}
	if err := client.Auth(accepted{smtp.PlainAuth("", s.user, s.password, s.host)}); err != nil {
		return fmt.Errorf("sign in at the mail server: %w", err)
	}
	return nil
}

// accepted signs in on a connection that secure has accepted. By itself, net/smtp
// sends no password without TLS, unless the server is on this machine.
type accepted struct{ smtp.Auth }

// Start begins to sign in.
func (a accepted) Start(server *smtp.ServerInfo) (mechanism string, first []byte, err error) {
	known := *server
	known.TLS = true
	return a.Auth.Start(&known) //nolint:wrapcheck // secure wraps
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func (s *Sender) deliver(client *smtp.Client, m Message) error {
	text, err := s.compose(m)
	if err != nil {
		return err
	}
	if err := client.Mail(s.from.Address); err != nil {
		return fmt.Errorf("name the sender to the mail server: %w", err)
	}
	if err := client.Rcpt(m.To); err != nil {
		return fmt.Errorf("name the recipient to the mail server: %w", err)
	}
	w, err := client.Data()
	if err != nil {
		return fmt.Errorf("begin the message: %w", err)
	}
	if _, err := w.Write(text); err != nil {
		return fmt.Errorf("send the message: %w", err)
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("end the message: %w", err)
	}
	_ = client.Quit() // the message has been accepted
	return nil
}

// compose writes a message in its Internet format (RFC 5322).
func (s *Sender) compose(m Message) ([]byte, error) {
	to, err := netmail.ParseAddress(m.To)
	if err != nil {
		return nil, fmt.Errorf("read the recipient's address: %w", err)
	}
	var unique [16]byte
	_, _ = rand.Read(unique[:])
	_, domain, _ := strings.Cut(s.from.Address, "@")
	var b bytes.Buffer
	for _, h := range [][2]string{
		{"From", s.from.String()},
		{"To", (&netmail.Address{Address: to.Address}).String()},
		{"Subject", mime.QEncoding.Encode("utf-8", m.Subject)},
		{"Date", s.Now().Format(time.RFC1123Z)},
		{"Message-ID", "<" + hex.EncodeToString(unique[:]) + "@" + domain + ">"},
		{"Auto-Submitted", "auto-generated"},
		{"MIME-Version", "1.0"},
		{"Content-Type", "text/plain; charset=utf-8"},
		{"Content-Transfer-Encoding", "quoted-printable"},
	} {
		fmt.Fprintf(&b, "%s: %s\r\n", h[0], h[1])
	}
	b.WriteString("\r\n")
	w := quotedprintable.NewWriter(&b)
	if _, err := w.Write([]byte(strings.ReplaceAll(m.Text, "\n", "\r\n"))); err != nil {
		return nil, fmt.Errorf("write the message: %w", err)
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("write the message: %w", err)
	}
	return b.Bytes(), nil
}
