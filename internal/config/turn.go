package config

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
)

// TURN configures the ways to the media server from networks that let little
// through.
type TURN struct {
	TURNTLS     string `name:"turn-tls" help:"Whether devices on a network that passes only HTTPS send media through the port of --public-url: on, off, or auto, which is on where TLS ends in the service. On also works behind a proxy that takes TLS off and passes on whatever is inside." enum:"auto,on,off" default:"auto" env:"CONCLAVE_TURN_TLS"`
	TURNUDPPort int    `name:"turn-udp-port" help:"Another UDP port through which devices can send media, such as 443 or 3478, where a network blocks --media-udp-port; 0: none." default:"0" env:"CONCLAVE_TURN_UDP_PORT" placeholder:"PORT"`
}

// TURNAddress is the host and port at which devices reach TURN over TLS; the host
// is empty if they do not.
func (s *Serve) TURNAddress() (host string, port int) {
	u, err := url.Parse(s.PublicURL)
	if err != nil || u.Scheme != "https" || s.MediaURL != "" || s.TURNTLS == "off" || s.TURNTLS != "on" && !s.EndsTLS() {
		return "", 0
	}
	port = 443
	if u.Port() != "" {
		port, err = strconv.Atoi(u.Port())
	}
	if err != nil {
		return "", 0
	}
	return u.Hostname(), port
}

// EndsTLS says whether connections arrive at the service with TLS.
func (s *Serve) EndsTLS() bool { return s.TLSCert != "" || len(s.ACMEDomains) > 0 }

// PassedOnUnread says whether a proxy takes off TLS and passes on whatever is
// inside. Then strangers' requests look as if the proxy itself had made them.
func (s *Serve) PassedOnUnread() bool { return s.TURNTLS == "on" && !s.EndsTLS() }

func (s *Serve) checkTURN() error {
	if s.TURNUDPPort < 0 || s.TURNUDPPort > 65535 {
		return fmt.Errorf("--turn-udp-port must be a port, not %d", s.TURNUDPPort)
	}
	if s.TURNUDPPort != 0 && s.TURNUDPPort == s.MediaUDPPort {
		return errors.New("--turn-udp-port must be another port than --media-udp-port")
	}
	if s.MediaURL != "" && (s.TURNTLS == "on" || s.TURNUDPPort != 0) {
		return errors.New("--turn-tls and --turn-udp-port are for the embedded media server; the one at --media-url has a TURN server of its own")
	}
	if host, _ := s.TURNAddress(); s.TURNTLS == "on" && host == "" {
		return errors.New("--turn-tls on needs an https address in --public-url")
	}
	return nil
}
