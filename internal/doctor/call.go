package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/config"
	"github.com/conclave-rooms/conclave/internal/media"
	"github.com/conclave-rooms/conclave/internal/media/mediaclient"
)

const noKey = "Give --key with an API key (rooms:write and tokens:create) to try a call."

func callOverUDP(ctx context.Context, o *Options) Finding {
	if o.Key == "" {
		return skipped(noKey)
	}
	way, err := o.call(ctx, mediaclient.Options{})
	return overUDP(&o.Config, way, err)
}

// overUDP judges a call that may take any way, by the way that it took.
func overUDP(c *config.Serve, way string, err error) Finding {
	port, address := fmt.Sprintf("UDP port %d", c.MediaUDPPort), "--media-node-ip"
	if c.MediaURL != "" {
		port, address = "the UDP port of the LiveKit server (rtc.udp_port)", "its rtc.node_ip"
	}
	switch {
	case err != nil:
		return failed("Open "+port+" in every firewall, and let "+address+" be the address at which devices reach it.", "Two people did not hear each other: %v.", err)
	case way != "udp":
		return warning("Open "+port+" in every firewall: over TCP, sound and pictures stutter where packets are lost.", "Two people heard each other, but over %s.", way)
	}
	return ok("Two people heard each other.")
}

func callOverTCP(ctx context.Context, o *Options) Finding {
	if o.Key == "" || o.Config.MediaTCPPort == 0 {
		return skipped("Not tried: it needs --key and --media-tcp-port.")
	}
	port := fmt.Sprintf("TCP port %d", o.Config.MediaTCPPort)
	if o.Config.MediaURL != "" {
		port = "the TCP port of the LiveKit server (rtc.tcp_port)"
	}
	if _, err := o.call(ctx, mediaclient.Options{TCPOnly: true}); err != nil {
		return warning("Open "+port+" in every firewall, for people whose networks block UDP.", "Two people did not hear each other: %v.", err)
	}
	return ok("Two people on networks without UDP heard each other.")
}

func callThroughTURNOverUDP(ctx context.Context, o *Options) Finding {
	port := o.Config.TURNUDPPort
	if o.Key == "" || port == 0 {
		return skipped("Not tried: it needs --key and --turn-udp-port.")
	}
	if _, err := o.call(ctx, mediaclient.Options{TURN: mediaclient.OnlyTURNOverUDP}); err != nil {
		return warning(fmt.Sprintf("Open UDP port %d in every firewall, for people whose networks block UDP port %d.", port, o.Config.MediaUDPPort), "Two people did not hear each other: %v.", err)
	}
	return ok("Two people whose networks pass only UDP port %d heard each other.", port)
}

func callThroughTURNOverTLS(ctx context.Context, o *Options) Finding {
	host, _ := o.Config.TURNAddress()
	if o.Key == "" || host == "" {
		return skipped("Not tried: it needs --key, and TLS in the service (--turn-tls).")
	}
	if _, err := o.call(ctx, mediaclient.Options{TURN: mediaclient.OnlyTURNOverTLS}); err != nil {
		advice := "TLS must end in the service, not in a proxy before it."
		if !o.Config.EndsTLS() {
			advice = "The proxy that takes TLS off must pass on whatever is inside, not only HTTP."
		}
		return warning("People whose networks pass only HTTPS cannot meet. "+advice, "Two people did not hear each other: %v.", err)
	}
	return ok("Two people on networks that pass only HTTPS heard each other.")
}

// call lets two people meet in a room made for that, and says how their sound
// travelled.
func (o *Options) call(ctx context.Context, as mediaclient.Options) (way string, err error) {
	var room api.Room
	if err := o.ask(ctx, http.MethodPost, "/api/v1/rooms", api.RoomCreate{Name: "Trial call"}, &room); err != nil {
		return "", err
	}
	defer func() {
		err = errors.Join(err, o.ask(context.WithoutCancel(ctx), http.MethodDelete, "/api/v1/rooms/"+room.ID, nil, nil))
	}()
	var people []*mediaclient.Participant
	defer func() {
		for _, p := range people {
			p.Disconnect()
		}
	}()
	for _, name := range []string{"Speaker", "Listener"} {
		var token api.RoomToken
		if err := o.ask(ctx, http.MethodPost, "/api/v1/rooms/"+room.ID+"/tokens", api.TokenCreate{Name: name}, &token); err != nil {
			return "", err
		}
		as.URL, as.Token, as.Passphrase, as.Trust, as.Direct = "ws"+strings.TrimPrefix(o.Config.PublicURL, "http"), token.Token, token.E2EEPassphrase, o.Trust, true
		p, err := mediaclient.Connect(ctx, as)
		if err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		people = append(people, p)
		if _, err := p.Publish(ctx, media.Microphone); err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
	}
	for i, p := range people {
		if err := p.WaitFrames(ctx, people[1-i].Identity(), media.Microphone, 20); err != nil {
			return "", err
		}
	}
	return people[1].Transport()
}

// ask sends a request to the API.
func (o *Options) ask(ctx context.Context, method, path string, body, into any) error {
	var content []byte
	if body != nil {
		var err error
		if content, err = json.Marshal(body); err != nil {
			return fmt.Errorf("write the request: %w", err)
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, o.Config.PublicURL+path, bytes.NewReader(content))
	if err != nil {
		return fmt.Errorf("address %s: %w", path, err)
	}
	req.Header.Set("Authorization", "Bearer "+o.Key)
	if content != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := o.client().Do(req)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if res.StatusCode >= http.StatusMultipleChoices {
		var refused api.ErrorResponse
		_ = json.Unmarshal(text, &refused)
		return fmt.Errorf("%s: %s: %s", path, res.Status, refused.Error.Message)
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("read the answer of %s: %w", path, err)
	}
	return nil
}
