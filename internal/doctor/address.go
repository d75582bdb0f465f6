package doctor

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
)

// public is the address of the service, in parts.
func (o *Options) public() (host, port string, secure bool) {
	u, err := url.Parse(o.Config.PublicURL)
	if err != nil {
		return "", "", false // settings have failed
	}
	secure = u.Scheme == "https"
	port = u.Port()
	if port == "" {
		port = map[bool]string{true: "443", false: "80"}[secure]
	}
	return u.Hostname(), port, secure
}

// nameLeads says where the name of the service leads.
func nameLeads(ctx context.Context, o *Options) Finding {
	host, _, _ := o.public()
	found, err := net.DefaultResolver.LookupHost(ctx, host)
	if err != nil {
		return failed("Add an A or AAAA record for the name of --public-url, and wait until it is known.", "The name %s leads nowhere: %v.", host, err)
	}
	leads := strings.Join(found, ", ")
	own := ownAddresses()
	own = append(own, o.Config.MediaNodeIP)
	if slices.ContainsFunc(found, func(address string) bool { return slices.Contains(own, address) }) {
		return ok("The name %s leads to this machine (%s).", host, leads)
	}
	return warning("That is right where a balancer, a proxy or a NAT stands there; otherwise change the name's record.", "The name %s leads to %s, which is not an address of this machine.", host, leads)
}

// ownAddresses are this machine's.
func ownAddresses() (all []string) {
	interfaces, err := net.InterfaceAddrs()
	if err != nil {
		return nil
	}
	for _, a := range interfaces {
		if prefix, err := netip.ParsePrefix(a.String()); err == nil {
			all = append(all, prefix.Addr().String())
		}
	}
	return all
}

// askHere asks the service on this machine whether it is ready.
func (o *Options) askHere(ctx context.Context) (answer, error) {
	host, port, err := net.SplitHostPort(o.Config.Listen)
	if err != nil {
		return answer{}, fmt.Errorf("read --listen: %w", err)
	}
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
		host = "localhost"
	}
	scheme := map[bool]string{true: "https", false: "http"}[o.Config.EndsTLS()]
	name, _, _ := o.public()
	// This request does not leave the machine, and the certificate is for the public name.
	client := &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{
		TLSClientConfig:   &tls.Config{ServerName: name, InsecureSkipVerify: true, MinVersion: tls.VersionTLS12}, //nolint:gosec // see above
		DisableKeepAlives: true,
	}}
	return get(ctx, client, scheme+"://"+net.JoinHostPort(host, port)+"/readyz")
}

// serviceHere says whether the service answers on this machine or, if it does
// not run, could listen.
func serviceHere(ctx context.Context, o *Options) Finding {
	res, err := o.askHere(ctx)
	if err == nil {
		return readiness(res, "The service on this machine")
	}
	listener, listens := (&net.ListenConfig{}).Listen(ctx, "tcp", o.Config.Listen)
	if listens != nil {
		return failed(portAdvice(listens, "--listen"), "No Conclave answers at %s (%v), and a service could not listen there: %v.", o.Config.Listen, err, listens)
	}
	_ = listener.Close()
	return warning("Start it with conclave serve. If it runs on another machine, ignore this.", "No service runs on this machine; the port of %s is free.", o.Config.Listen)
}

// answer is the answer of a service.
type answer struct {
	status int
	body   string
	header http.Header
}

func get(ctx context.Context, client *http.Client, address string) (answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return answer{}, fmt.Errorf("ask %s: %w", address, err)
	}
	res, err := client.Do(req)
	if err != nil {
		return answer{}, fmt.Errorf("ask: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(res.Body, 64<<10))
	return answer{res.StatusCode, string(body), res.Header}, err
}

// readiness reads the answer of /readyz.
func readiness(a answer, who string) Finding {
	var h struct {
		Status string
		Parts  map[string]string
	}
	if err := json.Unmarshal([]byte(a.body), &h); err != nil || h.Status == "" {
		return failed("Another program answers there, or a proxy that does not pass requests on: compare its settings with docs/how-to/run-on-a-public-host.md.",
			"%s answers /readyz with %d, and not as Conclave does.", who, a.status)
	}
	var wrong []string
	for part, state := range h.Parts {
		if state != "ok" {
			wrong = append(wrong, part+" "+state)
		}
	}
	slices.Sort(wrong)
	switch {
	case h.Status == "ok" && len(wrong) == 0:
		return ok("%s answers, and is ready.", who)
	case h.Status == "ok":
		return warning("The log of the service says more.", "%s is ready, but: %s.", who, strings.Join(wrong, ", "))
	case len(wrong) == 0:
		return warning("It takes no new people for the moment: it stops, or an operator drains it.", "%s is %s.", who, h.Status)
	}
	return failed("The log of the service says why.", "%s is not ready: %s.", who, strings.Join(wrong, ", "))
}

// publicAddress asks the service as people's browsers do.
func publicAddress(ctx context.Context, o *Options) Finding {
	a, err := get(ctx, o.client(), o.Config.PublicURL+"/readyz")
	if err != nil {
		advice := "Does a firewall, a NAT or a proxy pass this port on to the service? Look from another machine, too: some networks do not let a machine reach its own public address."
		if _, bad := errors.AsType[*tls.CertificateVerificationError](err); bad {
			advice = "Browsers refuse this certificate, too: see the check of the certificate."
		}
		return failed(advice, "Nobody answers at %s: %v.", o.Config.PublicURL, err)
	}
	return readiness(a, "The service at "+o.Config.PublicURL)
}

// soon is how long before its end a certificate should have been renewed.
const soon = 14 * 24 * time.Hour

// certificate looks at the certificate that browsers get.
func certificate(ctx context.Context, o *Options) Finding {
	host, port, secure := o.public()
	if !secure {
		if ip, err := netip.ParseAddr(host); host == "localhost" || err == nil && ip.IsLoopback() {
			return skipped("http on this machine: browsers allow the camera there.")
		}
		return failed("Give the service a certificate (--acme-domains, or --tls-cert) or a proxy in front, and let --public-url begin with https.", "Browsers allow camera and microphone only on https pages.")
	}
	dialer := &tls.Dialer{NetDialer: &net.Dialer{Timeout: 10 * time.Second}, Config: &tls.Config{RootCAs: o.Trust, ServerName: host, MinVersion: tls.VersionTLS12}}
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(host, port))
	if bad, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return failed("Send the whole chain, for this name, from a certificate authority that browsers trust; conclave serve --acme-domains gets one by itself.", "Browsers refuse the certificate: %v.", bad.Err)
	}
	if err != nil {
		return failed("The log of the service says why there is no certificate. With --acme-domains, the certificate authority must reach the name at port 443 or 80.", "No handshake with %s: %v.", net.JoinHostPort(host, port), err)
	}
	defer func() { _ = conn.Close() }()
	leaf := conn.(*tls.Conn).ConnectionState().PeerCertificates[0] //nolint:forcetypeassert,errcheck // a tls.Dialer makes it
	left := leaf.NotAfter.Sub(o.Now())
	if left < soon {
		return warning("It should have been renewed: look at what renews it, or at the log of the service.", "The certificate is good for %d more days.", int(left.Hours()/24))
	}
	return ok("The certificate for %s is good for %d more days.", host, int(left.Hours()/24))
}

// webSocket says whether a request for a WebSocket arrives as one at the service. Its
// gate refuses this request, because it has no token, and says what it saw in a header.
func webSocket(ctx context.Context, o *Options) Finding {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, o.Config.PublicURL+"/rtc", http.NoBody)
	if err != nil {
		return failed("Correct --public-url.", "%v.", err)
	}
	for name, value := range map[string]string{"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "ZG9jdG9yIGRvY3RvciBkbw=="} {
		req.Header.Set(name, value)
	}
	res, err := o.client().Do(req)
	advice := "Let the proxy pass on the headers Connection and Upgrade, with HTTP/1.1: docs/how-to/run-on-a-public-host.md has an example."
	if err != nil {
		return failed(advice, "A WebSocket cannot be opened: %v.", err)
	}
	_ = res.Body.Close()
	switch {
	case res.StatusCode == http.StatusUnauthorized && res.Header.Get("Sec-WebSocket-Version") != "":
		return ok("WebSockets reach the service.")
	case res.StatusCode == http.StatusUnauthorized:
		return failed(advice, "A proxy turns requests for WebSockets into others: people could not join.")
	}
	return failed(advice, "/rtc answers %s, and not as Conclave does.", res.Status)
}
