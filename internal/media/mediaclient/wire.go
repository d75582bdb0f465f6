package mediaclient

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/url"
	"sync"

	"github.com/gorilla/websocket"
)

// wire forwards, on loopback, between a participant and the signalling address.
// It can be cut: it then carries nothing and closes nothing, like a network that
// is gone.
type wire struct {
	address  string // the address to connect to instead
	target   string
	secure   *tls.Config // of a wss:// address
	listener net.Listener
	mu       sync.Mutex
	cut      bool
	conns    []net.Conn
}

// noWire stands for a connection without a forwarder, which cannot be cut.
func noWire(address string, trust *x509.CertPool) *wire {
	return &wire{address: address, secure: &tls.Config{RootCAs: trust, MinVersion: tls.VersionTLS12}}
}

// newWire starts a forwarder to a ws:// or http:// address, or to a wss:// address
// whose certificate is trusted.
func newWire(ctx context.Context, address string, trust *x509.CertPool) (*wire, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("lay a wire: %w", err)
	}
	w, usual := &wire{target: u.Host}, "80"
	switch u.Scheme {
	case "wss":
		w.secure, usual = &tls.Config{RootCAs: trust, ServerName: u.Hostname(), MinVersion: tls.VersionTLS12}, "443"
	case "ws", "http":
	default:
		return nil, fmt.Errorf("lay a wire: %s is not the address of a media server", address)
	}
	if u.Port() == "" {
		w.target = net.JoinHostPort(u.Hostname(), usual)
	}
	if w.listener, err = (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0"); err != nil {
		return nil, fmt.Errorf("lay a wire: %w", err)
	}
	u.Host = w.listener.Addr().String()
	w.address = u.String()
	go w.accept() //nolint:gosec // it lasts as long as the listener
	return w, nil
}

// dialer connects through the wire.
func (w *wire) dialer() *websocket.Dialer {
	return &websocket.Dialer{HandshakeTimeout: websocket.DefaultDialer.HandshakeTimeout, TLSClientConfig: w.secure}
}

func (w *wire) accept() {
	for {
		here, err := w.listener.Accept()
		if err != nil {
			return
		}
		there, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", w.target)
		if err != nil {
			_ = here.Close()
			continue
		}
		if !w.keep(here, there) {
			continue // held open, and never served
		}
		go w.carry(here, there)
		go w.carry(there, here)
	}
}

// keep keeps both ends, and says whether the wire still carries anything.
func (w *wire) keep(conns ...net.Conn) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.conns = append(w.conns, conns...)
	return !w.cut
}

func (w *wire) isCut() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.cut
}

func (w *wire) carry(from, to net.Conn) {
	_, _ = io.Copy(severable{w, to}, from)
	if !w.isCut() {
		_ = to.Close()
	}
}

// severable swallows what is written to a wire that is cut.
type severable struct {
	wire *wire
	to   io.Writer
}

func (s severable) Write(p []byte) (int, error) {
	if s.wire.isCut() {
		return len(p), nil
	}
	return s.to.Write(p)
}

// sever cuts the wire without a word to either side.
func (w *wire) sever() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut = true
}

// remove closes the wire for good. Data under way arrives: one side closes, and
// the forwarders close the other. On a wire that is cut nothing closes by
// itself.
func (w *wire) remove() {
	if w.listener != nil {
		_ = w.listener.Close()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.cut {
		return
	}
	for _, c := range w.conns {
		_ = c.Close()
	}
}
