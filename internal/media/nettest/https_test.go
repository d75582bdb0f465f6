package nettest

import (
	"context"
	"crypto/ed25519"
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/media"
	"github.com/conclave-rooms/conclave/internal/media/livekit"
	"github.com/conclave-rooms/conclave/internal/media/mediaclient"
	"github.com/conclave-rooms/conclave/internal/media/mediatest"
	"github.com/conclave-rooms/conclave/internal/media/turn"
)

const securedSide = "192.0.2.1:443"

// Two people on a network that lets only HTTPS through meet by TURN over TLS, before
// they would give up.
func TestMeetOverHTTPSOnly(t *testing.T) {
	t.Parallel()
	switch os.Getenv(role) {
	case "server":
		serveSecured(t)
	case "people":
		meetOverHTTPS(t)
	default:
		server, people := newNamespace(t), newNamespace(t)
		link(t, server, "192.0.2.1/24", people, "192.0.2.2/24")
		people.run(t, "nft", "add table inet test; add chain inet test out { type filter hook output priority 0; policy drop; }; "+
			"add rule inet test out oifname lo accept; add rule inet test out tcp dport 443 accept; add rule inet test out meta l4proto { icmp, ipv6-icmp } accept")
		server.startTest(t, "server")
		people.runTest(t, "people")
	}
}

// certificate is the server's. Both sides make it, and get the same one.
func certificate(t *testing.T) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	private := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Unix(0, 0), NotAfter: time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC),
		IsCA: true, BasicConstraintsValid: true, IPAddresses: []net.IP{net.ParseIP("192.0.2.1")},
	}
	raw, err := x509.CreateCertificate(nil, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(raw)
	if err != nil {
		t.Fatal(err)
	}
	trust := x509.NewCertPool()
	trust.AddCert(parsed)
	return tls.Certificate{Certificate: [][]byte{raw}, PrivateKey: private}, trust
}

func serveSecured(t *testing.T) {
	server, err := livekit.Embed(t.Context(), livekit.EmbedConfig{
		APIKey: testKey, APISecret: testSecret, NodeIP: "192.0.2.1", TCPPort: 7881, Logger: slog.New(slog.DiscardHandler),
		TURN: livekit.TURN{TLSHost: "192.0.2.1", TLSPort: 443},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := server.EnsureRoom(t.Context(), "r"); err != nil {
		t.Fatal(err)
	}
	public, local := server.Address()
	relays, err := turn.New(turn.Config{
		Secret: server.TURNSecret(), Own: turn.Peer{Public: public, Local: local}, Now: time.Now, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	own, _ := certificate(t)
	listener, err := tls.Listen("tcp", securedSide, &tls.Config{Certificates: []tls.Certificate{own}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}})
	if err != nil {
		t.Fatal(err)
	}
	web, others := turn.Split(listener)
	if err := relays.Serve(others); err != nil {
		t.Fatal(err)
	}
	front := &http.Server{Handler: openGate(server)}
	go func() { _ = front.Serve(web) }()
	serve()
	_ = front.Close()
	_ = relays.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = server.Stop(ctx)
}

func meetOverHTTPS(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, trust := certificate(t)
	minter, err := livekit.Connect("wss://"+securedSide, testKey, testSecret, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	people := map[string]*mediaclient.Participant{}
	for _, name := range []string{"ada", "ben"} {
		token, err := minter.MintToken(media.Grant{
			Room: "r", Identity: name, TTL: time.Minute, PublishSources: []media.Source{media.Microphone},
		})
		if err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		people[name] = mediatest.Join(t, mediaclient.Options{
			URL: "wss://" + securedSide, Token: token, Passphrase: "the passphrase", TURN: mediaclient.AlsoTURN, Trust: trust,
		})
		if took := time.Since(begin); took > 5*time.Second {
			t.Errorf("%s is connected after %s, want at most 5 s", name, took)
		} else {
			t.Logf("%s is connected after %s", name, took)
		}
		if _, err := people[name].Publish(ctx, media.Microphone); err != nil {
			t.Fatal(err)
		}
	}
	for name, other := range map[string]string{"ada": "ben", "ben": "ada"} {
		if err := people[other].WaitFrames(ctx, name, media.Microphone, 50); err != nil {
			t.Error(err)
		}
		if used, err := people[name].Transport(); err != nil || used != "relay" {
			t.Errorf("%s's media takes %q, %v; want relay", name, used, err)
		}
	}
}
