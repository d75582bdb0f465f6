package rest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"path"
	"runtime/debug"
	"strings"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/asset"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/id"
	"github.com/conclave-rooms/conclave/internal/loop"
	"github.com/conclave-rooms/conclave/internal/rest/idempotency"
	"github.com/conclave-rooms/conclave/internal/rest/limit"
	"github.com/conclave-rooms/conclave/internal/seal"
)

// Config configures an edge.
type Config struct {
	Logger    *slog.Logger
	Now       func() time.Time
	PublicURL string // without a trailing slash
	Version   string // of the program, for the OpenAPI documents

	Limits  Limits        // the zero value: DefaultLimits
	Limiter limit.Limiter // nil: in memory, for one node

	// DB and Sealer store the answers to requests with an Idempotency-Key.
	DB     *db.DB
	Sealer *seal.Sealer

	// HSTS tells browsers to use https only. Set it where TLS ends here.
	HSTS bool
	// TrustedProxies are the proxies whose X-Forwarded-For is believed.
	TrustedProxies []netip.Prefix
	// BodyTimeout is how long a body may take to arrive; zero: 30 seconds.
	BodyTimeout time.Duration
	// Observe is called with every answer, for metrics and traces; it may be nil.
	Observe func(context.Context, Observation)
}

// Observation is one answered request.
type Observation struct {
	Route    string // the pattern, such as /api/v1/rooms/{room_id}; "other" when none matched
	Method   string // "other" for one that HTTP does not define
	Status   int
	Duration time.Duration
}

// Edge answers every request below the prefixes of its groups.
type Edge struct {
	config  Config
	groups  []*Group
	limits  Limits
	limiter limit.Limiter
	turns   *limit.Turns // by the network of the people who change something
	origins *http.CrossOriginProtection
	replays *idempotency.Store // nil without a database: Idempotency-Key is refused
	packer  asset.Packer       // compresses answers
}

// New makes an edge without groups.
func New(c Config) *Edge {
	origins, err := newOrigins(c.PublicURL)
	if err != nil {
		panic("rest: " + err.Error()) // the configuration was checked before
	}
	e := &Edge{config: c, limits: c.Limits, limiter: c.Limiter, turns: limit.NewTurns(changesAtOnce), origins: origins}
	if e.limits.Classes == nil {
		e.limits.Classes = DefaultLimits().Classes
	}
	if e.limiter == nil {
		e.limiter = limit.NewMemory(c.Now)
	}
	if e.config.BodyTimeout == 0 {
		e.config.BodyTimeout = 30 * time.Second
	}
	if c.DB != nil && c.Sealer != nil {
		e.replays = &idempotency.Store{DB: c.DB, Sealer: c.Sealer, Now: c.Now}
	}
	return e
}

// Run removes what limits and stored answers no longer need, at intervals,
// until ctx ends.
func (e *Edge) Run(ctx context.Context) {
	loop.Later(ctx, time.Minute, e.Sweep, func(err error) {
		e.config.Logger.ErrorContext(ctx, "sweep the edge's tables", "error", err)
	})
}

// Sweep does once what Run does at intervals.
func (e *Edge) Sweep(ctx context.Context) error {
	err := e.limiter.Sweep(ctx)
	if e.replays != nil {
		err = errors.Join(err, e.replays.Sweep(ctx))
	}
	return err
}

// newRequestID makes the id with which people report a request.
func newRequestID() string { return "req_" + id.Random(26, id.Lower) }

// Wrap passes requests below the groups' prefixes to the edge and all others to
// next. Both answer with a Request-Id. It must come before any ServeMux, which
// would redirect unclean paths.
func (e *Edge) Wrap(next http.Handler) http.Handler {
	named := WithRequestID(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if group, _ := e.group(r); group != nil {
			e.ServeHTTP(w, r)
			return
		}
		e.awaitBody(w, r)
		named.ServeHTTP(w, r)
	})
}

// WithRequestID gives the answers of next a Request-Id.
func WithRequestID(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Request-Id", newRequestID())
		next.ServeHTTP(w, r)
	})
}

// group finds the group of a request, and the escaped path below its prefix. An odd path
// such as //api/v1/rooms belongs to the group, too, and leads nowhere.
func (e *Edge) group(r *http.Request) (*Group, string) {
	if g, below := e.groupOf(r.URL.EscapedPath()); g != nil {
		return g, below
	}
	if g, _ := e.groupOf(path.Clean(r.URL.Path)); g != nil {
		return g, "/"
	}
	return nil, ""
}

func (e *Edge) groupOf(address string) (*Group, string) {
	for _, g := range e.groups {
		if below, ok := strings.CutPrefix(address, g.prefix); ok && (below == "" || below[0] == '/') {
			return g, below
		}
	}
	return nil, ""
}

// ServeHTTP answers a request with a request id and, if refused, the envelope,
// and logs one line about it.
func (e *Edge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &exchange{
		edge:      e,
		requestID: newRequestID(),
		start:     e.config.Now(),
		w:         &recorder{ResponseWriter: w},
		r:         r,
	}
	h := w.Header()
	h.Set("Request-Id", x.requestID)
	// Devices count down to times by it. net/http would write this machine's time.
	h.Set("Date", x.start.UTC().Format(http.TimeFormat))
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	if e.config.HSTS {
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
	defer x.startClock()()
	defer x.done()
	e.awaitBody(x.w, r)
	if err := x.serve(); err != nil {
		x.refuse(err)
	}
}

// exchange is one request and its answer.
type exchange struct {
	edge      *Edge
	requestID string
	start     time.Time
	w         *recorder
	r         *http.Request

	op       *operation // nil before the route is known
	subject  string     // the caller, as the authenticator names them
	replayed bool

	inSession bool // a signed-in person uses a group for keys

	recognised time.Time // when the caller was recognised

	upload *Upload // the body, for an operation that takes bytes

	// clock ends the request's context when the service takes too long.
	clock *time.Timer
}

// answerWithin is how long the service may take to recognise a caller, and then
// for an answer. More than that only happens when the database does not answer,
// and a caller should know so. Time in which the caller is slow does not count.
const answerWithin = 20 * time.Second

// databaseRetry is when callers should come back after the database did not
// answer.
const databaseRetry = 5 * time.Second

// errLate is why the context of a request ended after answerWithin.
var errLate = errors.New("the service took too long for an answer")

// startClock limits the time of what follows. The function it returns ends the
// request's context.
func (x *exchange) startClock() (end func()) {
	ctx, cancel := context.WithCancelCause(x.r.Context())
	x.r = x.r.WithContext(ctx)
	x.clock = time.AfterFunc(answerWithin, func() { cancel(errLate) })
	return func() {
		x.clock.Stop()
		cancel(nil)
	}
}

// refuse answers with a fault. Any other error is answered as internal_error,
// and its cause is logged.
func (x *exchange) refuse(err error) {
	f, isFault := fault.As(err)
	ctx := x.r.Context()
	switch {
	case !isFault && errors.Is(err, db.ErrOutcomeUnknown):
		x.logAccident("a change may have been made", err)
		f = unknownOutcome()
	case !isFault && (errors.Is(context.Cause(ctx), errLate) || db.Unavailable(err)):
		f = fault.Down(api.CodeServiceUnavailable, "The service's database does not answer. Try again in a few seconds.", databaseRetry, err)
		x.log().ErrorContext(ctx, "the database is not available", "error", err)
	case !isFault && ctx.Err() != nil && errors.Is(err, ctx.Err()):
		// The caller is gone, or the service stops, which is not a failure.
		f = fault.Down(api.CodeServiceUnavailable, "The request was interrupted. Send it again.", time.Second, err)
	case !isFault:
		x.logAccident("request failed", err)
		f = internalFault()
	case errors.Unwrap(f) != nil:
		x.log().WarnContext(ctx, "part of the service is not available", "code", f.Code, "error", errors.Unwrap(f))
	}
	if x.w.status != 0 {
		// A part of the answer is already sent. Only cutting the connection
		// still says that it is incomplete.
		panic(http.ErrAbortHandler)
	}
	a, err := x.edge.refusal(f, x.requestID)
	if err != nil {
		x.logAccident("encode a refusal", err)
		panic(http.ErrAbortHandler)
	}
	refusalHeaders(x.w.Header(), f)
	writeAnswer(x.w, a)
}

// done recovers from a panic, so that it costs one request and not the process,
// writes the line in the log and calls Observe.
func (x *exchange) done() {
	abort := false
	if p := recover(); p != nil {
		abort = x.panicked(p)
	}
	o := Observation{
		Route: "other", Method: x.r.Method, Status: x.w.status,
		Duration: x.edge.config.Now().Sub(x.start),
	}
	if x.op != nil {
		o.Route = x.op.route()
	}
	if !isMethod(o.Method) { // metrics and logs must not take words that callers invent
		o.Method = "other"
	}
	x.log().InfoContext(x.r.Context(), "request",
		"method", o.Method, "route", o.Route, "status", o.Status,
		"duration_ms", o.Duration.Milliseconds(), "replayed", x.replayed)
	if x.edge.config.Observe != nil {
		x.edge.config.Observe(x.r.Context(), o)
	}
	if abort {
		panic(http.ErrAbortHandler)
	}
}

// panicked answers a request that panicked, and says whether the connection
// must be cut.
func (x *exchange) panicked(p any) (abort bool) {
	if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		return true
	}
	x.log().ErrorContext(x.r.Context(), "panic", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
	if x.w.status != 0 {
		return true
	}
	a, err := x.edge.refusal(internalFault(), x.requestID)
	if err != nil {
		return true
	}
	writeAnswer(x.w, a)
	return false
}

func (x *exchange) logAccident(what string, err error) {
	route := "other"
	if x.op != nil {
		route = x.op.route()
	}
	x.log().ErrorContext(x.r.Context(), what, "route", route, "error", err) //nolint:sloglint // the callers' messages are constants
}

func (x *exchange) log() *slog.Logger {
	return x.edge.config.Logger.With("request_id", x.requestID, "subject", x.subject)
}

func isMethod(m string) bool {
	switch m {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodOptions, http.MethodConnect, http.MethodTrace:
		return true
	}
	return false
}

// recorder records the status of an answer.
type recorder struct {
	http.ResponseWriter
	status int
}

// WriteHeader records the status.
func (w *recorder) WriteHeader(status int) {
	if w.status == 0 && status >= http.StatusOK { // 1xx are not the final answer
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write records that the answer began.
func (w *recorder) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(b) //nolint:wrapcheck // a ResponseWriter returns errors unchanged
}

// Unwrap lets http.ResponseController flush and set deadlines.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }
