package config

import (
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/idna"
)

// ACME configures the certificates that the service gets by itself, and the
// listener that leads people to HTTPS.
type ACME struct {
	ACMEDomains   []string `name:"acme-domains" help:"Names for which the service gets certificates by itself, by ACME, instead of --tls-cert, such as meet.example.com; TLS ends here. By this you accept the terms of the certificate authority." placeholder:"NAME"`
	ACMEEmail     string   `name:"acme-email" help:"E-mail address to which the certificate authority may write." placeholder:"ADDRESS"`
	ACMEDirectory string   `name:"acme-directory" help:"Directory of the certificate authority." default:"https://acme-v02.api.letsencrypt.org/directory" placeholder:"URL"`
	ACMECAFile    string   `name:"acme-ca-file" help:"Root certificates (PEM) that vouch for --acme-directory, where that is a server of your own; default: those that the machine trusts." type:"path" placeholder:"FILE"`
	HTTPListen    string   `name:"http-listen" help:"Address for HTTP without TLS, such as :80. It redirects people to HTTPS and answers the certificate authority; default: none." placeholder:"ADDRESS"`
}

// PublicHost is the name in the public address.
func (d *Data) PublicHost() string {
	u, err := url.Parse(d.PublicURL)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

func (s *Serve) checkACME() error {
	if s.HTTPListen != "" && !s.EndsTLS() {
		return errors.New("--http-listen leads people to HTTPS, which needs --acme-domains or --tls-cert")
	}
	if len(s.ACMEDomains) == 0 {
		return nil
	}
	if s.TLSCert != "" {
		return errors.New("--acme-domains and --tls-cert exclude each other: the certificate comes from one or the other")
	}
	for _, name := range s.ACMEDomains {
		if ascii, err := idna.Lookup.ToASCII(name); err != nil || ascii != name || !strings.Contains(name, ".") || net.ParseIP(name) != nil {
			return fmt.Errorf("--acme-domains must be names such as meet.example.com, international ones as xn--..., not %q", name)
		}
	}
	if !slices.Contains(s.ACMEDomains, strings.ToLower(s.PublicHost())) || !strings.HasPrefix(s.PublicURL, "https:") {
		return fmt.Errorf("--public-url must be an https address with one of the names in --acme-domains, not %q", s.PublicURL)
	}
	if _, err := mail.ParseAddress(s.ACMEEmail); s.ACMEEmail != "" && err != nil {
		return fmt.Errorf("--acme-email must be an e-mail address, not %q", s.ACMEEmail)
	}
	if u, err := url.Parse(s.ACMEDirectory); err != nil || u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("--acme-directory must be an https address, not %q", s.ACMEDirectory)
	}
	return nil
}
