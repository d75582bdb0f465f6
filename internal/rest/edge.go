package rest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime/debug"
	"strings"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/id"
	"github.com/conclave-rooms/conclave/internal/loop"
	"github.com/conclave-rooms/conclave/internal/rest/idempotency"
	"github.com/conclave-rooms/conclave/internal/rest/limit"
	"github.com/conclave-rooms/conclave/internal/seal"
)

// Config is what an edge is made of.
type Config struct {
	Logger    *slog.Logger
	Now       func() time.Time
	PublicURL string // without a slash at its end
	Version   string // of the program, for the OpenAPI documents

	Limits  Limits        // the zero value: DefaultLimits
	Limiter limit.Limiter // nil: in memory, for one node

	// DB and Sealer keep the answers of requests with an Idempotency-Key.
	DB     *db.DB
	Sealer *seal.Sealer

	// HSTS tells browsers to come by https only: set it where TLS ends here.
	HSTS bool
	// TrustedProxies are the addresses whose X-Forwarded-For is believed.
	TrustedProxies []netip.Prefix
	// BodyTimeout is how long a body may take to arrive; zero: 30 seconds.
	BodyTimeout time.Duration
	// Observe is told of every answer, for metrics; nil: nobody.
	Observe func(Observation)
}

// Observation is one answered request.
type Observation struct {
	Route    string // the pattern, such as /api/v1/rooms/{room_id}; "other" when none matched
	Method   string // "other" when it is none of HTTP's
	Status   int
	Duration time.Duration
}

// Edge answers every request below the prefixes of its doors.
type Edge struct {
	config  Config
	doors   []*Door
	limits  Limits
	limiter limit.Limiter
	turns   *limit.Turns // by the network from which people change something
	origins *http.CrossOriginProtection
	replays *idempotency.Store // nil without a database: Idempotency-Key is refused
}

// New makes an edge without doors.
func New(c Config) *Edge {
	origins, err := newOrigins(c.PublicURL)
	if err != nil {
		panic("rest: " + err.Error()) // the configuration has been checked
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

// Run forgets, now and then, what limits and stored answers no longer need,
// until ctx ends.
func (e *Edge) Run(ctx context.Context) {
	loop.Later(ctx, time.Minute, e.Sweep, func(err error) {
		e.config.Logger.ErrorContext(ctx, "sweep the edge's tables", "error", err)
	})
}

// Sweep forgets once.
func (e *Edge) Sweep(ctx context.Context) error {
	err := e.limiter.Sweep(ctx)
	if e.replays != nil {
		err = errors.Join(err, e.replays.Sweep(ctx))
	}
	return err
}

// Wrap sends requests below the doors' prefixes to the edge and all others to
// next. It stands before any ServeMux, which would redirect odd paths.
func (e *Edge) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if door, _ := e.door(r); door != nil {
			e.ServeHTTP(w, r)
			return
		}
		e.awaitBody(w, r)
		next.ServeHTTP(w, r)
	})
}

// door finds the door of a request, and the escaped path below its prefix.
func (e *Edge) door(r *http.Request) (*Door, string) {
	path := r.URL.EscapedPath()
	for _, d := range e.doors {
		if rest, ok := strings.CutPrefix(path, d.prefix); ok && (rest == "" || rest[0] == '/') {
			return d, rest
		}
	}
	return nil, ""
}

// ServeHTTP answers a request, whatever becomes of it, with a request id, in
// the envelope, with one line in the log.
func (e *Edge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &exchange{
		edge:      e,
		requestID: "req_" + id.Random(26, id.Lower),
		start:     e.config.Now(),
		w:         &recorder{ResponseWriter: w},
		r:         r,
	}
	h := w.Header()
	h.Set("Request-Id", x.requestID)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	if e.config.HSTS {
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
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
	subject  string     // who asks, as the authenticator names them
	replayed bool

	inSession bool // a signed-in person asks, at a door for keys

	upload *Upload // the body, of an operation that takes bytes
}

// refuse answers an error: a fault in its own words, any other as an accident
// whose cause goes to the log.
func (x *exchange) refuse(err error) {
	f, isFault := fault.As(err)
	ctx := x.r.Context()
	switch {
	case !isFault && ctx.Err() != nil && errors.Is(err, ctx.Err()):
		// Whoever asked is gone, or the service stops: no accident.
		f = fault.Down(api.CodeServiceUnavailable, "The request was interrupted. Send it again.", time.Second, err)
	case !isFault:
		x.logAccident("request failed", err)
		f = internalFault()
	case errors.Unwrap(f) != nil:
		x.log().WarnContext(ctx, "part of the service is not available", "code", f.Code, "error", errors.Unwrap(f))
	}
	if x.w.status != 0 {
		// Part of the answer is out. Cutting the connection is the only way
		// left to say that it is not whole.
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

// done catches a panic, so that it costs one request and not the process,
// writes the line in the log and tells the metrics.
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
	if !isMethod(o.Method) { // made up by the caller: metrics and logs take no such words
		o.Method = "other"
	}
	x.log().InfoContext(x.r.Context(), "request",
		"method", o.Method, "route", o.Route, "status", o.Status,
		"duration_ms", o.Duration.Milliseconds(), "replayed", x.replayed)
	if x.edge.config.Observe != nil {
		x.edge.config.Observe(o)
	}
	if abort {
		panic(http.ErrAbortHandler)
	}
}

// panicked answers a panic and says whether the connection has to be cut.
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

// recorder remembers the status of an answer.
type recorder struct {
	http.ResponseWriter
	status int
}

// WriteHeader notes the status.
func (w *recorder) WriteHeader(status int) {
	if w.status == 0 && status >= http.StatusOK { // 1xx are not the answer yet
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write notes that the answer began.
func (w *recorder) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(b) //nolint:wrapcheck // a ResponseWriter hands on what it gets
}

// Unwrap lets http.ResponseController flush and set deadlines.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }
