package certtest

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/conclave-rooms/conclave/internal/tooltest"
)

// Options say how a certificate authority behaves.
type Options struct {
	TLSPort  int           // where it checks the challenge tls-alpn-01; 0: nobody answers
	HTTPPort int           // where it checks the challenge http-01; 0: nobody answers
	Refuse   []string      // names for which it refuses orders
	Validity time.Duration // of certificates; 0: 90 days
}

// Pebble is a certificate authority.
type Pebble struct {
	Directory string         // its address
	CAFile    string         // the root certificate of that address
	Trust     *x509.CertPool // the same
	Issued    *x509.CertPool // the root certificates of the certificates that it issues

	process *exec.Cmd

	mu     sync.Mutex
	orders int
}

// Start runs a certificate authority until the end of the test.
func Start(t testing.TB, o Options) *Pebble {
	t.Helper()
	p := &Pebble{}
	dir := t.TempDir()
	key := p.certify(t)
	ports := freePorts(t, 4)
	if o.TLSPort == 0 {
		o.TLSPort = ports[2]
	}
	if o.HTTPPort == 0 {
		o.HTTPPort = ports[3]
	}
	if o.Validity == 0 {
		o.Validity = 90 * 24 * time.Hour
	}
	own, management := fmt.Sprintf("127.0.0.1:%d", ports[0]), fmt.Sprintf("127.0.0.1:%d", ports[1])
	config, err := json.Marshal(map[string]any{"pebble": map[string]any{
		"listenAddress": own, "managementListenAddress": management, "certificate": p.CAFile, "privateKey": key,
		"httpPort": o.HTTPPort, "tlsPort": o.TLSPort, "domainBlocklist": o.Refuse, "keyAlgorithm": "ecdsa",
		"retryAfter": map[string]int{"authz": 1, "order": 1},
		"profiles":   map[string]any{"default": map[string]any{"description": "the only one", "validityPeriod": int(o.Validity.Seconds())}},
	}})
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "pebble.json"), config, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	p.run(t, filepath.Join(dir, "pebble.json"), nameServer(t))
	p.Directory = "https://" + own + "/dir"
	p.Issued = p.roots(t, "https://"+management+"/roots/0")
	return p
}

// run starts the program, and reads its log.
func (p *Pebble) run(t testing.TB, config, names string) {
	t.Helper()
	p.process = exec.CommandContext(t.Context(), tooltest.Path(t, "pebble"), "-config", config, "-dnsserver", names)
	p.process.Env = []string{"PEBBLE_VA_NOSLEEP=1", "PEBBLE_AUTHZREUSE=0"}
	p.process.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := p.process.StdoutPipe()
	if err == nil {
		err = p.process.Start()
	}
	if err != nil {
		t.Fatalf("start pebble: %v", err)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if strings.Contains(lines.Text(), "Added order ") {
				p.mu.Lock()
				p.orders++
				p.mu.Unlock()
			}
		}
	}()
	t.Cleanup(func() {
		p.Stop()
		<-read
		_ = p.process.Wait()
	})
}

// Stop ends the certificate authority.
func (p *Pebble) Stop() { _ = p.process.Process.Kill() }

// Orders is how many orders were made.
func (p *Pebble) Orders() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.orders
}

// roots asks for the authority's root certificates until there is an answer.
func (p *Pebble) roots(t testing.TB, address string) *x509.CertPool {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: p.Trust}}}
	defer client.CloseIdleConnections()
	deadline := time.Now().Add(30 * time.Second) // of another process
	for time.Now().Before(deadline) {
		text, err := read(t.Context(), client, address)
		if pool := x509.NewCertPool(); err == nil && pool.AppendCertsFromPEM(text) {
			return pool
		}
		time.Sleep(5 * time.Millisecond) // it listens soon
	}
	t.Fatal("pebble does not answer")
	return nil
}

func read(ctx context.Context, client *http.Client, address string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, err
	}
	res, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	return io.ReadAll(res.Body)
}

// certify makes the certificate of the authority's own address.
func (p *Pebble) certify(t testing.TB) (keyFile string) {
	t.Helper()
	own := Issue(t, ThisMachine(), nil)
	p.Trust = Trust(own)
	p.CAFile, keyFile = Files(t, own)
	return keyFile
}

// freePorts finds ports on which nobody listens.
func freePorts(t testing.TB, n int) (ports []int) {
	t.Helper()
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = l.Close() }() //nolint:gocritic // closed when all are found, so that they differ
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports
}

// nameServer answers that every name is at 127.0.0.1. Pebble asks over TCP, where
// two bytes with its length precede each message (RFC 1035, section 4.2.2).
func nameServer(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go answerNames(c)
		}
	}()
	return listener.Addr().String()
}

// answerNames answers the questions of one connection.
func answerNames(c net.Conn) {
	defer func() { _ = c.Close() }()
	for {
		var length uint16
		if binary.Read(c, binary.BigEndian, &length) != nil {
			return
		}
		question := make([]byte, length)
		if _, err := io.ReadFull(c, question); err != nil {
			return
		}
		answer, err := answerTo(question)
		if err != nil {
			return
		}
		packed := binary.BigEndian.AppendUint16(nil, uint16(len(answer)))
		if _, err := c.Write(append(packed, answer...)); err != nil {
			return
		}
	}
}

// answerTo is the answer to one question.
func answerTo(question []byte) ([]byte, error) {
	var m dnsmessage.Message
	if err := m.Unpack(question); err != nil {
		return nil, err
	}
	answer := dnsmessage.Message{Header: dnsmessage.Header{ID: m.ID, Response: true, RecursionAvailable: true}, Questions: m.Questions}
	for _, q := range m.Questions {
		if q.Type == dnsmessage.TypeA {
			answer.Answers = append(answer.Answers, dnsmessage.Resource{
				Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class},
				Body:   &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}},
			})
		}
	}
	return answer.Pack()
}
