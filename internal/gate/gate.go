package gate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"github.com/conclave-rooms/conclave/internal/fault"
)

const (
	handshakeTimeout = 15 * time.Second // LiveKit itself tries for about as long to start a session
	writeTimeout     = 10 * time.Second // a peer that takes no message for so long is gone
	idleTimeout      = 45 * time.Second // the media server pings every ten seconds
	lingerTimeout    = time.Second      // for the other side to answer a close
	upstreamBack     = time.Second      // a media server that ended is back by then
)

// Decision says as whom somebody is let through.
type Decision struct {
	Token    string // for the media server
	Identity string
	Room     string
	Person   string     // whose device it is
	Address  netip.Addr // where it comes from, as the service sees it
	Release  func()     // called once when the connection is over; may be nil
}

// Gate is the door in front of a media server. Mount it at /rtc and /rtc/.
type Gate struct {
	Upstream string // ws:// or wss:// address of the media server, without /rtc
	// Admit decides about one connection. A *fault.Error is a refusal. The
	// request must not be logged: its address holds the token.
	Admit func(ctx context.Context, clientToken string, r *http.Request) (Decision, error)
	// Ask says how Admit would decide, with the same refusals, and changes
	// nothing.
	Ask func(ctx context.Context, clientToken string, r *http.Request) error
	// Verify says whose token it is, after nothing but its signature. Whoever
	// shows one that is nobody's is refused as it says.
	Verify func(clientToken string) (identity string, err error)
	// Refused is told of everybody whose token was nobody's, and Wait says how
	// long whoever shows such a one has to wait because too many were; both may
	// be nil.
	Refused func(r *http.Request)
	Wait    func(r *http.Request) time.Duration
	// Count counts one more connection of an identity, or one more question
	// whether there may be one, and says how long it has to wait because there
	// were too many; it may be nil.
	Count    func(r *http.Request, identity string, connects bool) time.Duration
	Logger   *slog.Logger
	OnChange func(open int) // told how many connections are open, when that changes; may be nil
	// Suspects is told who comes in and goes. Who has to wait because of it is
	// for Admit and Ask to refuse. It may be nil.
	Suspects *Suspects

	mu       sync.Mutex
	relays   map[*relay]struct{}
	closing  bool
	arriving int            // requests between Admit and the list of relays
	cut      map[string]int // identities disconnected while somebody was arriving, and when
	clock    int            // counts Disconnect calls
	ended    sync.WaitGroup // one for each relay
}

// misunderstood answers a request to join that no honest client makes.
const misunderstood = "The media server did not understand this request to join."

// errCut refuses somebody who was disconnected while arriving.
var errCut = errors.New("disconnected while arriving")

// ServeHTTP lets one request through, or refuses it.
func (g *Gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Access-Control-Allow-Origin", "*")
	w.Header().Set("Access-Control-Expose-Headers", "Retry-After")
	switch r.URL.Path {
	case "/rtc", "/rtc/v1":
		g.only(w, r, true, g.connect)
	case "/rtc/validate", "/rtc/v1/validate":
		g.only(w, r, false, g.validate)
	default:
		http.NotFound(w, r)
	}
}

// only lets GET through to a handler that knows the client's token, which is
// somebody's: what comes with a token that is nobody's counts for the address,
// everything else for that somebody alone, because many share an address.
func (g *Gate) only(w http.ResponseWriter, r *http.Request, connects bool, next func(http.ResponseWriter, *http.Request, string)) {
	if r.Method != http.MethodGet {
		w.Header().Set("Allow", http.MethodGet)
		http.Error(w, "Only GET is possible here.", http.StatusMethodNotAllowed)
		return
	}
	token := clientToken(r)
	if token == "" {
		refuse(w, http.StatusUnauthorized, "A media token is needed to connect.")
		return
	}
	identity, err := g.Verify(token)
	if err != nil {
		g.refuseNobody(w, r, err)
		return
	}
	if g.Count != nil {
		if wait := g.Count(r, identity, connects); wait > 0 {
			refuseForNow(w, "You connect too often.", wait)
			return
		}
	}
	next(w, r, token)
}

// refuseNobody answers whoever has no token of ours. After too many of those
// from an address its tokens are still looked at, and only the good ones
// answered differently.
func (g *Gate) refuseNobody(w http.ResponseWriter, r *http.Request, err error) {
	if g.Wait != nil {
		if wait := g.Wait(r); wait > 0 {
			refuseForNow(w, "Too many connections from your address were refused.", wait)
			return
		}
	}
	if g.Refused != nil {
		g.Refused(r)
	}
	g.refuseError(w, r, err)
}

// refuseForNow says when to come again.
func refuseForNow(w http.ResponseWriter, why string, wait time.Duration) {
	retryAfter(w, wait)
	refuse(w, http.StatusTooManyRequests, fmt.Sprintf("%s Try again in %.0f seconds.", why, math.Ceil(wait.Seconds())))
}

// clientToken finds the token: in the header, or in the address, where
// browsers have to put it because they cannot set headers on a WebSocket.
func clientToken(r *http.Request) string {
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return bearer
	}
	return r.URL.Query().Get("access_token")
}

// header is what the media server is told of the client beside that: the
// token, and the kind of browser, after which it knows what to work around.
func header(r *http.Request, token string) http.Header {
	h := http.Header{"Authorization": {"Bearer " + token}}
	if agent := r.UserAgent(); agent != "" {
		h.Set("User-Agent", agent[:min(len(agent), maxAgent)])
	}
	return h
}

// validate answers why an upgrade failed, in words.
func (g *Gate) validate(w http.ResponseWriter, r *http.Request, token string) {
	if err := g.Ask(r.Context(), token, r); err != nil {
		g.refuseError(w, r, err)
		return
	}
	refuse(w, http.StatusOK, "success")
}

// connect lets a WebSocket through.
func (g *Gate) connect(w http.ResponseWriter, r *http.Request, token string) {
	if !websocket.IsWebSocketUpgrade(r) {
		w.Header().Set("Upgrade", "websocket")
		refuse(w, http.StatusUpgradeRequired, "This address speaks WebSocket only.")
		return
	}
	var requests requests
	address, err := requests.address(r.URL.Path, r.URL.Query())
	if errors.Is(err, errProtocol) {
		refuse(w, http.StatusBadRequest, errProtocol.text)
		return
	}
	if err != nil {
		refuse(w, http.StatusBadRequest, misunderstood)
		return
	}
	since, ok := g.arrive()
	if !ok {
		refuse(w, http.StatusServiceUnavailable, "The service is restarting. Try again in a moment.")
		return
	}
	arrived := sync.OnceFunc(g.arrived)
	defer arrived()
	decision, err := g.Admit(r.Context(), token, r)
	if err != nil {
		g.refuseError(w, r, err)
		return
	}
	upstream, status, err := g.dial(r, address, decision)
	if err != nil {
		g.refuseUpstream(w, decision, status, err)
		decision.release()
		return
	}
	up := websocket.Upgrader{
		HandshakeTimeout: handshakeTimeout,
		CheckOrigin:      func(*http.Request) bool { return true }, // see the package comment
	}
	client, err := up.Upgrade(w, r, nil) // it answers by itself when it fails
	if err != nil {
		_ = upstream.Close()
		decision.release()
		return
	}
	l := &relay{gate: g, decision: decision, requests: requests, client: client, upstream: upstream}
	err = g.enter(l, since)
	arrived()
	if err != nil {
		l.end(websocket.ClosePolicyViolation, err.Error())
	} else {
		l.run()
		g.leave(l)
	}
	l.close()
	decision.release()
}

// dial connects to the media server; a status means that it answered and refused.
func (g *Gate) dial(r *http.Request, address url.Values, d Decision) (*websocket.Conn, int, error) {
	ctx, cancel := context.WithTimeout(r.Context(), handshakeTimeout)
	defer cancel()
	dialer := websocket.Dialer{Proxy: http.ProxyFromEnvironment, HandshakeTimeout: handshakeTimeout}
	conn, res, err := dialer.DialContext(ctx, g.Upstream+r.URL.Path+"?"+address.Encode(), header(r, d.Token))
	if err == nil {
		return conn, 0, nil
	}
	if res != nil {
		_ = res.Body.Close()
		return nil, res.StatusCode, err
	}
	return nil, 0, err
}

// refuseError answers a refusal of Admit's, or an accident inside it.
func (g *Gate) refuseError(w http.ResponseWriter, r *http.Request, err error) {
	refusal, ok := fault.As(err)
	if !ok {
		if r.Context().Err() == nil { // else nobody is there to be told, and the accident is that
			g.Logger.ErrorContext(r.Context(), "admit a connection", "error", err)
		}
		refuse(w, http.StatusServiceUnavailable, "The service cannot answer right now. Try again in a moment.")
		return
	}
	var status int
	switch refusal.Kind {
	case fault.Unauthenticated:
		status = http.StatusUnauthorized
	case fault.RateLimited: // see the package comment
		status = http.StatusTooManyRequests
	case fault.Unavailable, fault.Internal:
		status = http.StatusServiceUnavailable
		g.Logger.WarnContext(r.Context(), "admit a connection", "error", err, "cause", refusal.Unwrap())
	default:
		status = http.StatusForbidden
	}
	retryAfter(w, refusal.RetryAfter)
	refuse(w, status, refusal.Message)
}

// retryAfter says, rounded up to seconds, when to come again; nothing for zero.
func retryAfter(w http.ResponseWriter, wait time.Duration) {
	if wait > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
	}
}

// refuseUpstream says in our words what the media server said with a status,
// or that it said nothing, and logs why.
func (g *Gate) refuseUpstream(w http.ResponseWriter, d Decision, status int, err error) {
	if status == http.StatusBadRequest {
		refuse(w, http.StatusBadRequest, misunderstood)
		return
	}
	retryAfter(w, upstreamBack)
	g.Logger.Warn("media server refused", "status", status, "error", err, "room", d.Room, "identity", d.Identity)
	refuse(w, http.StatusServiceUnavailable, "The media server cannot be reached right now. Try again in a moment.")
}

func refuse(w http.ResponseWriter, status int, sentence string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, sentence)
}

func (d Decision) release() {
	if d.Release != nil {
		d.Release()
	}
}
