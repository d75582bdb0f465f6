package rest

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/schema"
)

type contextKey int

const (
	bearerKey contextKey = iota + 1
	requestIDKey
	exchangeKey
	roomKey
)

// Bearer returns the bearer of the request as sent, empty without one. It is
// for public operations, which do not require a bearer.
func Bearer(ctx context.Context) string {
	s, _ := ctx.Value(bearerKey).(string)
	return s
}

// RequestID returns the id of the request, for logs.
func RequestID(ctx context.Context) string {
	s, _ := ctx.Value(requestIDKey).(string)
	return s
}

// serve answers a request, or refuses it with a fault: it finds the operation, checks
// the caller, and runs the operation. doc.go shows the order of the checks.
func (x *exchange) serve() error {
	method, values, err := x.route()
	if err != nil {
		return err
	}
	if method != x.r.Method {
		allowMethod(x.w, method)
		return nil
	}
	for _, check := range []func() error{x.checkOrigin, x.authenticate, x.countRequest, x.checkScope} {
		if err := check(); err != nil {
			return err
		}
	}
	x.recognised = x.edge.config.Now()
	x.clock.Stop()
	switch op := x.op; {
	case op.raw != nil:
		return x.serveRaw(values)
	case op.most > 0:
		return x.serveUpload(values)
	case op.file:
		return x.serveFile(values)
	default:
		return x.serveObject(values)
	}
}

// route finds the operation, and the values in its path. The method is that of the
// request or, for a preflight, the one for which the browser asks permission.
func (x *exchange) route() (method string, values []string, err error) {
	group, below := x.edge.group(x.r)
	if group == nil {
		return "", nil, routeNotFound()
	}
	method = x.r.Method
	if group.anyOrigin {
		allowOrigins(x.w.Header())
		if wanted := preflight(x.r); wanted != "" {
			method = wanted
		}
	}
	x.op, values, err = group.route(method, below)
	return method, values, err
}

// dropUnreadBody closes a body that has no meaning (RFC 9110), that of a GET. Over HTTP/2
// it would stay in memory until the answer is complete, which may take hours for a stream
// or a large file.
func (x *exchange) dropUnreadBody() {
	if !x.op.writes() && x.r.ContentLength != 0 && x.r.Body != nil {
		_ = x.r.Body.Close() // whether it ends well does not matter
	}
}

// serveRaw lets an operation write its answer itself.
func (x *exchange) serveRaw(values []string) error {
	x.dropUnreadBody()
	for i, name := range x.op.names {
		x.r.SetPathValue(name, values[i])
	}
	return x.op.raw(x.w, x.r)
}

// serveObject reads a body of JSON, runs the operation and answers in JSON.
func (x *exchange) serveObject(values []string) error {
	body, err := x.readBody()
	if err != nil {
		return err
	}
	x.clock.Reset(answerWithin)
	if err := x.recogniseAgain(); err != nil {
		return err
	}
	do, err := x.decode(values, body)
	if err != nil {
		return err
	}
	a, err := x.answerInTurn(do, values, body)
	if err != nil {
		return err
	}
	return x.write(a)
}

// authenticate recognises the bearer. A public operation goes on when it is
// unknown.
func (x *exchange) authenticate() error {
	ctx := context.WithValue(x.r.Context(), requestIDKey, x.requestID)
	ctx = context.WithValue(ctx, exchangeKey, x)
	if cookie, ok := x.session(); ok {
		x.r = x.r.WithContext(ctx)
		return x.recogniseSession(ctx, cookie)
	}
	bearer, ok := x.credentials()
	if ok {
		ctx = context.WithValue(ctx, bearerKey, bearer)
	}
	x.r = x.r.WithContext(ctx)
	switch {
	case !ok && x.op.Public:
		return nil
	case !ok:
		return x.countFailure(x.op.group.missing)
	}
	known, subject, err := x.op.group.authn(ctx, bearer)
	f, refused := fault.As(err)
	switch {
	case err == nil:
		x.r, x.subject = x.r.WithContext(known), subject
		return nil
	case refused && x.op.Public:
		return nil
	case refused && f.Kind == fault.Unauthenticated:
		return x.countFailure(err)
	default:
		return err
	}
}

// recognisedFor is how long a caller counts as recognised while the body arrives.
// Keys and sessions must end within a second (docs/reference/authentication.md), and
// a node may have remembered a key for the other half of it.
const recognisedFor = 500 * time.Millisecond

// recogniseAgain recognises the caller once more if the body took long. Otherwise
// somebody could send requests without their last bytes, and complete them after the
// key was revoked. The handlers of public operations recognise callers themselves.
func (x *exchange) recogniseAgain() error {
	age := x.edge.config.Now().Sub(x.recognised)
	if x.op.Public || age >= 0 && age < recognisedFor {
		return nil
	}
	if err := x.authenticate(); err != nil {
		return err
	}
	return x.checkScope()
}

// recogniseSession recognises a signed-in person in a group for keys.
func (x *exchange) recogniseSession(ctx context.Context, cookie string) error {
	s := x.op.group.sessions
	chosen := strings.Join(x.r.Header.Values(s.Header), ", ")
	known, subject, err := s.Recognise(ctx, cookie, chosen)
	x.subject = subject
	f, refused := fault.As(err)
	switch {
	case err == nil:
		x.r, x.inSession = x.r.WithContext(known), true
		return nil
	case refused && f.Kind == fault.Unauthenticated:
		return x.countFailure(err)
	case refused && subject != "":
		if limited := x.countRequest(); limited != nil {
			return limited
		}
	}
	return err
}

// credentials finds the kind of credentials that the group takes.
func (x *exchange) credentials() (string, bool) {
	if name := x.op.group.cookie; name != "" {
		value := cookieOf(x.r, name)
		return value, value != ""
	}
	return bearerOf(x.r.Header)
}

// bearerOf reads the Authorization header (RFC 6750). With more than one header
// it returns a bearer that no authenticator knows, because the caller is
// ambiguous.
func bearerOf(h http.Header) (string, bool) {
	values := h.Values("Authorization")
	if len(values) == 0 {
		return "", false
	}
	scheme, token, _ := strings.Cut(strings.Join(values, ", "), " ")
	token = strings.Trim(token, " ")
	return token, strings.EqualFold(scheme, "Bearer") && token != ""
}

func (x *exchange) checkScope() error {
	scope := x.op.Scope
	if scope == "" || x.op.group.tickets || x.op.Public || auth.From(x.r.Context()).Has(scope) {
		return nil
	}
	who := "This key lacks the scope "
	if x.inSession {
		who = "Your role in this workspace does not carry the scope "
	}
	f := fault.New(fault.Forbidden, api.CodeInsufficientScope, who+string(scope)+".")
	f.RequiredScope = string(scope)
	return f
}

// work is what an operation does with a valid input.
type work func(ctx context.Context) (any, error)

// decode reads path, query and body into the operation's input, and reports
// everything that is wrong with them at once.
func (x *exchange) decode(values []string, body []byte) (work, error) {
	op := x.op
	in := op.make()
	request := schema.Request{Names: op.names, Values: values, Query: x.r.URL.RawQuery, Body: body}
	reading, err := op.in.Read(in, request, op.object)
	if err != nil {
		return nil, err
	}
	if x.edge.takesKeys(op) {
		checkIdempotencyKey(reading, x.r.Header)
	}
	if reading.Wrong() {
		return nil, op.verdict(x.r.Context(), in, reading)
	}
	// Read-only fields are compared with the object as a part of the work,
	// which is done only once. For a repeated request the object would have
	// changed, through the first request.
	return func(ctx context.Context) (any, error) {
		if err := op.verdict(ctx, in, reading); err != nil {
			return nil, err
		}
		value, err := op.run(ctx, in)
		return value, op.complete(ctx, in, reading, err)
	}, nil
}

// complete returns a handler's error. A refusal of some fields becomes one of everything
// that is wrong with the request: a handler need not go on once it found something.
func (o *operation) complete(ctx context.Context, in any, reading *schema.Reading, err error) error {
	f, refused := fault.As(err)
	if !refused || len(f.Fields) == 0 || o.rules == nil {
		return err
	}
	reading.Also(err)
	reading.Also(o.rules(ctx, in, reading.Failed))
	return reading.Verdict(o.load(ctx, in)) //nolint:wrapcheck // a refusal
}

// verdict returns everything that is wrong with a request, or nil. The rules between
// fields are only asked about a request that is, or may be, refused for something else.
// Otherwise the handler does that.
func (o *operation) verdict(ctx context.Context, in any, reading *schema.Reading) error {
	if o.rules != nil && (reading.Wrong() || reading.HasReadOnly()) {
		reading.Also(o.rules(ctx, in, reading.Failed))
	}
	return reading.Verdict(o.load(ctx, in)) //nolint:wrapcheck // a refusal
}

// load returns a function that loads the object that the operation is about; nil
// when the operation does not say how.
func (o *operation) load(ctx context.Context, in any) func() (any, error) {
	if o.current == nil {
		return nil
	}
	return func() (any, error) { return o.current(ctx, in) }
}

// execute runs the handler and makes an answer of its value.
func (x *exchange) execute(ctx context.Context, do work) (answer, error) {
	value, err := do(ctx)
	if err != nil {
		return answer{}, err
	}
	body, err := schema.Encode(value)
	if err != nil {
		return answer{}, err
	}
	a := answer{Status: x.op.Status, Body: body}
	if located, ok := value.(interface{ Location() string }); ok && a.Status == http.StatusCreated {
		a.Location = x.op.group.prefix + located.Location()
	}
	return a, nil
}
