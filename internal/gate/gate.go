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
	handshakeTimeout = 15 * time.Second // about as long as LiveKit itself tries to start a session
	writeTimeout     = 10 * time.Second // a peer that accepts no message for this long is gone
	idleTimeout      = 45 * time.Second // the media server pings every ten seconds
	lingerTimeout    = time.Second      // how long the other side has to answer a close
	leaveTimeout     = time.Second      // how long the media server has to tell a client that it was removed, or to end the connection of one that leaves
	upstreamBack     = time.Second      // a media server that crashed is back by then
)

// Decision says under which identity a connection is let through.
type Decision struct {
	Token    string // for the media server
	Identity string
	Room     string
	Media    string     // the media room
	Person   string     // the person who has the device
	Address  netip.Addr // the client's address, as the service sees it
	Release  func()     // called once when the connection is over; may be nil
	// Goodbye is called at most once, when the client says that it leaves and its
	// connection is not ending anyway, before the media server learns of it. It must
	// not block. It may be nil.
	Goodbye func()
}

// Gate is the proxy in front of a media server. Mount it at /rtc and /rtc/.
type Gate struct {
	Upstream string // ws:// or wss:// address of the media server, without /rtc
	// LetThrough decides about one connection. A *fault.Error is a refusal. The
	// request must not be logged: its address holds the token.
	LetThrough func(ctx context.Context, clientToken string, r *http.Request) (Decision, error)
	// Check decides as LetThrough would, with the same refusals, but changes
	// nothing.
	Check func(ctx context.Context, clientToken string, r *http.Request) error
	// Verify checks only a token's signature and returns its identity. Its
	// error refuses the request.
	Verify func(clientToken string) (identity string, err error)
	// Refused is called for every request with an invalid token. Wait says how
	// long an address has to wait because it sent too many of them. Both may be
	// nil.
	Refused func(r *http.Request)
	Wait    func(r *http.Request) time.Duration
	// Count counts an attempt to connect by an identity, or a question whether
	// it may. It says how long the identity has to wait if there were too many.
	// It may be nil.
	Count    func(r *http.Request, identity string, connects bool) time.Duration
	Logger   *slog.Logger
	OnChange func(open int) // called with the number of open connections when it changes; may be nil
	// OnDecided is called for every request to connect with how it ended and how long
	// that took: entered, refused, left if the client gave up first, or failed. It may
	// be nil.
	OnDecided func(ctx context.Context, outcome string, took time.Duration)
	// OfferPause is how long a newcomer's first offer waits at most for the tracks of
	// others; 0: 40 ms.
	OfferPause time.Duration
	// Relays says whether a TURN relay of this service may have an address. It may be
	// nil: there are none.
	Relays func(netip.AddrPort) bool
	// Suspects records who comes in and who leaves. LetThrough and Check refuse
	// those who have to wait because of it. It may be nil.
	Suspects *Suspects

	mu       sync.Mutex
	relays   map[*relay]struct{}
	closing  bool
	arriving []int          // requests between LetThrough and the list of relays: the clock when each arrived, the oldest first
	cut      map[string]int // identities disconnected while requests were arriving, and when
	clock    int            // counts Disconnect calls
	ended    sync.WaitGroup // one for each relay
}

// misunderstood answers a request to join that no honest client makes.
const misunderstood = "The media server did not understand this request to join."

// errCut refuses a connection whose identity was disconnected while it was
// arriving.
var errCut = errors.New("disconnected while arriving")

// IsSocket says whether WebSockets are accepted at a path. There, every other answer is
// a refusal.
func IsSocket(path string) bool { return path == "/rtc" || path == "/rtc/v1" }

// ServeHTTP lets one request through, or refuses it.
func (g *Gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Access-Control-Allow-Origin", "*")
	w.Header().Set("Access-Control-Expose-Headers", "Retry-After")
	if websocket.IsWebSocketUpgrade(r) {
		// A refusal says that the request arrived as one for a WebSocket (RFC 6455,
		// section 4.4), so that it can be told from one that a proxy has changed.
		w.Header().Set("Sec-WebSocket-Version", "13")
	}
	switch path := r.URL.Path; {
	case IsSocket(path):
		g.authenticate(w, r, true, g.connect)
	case path == "/rtc/validate" || path == "/rtc/v1/validate":
		g.authenticate(w, r, false, g.validate)
	default:
		http.NotFound(w, r)
	}
}

// authenticate allows GET and verifies the client's token before it calls next. A
// request with an invalid token counts for its address, one with a valid token
// for its identity, because many people share an address.
func (g *Gate) authenticate(w http.ResponseWriter, r *http.Request, connects bool, next func(http.ResponseWriter, *http.Request, string)) {
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
		g.refuseUnauthenticated(w, r, err)
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

// refuseUnauthenticated answers a request without a valid token. After too many of them
// from one address it answers 429 instead; requests with valid tokens from
// there still pass.
func (g *Gate) refuseUnauthenticated(w http.ResponseWriter, r *http.Request, err error) {
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

// refuseForNow answers 429 and says when to try again.
func refuseForNow(w http.ResponseWriter, why string, wait time.Duration) {
	retryAfter(w, wait)
	refuse(w, http.StatusTooManyRequests, fmt.Sprintf("%s Try again in %.0f seconds.", why, math.Ceil(wait.Seconds())))
}

// clientToken finds the token in the Authorization header or in the query,
// where browsers put it because they cannot set headers on a WebSocket.
func clientToken(r *http.Request) string {
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return bearer
	}
	return r.URL.Query().Get("access_token")
}

// header makes the headers for the media server: the token, and the User-Agent,
// by which it works around bugs of browsers.
func header(r *http.Request, token string) http.Header {
	h := http.Header{"Authorization": {"Bearer " + token}}
	if agent := r.UserAgent(); agent != "" {
		h.Set("User-Agent", agent[:min(len(agent), maxAgent)])
	}
	return h
}

// silent says whether the client is a page in Firefox, which ends the connections of a
// page that is left before the page can say goodbye.
func silent(r *http.Request) bool { return strings.Contains(r.UserAgent(), "Firefox/") }

// validate explains in a sentence why an upgrade failed.
func (g *Gate) validate(w http.ResponseWriter, r *http.Request, token string) {
	if err := g.Check(r.Context(), token, r); err != nil {
		g.refuseError(w, r, err)
		return
	}
	refuse(w, http.StatusOK, "success")
}

// connect decides about a WebSocket connection and relays it.
func (g *Gate) connect(w http.ResponseWriter, r *http.Request, token string) {
	if !websocket.IsWebSocketUpgrade(r) {
		w.Header().Set("Upgrade", "websocket")
		refuse(w, http.StatusUpgradeRequired, "This address speaks WebSocket only.")
		return
	}
	requests := requests{relays: g.Relays}
	address, err := requests.address(r.URL.Path, r.URL.Query())
	if err != nil {
		refuseJoin(w, err)
		return
	}
	decided := g.decides(r.Context())
	defer func() { decided(undecided(r.Context())) }() // counts only if nothing was decided before
	since, ok := g.arrive()
	if !ok {
		decided("refused")
		refuse(w, http.StatusServiceUnavailable, "The service is restarting. Try again in a moment.")
		return
	}
	arrived := sync.OnceFunc(func() { g.arrived(since) })
	defer arrived()
	decision, err := g.LetThrough(r.Context(), token, r)
	if err != nil {
		if isRefusal(err) {
			decided("refused")
		}
		g.refuseError(w, r, err)
		return
	}
	defer decision.release()
	client, upstream, ok := g.open(w, r, address, decision)
	if !ok {
		return
	}
	l := &relay{gate: g, decision: decision, requests: requests, client: client, upstream: upstream, silent: silent(r)}
	l.hold(l.requests.takeOffer())
	err = g.enter(l, since)
	arrived()
	if err != nil {
		l.end(websocket.ClosePolicyViolation, err.Error())
	} else {
		decided("entered")
		l.run()
		g.leave(l)
	}
	l.close()
}

// open connects to the media server and then upgrades the client's connection. If one
// of them fails, it has answered the client.
func (g *Gate) open(w http.ResponseWriter, r *http.Request, address url.Values, d Decision) (client, upstream *websocket.Conn, ok bool) {
	upstream, status, err := g.dial(r, address, d)
	if err != nil {
		g.refuseUpstream(w, d, status, err)
		return nil, nil, false
	}
	up := websocket.Upgrader{
		HandshakeTimeout: handshakeTimeout,
		CheckOrigin:      func(*http.Request) bool { return true }, // see the package comment
	}
	// Upgrade answers by itself when it fails. When it succeeds, its answer has only the
	// headers that it is given.
	client, err = up.Upgrade(w, r, http.Header{"Request-Id": w.Header()["Request-Id"]})
	if err != nil {
		_ = upstream.Close()
		return nil, nil, false
	}
	return client, upstream, true
}

// decides begins to measure a request to connect. The first call of the function that
// it returns ends that.
func (g *Gate) decides(ctx context.Context) func(outcome string) {
	if g.OnDecided == nil {
		return func(string) {}
	}
	began, once := time.Now(), sync.Once{} //nolint:forbidigo // only measures
	return func(outcome string) { once.Do(func() { g.OnDecided(ctx, outcome, time.Since(began)) }) }
}

// undecided returns the outcome of a request that ended before it was let
// through or refused. Its context ends early if the client leaves.
func undecided(ctx context.Context) string {
	if ctx.Err() != nil {
		return "left"
	}
	return "failed"
}

// dial connects to the media server. A status other than 0 means that it
// answered and refused.
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

// isRefusal says whether LetThrough decided that the device may not connect; it failed
// otherwise.
func isRefusal(err error) bool {
	refusal, ok := fault.As(err)
	return ok && refusal.Kind != fault.Unavailable && refusal.Kind != fault.Internal
}

// refuseJoin answers a malformed request to join.
func refuseJoin(w http.ResponseWriter, err error) {
	sentence := misunderstood
	if errors.Is(err, errProtocol) {
		sentence = errProtocol.text
	}
	refuse(w, http.StatusBadRequest, sentence)
}

// refuseError answers with a refusal of LetThrough, or with 503 for any other error.
func (g *Gate) refuseError(w http.ResponseWriter, r *http.Request, err error) {
	refusal, ok := fault.As(err)
	if !ok {
		if r.Context().Err() == nil { // if the client has gone, the error only says so
			g.Logger.ErrorContext(r.Context(), "let a connection through", "error", err)
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
		g.Logger.WarnContext(r.Context(), "let a connection through", "error", err, "cause", refusal.Unwrap())
	default:
		status = http.StatusForbidden
	}
	retryAfter(w, refusal.RetryAfter)
	refuse(w, status, refusal.Message)
}

// retryAfter sets Retry-After, rounded up to seconds; nothing for zero.
func retryAfter(w http.ResponseWriter, wait time.Duration) {
	if wait > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
	}
}

// refuseUpstream logs why the media server refused or did not answer, and
// answers with the gate's own sentence.
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
