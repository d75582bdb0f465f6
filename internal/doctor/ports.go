package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/conclave-rooms/conclave/internal/media/livekit"
)

// port is one at which the service listens, beside that of --listen.
type port struct {
	flag    string
	network string // tcp or udp
	address string
	who     string // who must reach it
}

// String names the port for people.
func (p port) String() string {
	_, number, _ := net.SplitHostPort(p.address)
	return strings.ToUpper(p.network) + " port " + number
}

// mediaPorts says whether the media ports could be used, or are used by the service.
func mediaPorts(ctx context.Context, o *Options) Finding {
	if o.Config.MediaURL != "" {
		return skipped("The media server is elsewhere (--media-url).")
	}
	const devices = "Devices must reach it from everywhere: open it in every firewall."
	ports := []port{{"--media-udp-port", "udp", ":" + strconv.Itoa(o.Config.MediaUDPPort), devices}}
	if o.Config.MediaTCPPort != 0 {
		ports = append(ports, port{"--media-tcp-port", "tcp", ":" + strconv.Itoa(o.Config.MediaTCPPort), devices})
	}
	if o.Config.TURNUDPPort != 0 {
		// This port is opened on one address only. Others may use it on other addresses.
		host := o.Config.MediaNodeIP
		if !slices.Contains(ownAddresses(), host) {
			host = ""
		}
		ports = append(ports, port{"--turn-udp-port", "udp", net.JoinHostPort(host, strconv.Itoa(o.Config.TURNUDPPort)), devices})
	}
	return o.look(ctx, ports...)
}

// mediaServer says whether a LiveKit server of one's own answers, and takes the key.
func mediaServer(ctx context.Context, o *Options) Finding {
	if o.Config.MediaURL == "" {
		return skipped("The media server is part of the service (no --media-url).")
	}
	server, err := livekit.Connect(o.Config.MediaURL, o.Config.MediaAPIKey, o.Config.MediaAPISecret, o.Now)
	if err == nil {
		err = server.Ready(ctx)
	}
	if err != nil {
		return failed("Is LiveKit running, does --media-url lead to it from this machine, are --media-api-key and --media-api-secret in its configuration, and do both clocks agree within a minute?", "LiveKit does not take requests: %v.", err)
	}
	return ok("LiveKit answers, and takes the key.")
}

// httpPort says whether the port that leads people to HTTPS could be used, or is used
// by the service.
func httpPort(ctx context.Context, o *Options) Finding {
	if o.Config.HTTPListen == "" {
		return skipped("No --http-listen: nobody is led from http to https.")
	}
	return o.look(ctx, port{"--http-listen", "tcp", o.Config.HTTPListen, "People's browsers, and the certificate authority, must reach it."})
}

// look checks several ports, and makes one finding of the results.
func (o *Options) look(ctx context.Context, ports ...port) Finding {
	_, err := o.askHere(ctx)
	runs := err == nil
	sum := Finding{Verdict: OK}
	rank := []Verdict{OK, Warning, Failed}
	var found, advice []string
	for _, p := range ports {
		f := p.look(ctx, runs)
		if slices.Index(rank, f.Verdict) > slices.Index(rank, sum.Verdict) {
			sum.Verdict = f.Verdict
		}
		found = append(found, f.Found)
		if f.Advice != "" {
			advice = append(advice, f.Advice)
		}
	}
	sum.Found, sum.Advice = strings.Join(found, " "), strings.Join(advice, " ")
	return sum
}

// look says whether a port could be used, or whether a service that runs here has it.
func (p port) look(ctx context.Context, runs bool) Finding {
	socket, err := p.open(ctx)
	switch {
	case errors.Is(err, syscall.EADDRINUSE) && runs:
		return ok("%s is used, as the running service does. %s", p, p.who)
	case err != nil:
		return failed(portAdvice(err, p.flag), "The service could not use %s: %v.", p, err)
	}
	_ = socket.Close()
	if _, number, _ := net.SplitHostPort(p.address); runs && number != "0" {
		return warning("Give this command the settings of the service: with its --config, or the same environment.", "A service runs here, and does not use %s (%s).", p, p.flag)
	}
	return ok("%s is free. %s", p, p.who)
}

// open opens a port, as the service would.
func (p port) open(ctx context.Context) (io.Closer, error) {
	var opened io.Closer
	var err error
	if p.network == "udp" {
		opened, err = (&net.ListenConfig{}).ListenPacket(ctx, p.network, p.address)
	} else {
		opened, err = (&net.ListenConfig{}).Listen(ctx, p.network, p.address)
	}
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	return opened, nil
}

// portAdvice says what to do about a port on which nobody may listen.
func portAdvice(err error, flag string) string {
	switch {
	case errors.Is(err, syscall.EACCES):
		return "Ports below 1024 need a right: CAP_NET_BIND_SERVICE, as in deploy/conclave.service, or another port with " + flag + "."
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return "This machine does not have the address: correct " + flag + "."
	}
	return "Stop the other program, or choose another port with " + flag + "."
}
