package config

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
)

// TURN configures the ways to the media server from networks that let little
// through.
type TURN struct {
	TURNTLS     string `name:"turn-tls" help:"Whether devices on a network that passes only HTTPS send media through the port of --public-url: on, off, or auto, which is on where TLS ends in the service. On also works behind a proxy that takes TLS off and passes on whatever is inside." enum:"auto,on,off" default:"auto"`
	TURNUDPPort int    `name:"turn-udp-port" help:"Another UDP port through which devices can send media, such as 443 or 3478, where a network blocks --media-udp-port; 0: none." default:"0" placeholder:"PORT"`
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
	if refusedByBrowsers(s.TURNUDPPort) {
		return fmt.Errorf("--turn-udp-port must not be %d: browsers refuse to use this port, and nobody could join with Firefox", s.TURNUDPPort)
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

// refusedByBrowsers says whether browsers block a port, because other services live
// there (the Fetch Standard, section "Port blocking"). Firefox refuses to make a
// connection that names a TURN server at such a port, except at 53.
func refusedByBrowsers(port int) bool {
	return slices.Contains([]int{
		1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110, 111,
		113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540,
		548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000,
		6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
	}, port)
}
