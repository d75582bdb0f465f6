package config

import (
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// DefaultPublicURL is the public address when none is configured.
const DefaultPublicURL = "http://localhost:8080"

// Data says where the service keeps its data. Every command takes it.
type Data struct {
	Data        string `help:"Directory for the database, the master key and files." default:"./data" type:"path" placeholder:"DIR"`
	DatabaseURL string `help:"PostgreSQL instead of SQLite in the data directory: postgres://..." placeholder:"URL"`
	PublicURL   string `help:"Address under which people reach the service. Commands default to the address of the service's last start, and the service to the first of --acme-domains or the host of --listen (or localhost), with its port." placeholder:"URL"`
	MasterKey   string `help:"Master keys that seal secrets at rest, base64 of 32 bytes each, separated by commas; the first one seals. Default: master.key in the data directory, made on first start." placeholder:"KEYS"`
}

// Mail configures the mail server. The service takes it, and so do commands
// that invite people.
type Mail struct {
	SMTPURL  string `name:"smtp-url" help:"Mail server that sends invitations: smtp://user:password@mail.example.com:587 or smtps://...; default: none, and the person who invites gets the link." placeholder:"URL"`
	MailFrom string `help:"Sender of mails, such as Conclave <meet@example.com>." placeholder:"ADDRESS"`
}

// Calendars configures the calendar providers that people can connect.
type Calendars struct {
	GoogleClientID        string `name:"google-client-id" help:"OAuth client id of this service at Google, so that people can connect Google Calendar." placeholder:"ID"`
	GoogleClientSecret    string `name:"google-client-secret" help:"OAuth client secret of this service at Google." placeholder:"SECRET"`
	MicrosoftClientID     string `name:"microsoft-client-id" help:"Application (client) id of this service at Microsoft, so that people can connect Microsoft 365." placeholder:"ID"`
	MicrosoftClientSecret string `name:"microsoft-client-secret" help:"Client secret of this service at Microsoft." placeholder:"SECRET"`
	MicrosoftTenant       string `name:"microsoft-tenant" help:"Directory (tenant) whose people can connect Microsoft 365: its id or domain, or common for every account." default:"common" placeholder:"TENANT"`
	CalendarsAllowPrivate bool   `help:"Let people connect CalDAV servers at private addresses and over http, such as one in the same network."`
}

// fewestConnections is the fewest connections to the database that may be
// configured: enough for the background work and a few requests.
const fewestConnections = 5

// Check refuses what cannot work.
func (c Calendars) Check() error {
	if (c.GoogleClientID == "") != (c.GoogleClientSecret == "") {
		return errors.New("--google-client-id and --google-client-secret go together: Google gives both")
	}
	if (c.MicrosoftClientID == "") != (c.MicrosoftClientSecret == "") {
		return errors.New("--microsoft-client-id and --microsoft-client-secret go together: Microsoft gives both")
	}
	if c.MicrosoftClientID != "" && (c.MicrosoftTenant == "" || strings.ContainsAny(c.MicrosoftTenant, "/?#\\ ")) {
		return fmt.Errorf("--microsoft-tenant must be the id or the domain of a directory, or common, not %q", c.MicrosoftTenant)
	}
	return nil
}

// Listener says where the service listens. The health check takes it, too.
type Listener struct {
	Listen string `help:"Address on which the service listens, for everything but media." default:":8080" placeholder:"ADDRESS"`
}

// Serve holds all settings of conclave serve.
type Serve struct {
	Data
	Mail
	Listener

	TLSCert string `name:"tls-cert" help:"Certificate file (PEM, with its chain); TLS ends here. Read again when it changes." type:"path" placeholder:"FILE"`
	TLSKey  string `name:"tls-key" help:"Private key file of the certificate." type:"path" placeholder:"FILE"`

	ACME

	MetricsListen string   `help:"Address of its own for /metrics, with /healthz and /readyz; default: beside everything else, for this machine only." placeholder:"ADDRESS"`
	TrustedProxy  []string `help:"Networks of proxies that are believed when they name the client's address, such as 127.0.0.1/32: with X-Forwarded-For, or with --proxy-protocol." placeholder:"CIDR"`
	ProxyProtocol bool     `help:"Connections from --trusted-proxy begin with the client's address (PROXY protocol, version 1 or 2), because the proxies do not read what is inside."`
	FrameAncestor []string `help:"Origins that may show the meeting in a frame, such as https://app.example.com; * for all." placeholder:"ORIGIN"`

	DatabaseConnections int `help:"How many connections to PostgreSQL this node uses for its transactions." default:"20" placeholder:"NUMBER"`

	MediaURL       string `name:"media-url" help:"An external LiveKit server (wss://...) instead of the embedded one." placeholder:"URL"`
	MediaAPIKey    string `name:"media-api-key" help:"API key of the external LiveKit server." placeholder:"KEY"`
	MediaAPISecret string `name:"media-api-secret" help:"API secret of the external LiveKit server." placeholder:"SECRET"`
	MediaUDPPort   int    `name:"media-udp-port" help:"UDP port for media." default:"7882" placeholder:"PORT"`
	MediaTCPPort   int    `name:"media-tcp-port" help:"TCP port for media where UDP is blocked; 0 switches it off." default:"7881" placeholder:"PORT"`
	MediaNodeIP    string `name:"media-node-ip" help:"IP address at which people's devices reach the media ports; default: this machine's own." placeholder:"IP"`
	NodeName       string `help:"Name of this node among several, in conclave nodes list; default: the name of the machine and the port of --listen." placeholder:"NAME"`
	RedisURL       string `name:"redis-url" help:"Redis that makes embedded media servers of several nodes one cluster: redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE], or rediss:// with TLS; ?master=NAME if HOST is a sentinel." placeholder:"URL"`

	TURN

	BlobURL string `name:"blob-url" help:"S3 bucket for the parts of recordings: s3://BUCKET?region=REGION[&endpoint=https://HOST]; credentials come from the AWS environment variables. Default: files in the data directory." placeholder:"URL"`

	OIDCIssuer       string `name:"oidc-issuer" help:"OpenID Connect provider through which members can sign in, such as https://accounts.example.com." placeholder:"URL"`
	OIDCClientID     string `name:"oidc-client-id" help:"Client id of this service at the provider." placeholder:"ID"`
	OIDCClientSecret string `name:"oidc-client-secret" help:"Client secret of this service at the provider." placeholder:"SECRET"`

	Calendars

	WebhooksAllowPrivate bool `help:"Let webhooks go to private addresses and over http. For development only."`

	Traces

	RecordingMaxBytes           int64 `help:"How many bytes one recording may have; 0: any number." default:"53687091200" placeholder:"BYTES"`
	WorkspaceRecordingsMaxBytes int64 `help:"How many bytes the recordings of a workspace may have together; 0: any number." default:"0" placeholder:"BYTES"`

	RateLimits  string        `help:"on, off, or classes that differ from the defaults, such as tokens=1200/1m,webhook_test=off." default:"on" placeholder:"LIMITS"`
	StopTimeout time.Duration `help:"How long a stop may take." default:"10s"`
	DrainDelay  time.Duration `help:"How long after SIGTERM the service goes on as before, except that /readyz says that it stops, so that a balancer notices; 0: not at all; default: 5s with --redis-url or --media-url, otherwise 0." default:"-1s" placeholder:"DURATION"`
	LogFormat   string        `help:"text or json." enum:"text,json" default:"text"`
	LogLevel    string        `help:"debug, info, warn or error." enum:"debug,info,warn,error" default:"info"`
}

// Check refuses what cannot work. It also spells the public address as browsers spell it
// (checkPublicURL).
func (d *Data) Check() error {
	if err := d.checkPublicURL(); err != nil {
		return err
	}
	if d.DatabaseURL != "" {
		_, err := url.Parse(d.DatabaseURL)
		switch { // without the text: it holds a password
		case !strings.HasPrefix(d.DatabaseURL, "postgres://") && !strings.HasPrefix(d.DatabaseURL, "postgresql://"):
			return errors.New("--database-url must begin with postgres://; leave it out for SQLite")
		case err != nil:
			return errors.New("--database-url cannot be read: it must look like postgres://USER:PASSWORD@HOST:5432/NAME, and a password's %, /, @, : and ? are written %25, %2F, %40, %3A and %3F")
		}
	}
	return nil
}

// checkPublicURL spells the public address as browsers spell an origin, because it is
// compared with what they send: in lower case, and without the usual port.
func (d *Data) checkPublicURL() error {
	if d.PublicURL == "" {
		return nil
	}
	u, err := url.Parse(strings.TrimRight(d.PublicURL, "/"))
	if err != nil || u.User != nil {
		return errors.New("--public-url must be an address without a path, a user name or a password, such as https://meet.example.com") // without the text: it may hold a password
	}
	port := u.Port()
	if port != "" {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	host, hostErr := publicHost(u.Hostname())
	if err != nil || hostErr != nil || host == "" || (u.Scheme != "http" && u.Scheme != "https") || u.Path != "" || u.RawQuery != "" || u.Fragment != "" {
		return fmt.Errorf("--public-url must be an address without a path, such as https://meet.example.com, not %q", d.PublicURL)
	}
	d.PublicURL = u.Scheme + "://" + host
	if usual := map[string]string{"http": "80", "https": "443"}[u.Scheme]; port != "" && port != usual {
		d.PublicURL += ":" + port
	}
	return nil
}

// publicHost spells a name or an address as it stands in the address bar of a browser.
func publicHost(host string) (string, error) {
	ip, err := netip.ParseAddr(host)
	switch {
	case err != nil:
	case ip.Zone() != "":
		return "", errors.New("browsers take no address with a zone")
	case ip.Is6():
		return "[" + ip.String() + "]", nil
	default:
		return ip.String(), nil
	}
	name := strings.ToLower(host)
	if strings.IndexFunc(name, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return name, nil
	}
	return idna.Lookup.ToASCII(name) //nolint:wrapcheck // the caller says what is wrong
}

// Check refuses what cannot work.
func (m Mail) Check() error {
	if m.SMTPURL == "" {
		return nil
	}
	u, err := url.Parse(m.SMTPURL)
	if err != nil || (u.Scheme != "smtp" && u.Scheme != "smtps") || u.Hostname() == "" {
		return errors.New("--smtp-url must look like smtp://user:password@mail.example.com:587") // without the text: it holds a password
	}
	if _, err := mail.ParseAddress(m.MailFrom); err != nil {
		return fmt.Errorf("--smtp-url needs --mail-from with the sender's address, such as Conclave <meet@example.com>, not %q", m.MailFrom)
	}
	return nil
}

// ownURL is the default public address of a service: the one it listens on, as
// reached from this machine.
func (s *Serve) ownURL() string {
	host, port, err := net.SplitHostPort(s.Listen)
	if err != nil || port == "0" {
		return DefaultPublicURL
	}
	if len(s.ACMEDomains) > 0 {
		host = s.ACMEDomains[0]
	}
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && (ip.IsUnspecified() || ip.IsLoopback()) {
		host = "localhost" // a name for which browsers allow the camera without TLS
	}
	scheme, usual := "http", "80"
	if s.EndsTLS() {
		scheme, usual = "https", "443"
	}
	if port == usual {
		if strings.Contains(host, ":") {
			host = "[" + host + "]"
		}
		return scheme + "://" + host
	}
	return scheme + "://" + net.JoinHostPort(host, port)
}

// balancerNotices is how long a balancer takes at most to notice that a node is
// not ready: the documented ones ask every second or two.
const balancerNotices = 5 * time.Second

// usualDrainDelay is how long a stopping node goes on answering, unless the
// settings say otherwise: zero for a service of one node, because no balancer
// could send people elsewhere.
func (s *Serve) usualDrainDelay() time.Duration {
	if s.RedisURL == "" && s.MediaURL == "" {
		return 0
	}
	return balancerNotices
}

// Check refuses what cannot work.
func (s *Serve) Check() error {
	for i, name := range s.ACMEDomains {
		s.ACMEDomains[i] = strings.ToLower(strings.TrimSpace(name))
	}
	if s.PublicURL == "" {
		s.PublicURL = s.ownURL()
	}
	if err := errors.Join(s.Data.Check(), s.Mail.Check(), s.Calendars.Check(), s.Traces.Check(), s.checkOIDC(), s.checkBlob()); err != nil {
		return err
	}
	if err := s.checkListeners(); err != nil {
		return err
	}
	if (s.TLSCert == "") != (s.TLSKey == "") {
		return errors.New("--tls-cert and --tls-key go together: TLS needs a certificate and its key")
	}
	if s.RecordingMaxBytes < 0 || s.WorkspaceRecordingsMaxBytes < 0 {
		return errors.New("--recording-max-bytes and --workspace-recordings-max-bytes must be numbers of bytes, or 0 for no limit")
	}
	if s.DatabaseConnections != 0 && s.DatabaseConnections < fewestConnections {
		return fmt.Errorf("--database-connections must be at least %d, not %d", fewestConnections, s.DatabaseConnections)
	}
	if s.StopTimeout <= 0 {
		return errors.New("--stop-timeout must be longer than 0")
	}
	if s.DrainDelay < 0 {
		s.DrainDelay = s.usualDrainDelay()
	}
	if err := s.checkProxies(); err != nil {
		return err
	}
	for _, origin := range s.FrameAncestor {
		u, err := url.Parse(origin)
		if origin != "*" && (err != nil || u.Scheme == "" || u.Host == "" || u.Path != "" || strings.ContainsAny(origin, "; ,")) {
			return fmt.Errorf("--frame-ancestor must be an origin such as https://app.example.com, not %q", origin)
		}
	}
	return errors.Join(s.checkMedia(), s.checkTURN(), s.checkACME())
}

func (s *Serve) checkListeners() error {
	for flag, address := range map[string]string{"--listen": s.Listen, "--metrics-listen": s.MetricsListen, "--http-listen": s.HTTPListen} {
		if address == "" {
			continue
		}
		if _, port, err := net.SplitHostPort(address); err != nil || port == "" {
			return fmt.Errorf("%s must be an address with a port, such as :8080, not %q", flag, address)
		}
	}
	return nil
}

func (s *Serve) checkProxies() error {
	for _, network := range s.TrustedProxy {
		prefix, err := netip.ParsePrefix(network)
		if err != nil || prefix.Addr().Is4In6() { // connections from such a network show IPv4 addresses
			return fmt.Errorf("--trusted-proxy must be a network such as 10.0.0.0/8 or fd00::/8, not %q", network)
		}
	}
	if s.ProxyProtocol && len(s.TrustedProxy) == 0 {
		return errors.New("--proxy-protocol needs --trusted-proxy: only these proxies are believed")
	}
	return nil
}

func (s *Serve) checkOIDC() error {
	if s.OIDCIssuer == "" {
		return nil
	}
	u, err := url.Parse(s.OIDCIssuer)
	if err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http") {
		return fmt.Errorf("--oidc-issuer must be the provider's address, such as https://accounts.example.com, not %q", s.OIDCIssuer)
	}
	if s.OIDCClientID == "" || s.OIDCClientSecret == "" {
		return errors.New("--oidc-issuer needs --oidc-client-id and --oidc-client-secret, which the provider gave you")
	}
	return nil
}

func (s *Serve) checkMedia() error {
	for flag, port := range map[string]int{"--media-udp-port": s.MediaUDPPort, "--media-tcp-port": s.MediaTCPPort} {
		if port < 0 || port > 65535 {
			return fmt.Errorf("%s must be a port, not %d", flag, port)
		}
	}
	if s.MediaNodeIP != "" && net.ParseIP(s.MediaNodeIP) == nil {
		return fmt.Errorf("--media-node-ip must be an IP address, not %q", s.MediaNodeIP)
	}
	if s.MediaURL != "" {
		u, err := url.Parse(s.MediaURL)
		if err != nil || u.Host == "" || (u.Scheme != "ws" && u.Scheme != "wss") {
			return fmt.Errorf("--media-url must begin with wss:// or ws://, not %q", s.MediaURL)
		}
		if s.MediaAPIKey == "" || s.MediaAPISecret == "" {
			return errors.New("--media-url needs --media-api-key and --media-api-secret of that LiveKit server")
		}
	}
	if s.RedisURL != "" {
		if _, err := ParseRedis(s.RedisURL); err != nil {
			return err
		}
	}
	return nil
}
