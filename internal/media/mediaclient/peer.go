package mediaclient

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/livekit/protocol/livekit"
	"github.com/livekit/protocol/signalling"
	"github.com/pion/interceptor"
	"github.com/pion/webrtc/v4"
)

// peer is one of the two media connections: one for what is published, one for
// what is subscribed to.
type peer struct {
	*webrtc.PeerConnection
	target livekit.SignalTarget
	early  []webrtc.ICECandidateInit // candidates that came before the description
	up     chan struct{}             // closed when the connection is up
	tap    *tap
}

// network is what a connection may use.
type network struct {
	tcp   bool           // only TCP
	trust *x509.CertPool // the root certificates of TURN servers
}

// Dial connects to a TURN server over TLS. By itself the library trusts only the
// system's certificates, but it takes a dialer.
func (n network) Dial(protocol, address string) (net.Conn, error) {
	dialer := &tls.Dialer{NetDialer: &net.Dialer{Timeout: 5 * time.Second}, Config: &tls.Config{RootCAs: n.trust, MinVersion: tls.VersionTLS12}}
	return dialer.Dial(protocol, address)
}

// newPeer makes a connection.
func newPeer(target livekit.SignalTarget, on network, send func(*livekit.SignalRequest) error) (*peer, error) {
	var setting webrtc.SettingEngine
	if on.tcp {
		setting.SetNetworkTypes([]webrtc.NetworkType{webrtc.NetworkTypeTCP4})
	}
	setting.SetICEProxyDialer(on)
	setting.SetIncludeLoopbackCandidate(true)
	codecs := &webrtc.MediaEngine{}
	if err := codecs.RegisterDefaultCodecs(); err != nil {
		return nil, fmt.Errorf("register codecs: %w", err)
	}
	tap, registry := &tap{}, &interceptor.Registry{}
	registry.Add(tap)
	pc, err := webrtc.NewAPI(webrtc.WithSettingEngine(setting), webrtc.WithMediaEngine(codecs), webrtc.WithInterceptorRegistry(registry)).
		NewPeerConnection(webrtc.Configuration{})
	if err != nil {
		return nil, fmt.Errorf("make media connection: %w", err)
	}
	p := &peer{PeerConnection: pc, target: target, up: make(chan struct{}), tap: tap}
	var once sync.Once
	pc.OnConnectionStateChange(func(state webrtc.PeerConnectionState) {
		if state == webrtc.PeerConnectionStateConnected {
			once.Do(func() { close(p.up) })
		}
	})
	pc.OnICECandidate(func(c *webrtc.ICECandidate) {
		if c != nil { // the reader notices a socket that fails
			_ = send(&livekit.SignalRequest{Message: &livekit.SignalRequest_Trickle{
				Trickle: signalling.ToProtoTrickle(c.ToJSON(), target, false),
			}})
		}
	})
	return p, nil
}

// describe sets the other side's description and the candidates that came
// before it. Only one goroutine calls it and candidate.
func (p *peer) describe(sd *livekit.SessionDescription) error {
	description, _, _ := signalling.FromProtoSessionDescription(sd)
	if err := p.SetRemoteDescription(description); err != nil {
		return fmt.Errorf("take description: %w", err)
	}
	for _, candidate := range p.early {
		if err := p.AddICECandidate(candidate); err != nil {
			return fmt.Errorf("add candidate: %w", err)
		}
	}
	p.early = nil
	return nil
}

func (p *peer) candidate(trickle *livekit.TrickleRequest) error {
	candidate, err := signalling.FromProtoTrickle(trickle)
	if err != nil {
		return fmt.Errorf("read candidate: %w", err)
	}
	if p.RemoteDescription() == nil {
		p.early = append(p.early, candidate)
		return nil
	}
	return p.AddICECandidate(candidate)
}

// answer answers an offer.
func (p *peer) answer(offer *livekit.SessionDescription) (*livekit.SessionDescription, error) {
	if err := p.describe(offer); err != nil {
		return nil, err
	}
	answer, err := p.CreateAnswer(nil)
	if err != nil {
		return nil, fmt.Errorf("make answer: %w", err)
	}
	if err := p.SetLocalDescription(answer); err != nil {
		return nil, fmt.Errorf("take own answer: %w", err)
	}
	return signalling.ToProtoSessionDescription(answer, offer.Id, nil), nil
}

// TURN is how a participant uses TURN servers.
type TURN int

// The ways to use TURN servers.
const (
	NoTURN TURN = iota
	AlsoTURN
	OnlyTURNOverUDP // and no direct way
	OnlyTURNOverTLS // and no direct way
)

// takes says whether it uses the TURN server at an address (RFC 7065).
func (t TURN) takes(address string) bool {
	isTLS := strings.HasPrefix(address, "turns:")
	return t == AlsoTURN || isTLS == (t == OnlyTURNOverTLS)
}

// useRelays gives the connection its TURN servers.
func (p *peer) useRelays(servers []*livekit.ICEServer, use TURN) error {
	var c webrtc.Configuration
	if use == OnlyTURNOverUDP || use == OnlyTURNOverTLS {
		c.ICETransportPolicy = webrtc.ICETransportPolicyRelay
	}
	for _, s := range servers {
		addresses := slices.DeleteFunc(slices.Clone(s.Urls), func(address string) bool { return !use.takes(address) })
		if s.Username != "" && len(addresses) > 0 { // those without a name are STUN servers
			c.ICEServers = append(c.ICEServers, webrtc.ICEServer{URLs: addresses, Username: s.Username, Credential: s.Credential})
		}
	}
	if err := p.SetConfiguration(c); err != nil {
		return fmt.Errorf("use TURN servers: %w", err)
	}
	return nil
}

// transport is the protocol of the connection, "" when there is none.
func (p *peer) transport() string {
	pair, err := p.SCTP().Transport().ICETransport().GetSelectedCandidatePair()
	if err != nil || pair == nil {
		return ""
	}
	if pair.Local.Typ == webrtc.ICECandidateTypeRelay {
		return "relay"
	}
	return pair.Remote.Protocol.String()
}

// closingTime is how long the end of a participant waits for one of its media
// connections to close. They close within milliseconds, or never.
const closingTime = 2 * time.Second

// end closes the connection, and gives up after closingTime. Close can hang: when a
// packet of a new stream arrives while the layers below close, the library accepts
// no more streams, its reader of packets waits for that for ever, and Close waits
// for the reader.
func (p *peer) end() {
	closed := make(chan struct{})
	go func() {
		_ = p.Close()
		close(closed)
	}()
	select {
	case <-closed:
	case <-time.After(closingTime):
	}
}

// cut takes the network away from the connection. It stops the layer below, so
// that DTLS cannot say that it closes.
func (p *peer) cut() { _ = p.SCTP().Transport().ICETransport().Stop() }
