package livekit

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/livekit/protocol/auth"
	"github.com/livekit/protocol/livekit"
	"github.com/livekit/protocol/utils/xtwirp"
	"github.com/twitchtv/twirp"

	"github.com/conclave-rooms/conclave/internal/media"
)

// How long a room is kept that nobody joined, or that everybody left, unless
// the configuration says otherwise.
const (
	DefaultEmptyTimeout     = 5 * time.Minute
	DefaultDepartureTimeout = time.Minute
)

// callTimeout bounds one call of the room API. Over loopback a call takes
// milliseconds; a media server that needs this long is down.
const callTimeout = 5 * time.Second

// Server is a LiveKit server, embedded or external. It is a media.Server.
type Server struct {
	upstream  string // ws:// or wss://, without a path
	key       string
	secret    string
	empty     time.Duration
	departure time.Duration
	address   string // http:// or https://
	client    *http.Client
	rooms     livekit.RoomService
	hints     *hints
	now       func() time.Time // by the clock of the media server's machine
}

var _ media.Server = (*Server)(nil)

// Connect returns the external LiveKit server at an address (ws, wss, http or
// https). It does not connect; Ready says whether the server answers. Both sides
// send tokens that are valid for a minute, so now must agree with that server's
// clock.
//
// That server must not make rooms by itself (room.auto_create: false), must not
// offer AV1 (it does not work with end-to-end encryption) or VP9 (a malformed
// packet crashes the server), should be version 1.13.6 or newer, and should
// post its webhooks to the service (HintHandler); without them the service only
// notices changes when it looks.
func Connect(address, key, secret string, now func() time.Time) (*Server, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("media server address: %w", err)
	}
	if u.Host == "" || key == "" || secret == "" {
		return nil, errors.New("media server: address, key and secret are needed")
	}
	secure := false
	switch u.Scheme {
	case "wss", "https":
		secure = true
	case "ws", "http":
	default:
		return nil, fmt.Errorf("media server address: scheme %q is not ws, wss, http or https", u.Scheme)
	}
	path := strings.TrimSuffix(u.Path, "/")
	s := newServer(schemed(secure, "ws", u.Host, path), schemed(secure, "http", u.Host, path), key, secret, now)
	s.hints.external = true
	return s, nil
}

// schemed makes one of a server's two addresses, for WebSocket or for HTTP;
// both schemes get an s for an encrypted connection.
func schemed(secure bool, scheme, host, path string) string {
	if secure {
		scheme += "s"
	}
	return scheme + "://" + host + path
}

func newServer(upstream, api, key, secret string, now func() time.Time) *Server {
	client := &http.Client{
		Timeout: callTimeout,
		Transport: &http.Transport{
			Proxy:               http.ProxyFromEnvironment,
			DialContext:         (&net.Dialer{Timeout: callTimeout}).DialContext,
			MaxIdleConnsPerHost: 16,
			IdleConnTimeout:     time.Minute,
		},
	}
	return &Server{
		upstream:  upstream,
		key:       key,
		secret:    secret,
		address:   api,
		client:    client,
		empty:     DefaultEmptyTimeout,
		departure: DefaultDepartureTimeout,
		rooms:     livekit.NewRoomServiceProtobufClient(api, client, xtwirp.DefaultClientOptions()...),
		hints:     newHints(key, secret, now),
		now:       now,
	}
}

// Upstream is the WebSocket address for the gate.
func (s *Server) Upstream() string { return s.upstream }

// Hints is the stream of hints.
func (s *Server) Hints() <-chan media.Hint { return s.hints.queue.C() }

// HintHandler receives LiveKit's webhooks. The embedded server posts to it by
// itself; an external one reaches it under the service's address.
func (s *Server) HintHandler() http.Handler { return s.hints }

// Ready asks for a room that cannot exist, the cheapest call that shows that
// the server answers and accepts our key.
func (s *Server) Ready(ctx context.Context) error {
	if _, err := s.list(ctx, []string{"-"}); err != nil {
		return fmt.Errorf("ask the media server: %w", err)
	}
	return nil
}

// alive says whether the server's process answers at all, whatever it says.
// Ready also fails while the Redis of a cluster does not answer. Meanwhile people
// who are in hear each other, and a restart of the server would put them out.
func (s *Server) alive(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.address, http.NoBody)
	if err != nil {
		return fmt.Errorf("ask the media server: %w", err)
	}
	res, err := s.client.Do(req)
	if err != nil {
		return fmt.Errorf("ask the media server: %w", err)
	}
	_ = res.Body.Close()
	return nil
}

// as adds a short-lived token with these rights to the context of a call.
func (s *Server) as(ctx context.Context, grant *auth.VideoGrant) (context.Context, error) {
	token, err := s.sign(auth.NewAccessToken(s.key, s.secret).SetVideoGrant(grant), time.Minute)
	if err != nil {
		return nil, fmt.Errorf("sign a call: %w", err)
	}
	header := http.Header{"Authorization": {"Bearer " + token}}
	return twirp.WithHTTPRequestHeaders(ctx, header)
}

// asAdmin is as with the rights over one room.
func (s *Server) asAdmin(ctx context.Context, room string) (context.Context, error) {
	return s.as(ctx, &auth.VideoGrant{RoomAdmin: true, Room: room})
}

// translate turns LiveKit's refusals into ours and returns other errors
// unchanged.
func translate(err error) error {
	var refusal twirp.Error
	if !errors.As(err, &refusal) {
		return err
	}
	switch refusal.Code() {
	case twirp.NotFound:
		return fmt.Errorf("%w: %s", media.ErrNotFound, refusal.Msg())
	case twirp.FailedPrecondition:
		return fmt.Errorf("%w: %s", media.ErrRefused, refusal.Msg())
	default:
		return err
	}
}
