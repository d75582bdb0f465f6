package rest

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
)

// Authenticator recognises a bearer: it puts who it is into the context, and
// names the subject that rate limits count (a key's id, a seat). It answers a
// bearer it does not know with an Unauthenticated fault. The bearer is never
// empty.
type Authenticator func(ctx context.Context, bearer string) (context.Context, string, error)

// Door is one prefix with its own credentials and its own OpenAPI document.
type Door struct {
	edge        *Edge
	prefix      string
	authn       Authenticator
	title       string
	description string
	tickets     bool         // a door for people, not for keys: no scopes, no idempotency keys
	cookie      string       // the cookie that holds the credentials; "": the Authorization header does
	sessions    *Sessions    // signed-in people whom a door for keys takes too; nil: none
	anyOrigin   bool         // pages of every origin may use it
	missing     *fault.Error // the refusal of a request without credentials
	root        branch
	payloads    []Payload    // what the service sends to others
	ops         []*operation // as they were registered, which is the order of the document

	document func() ([]byte, error)
}

// DoorOption changes a door from the default, which is one for API keys.
type DoorOption func(*Door)

// Tickets makes a door for people with tickets: operations have no scopes and
// take no idempotency keys. missing is the refusal of a request without one.
func Tickets(missing *fault.Error) DoorOption {
	return func(d *Door) { d.tickets, d.missing = true, missing }
}

// Cookies makes a door for people whose browsers sign in: the credentials are
// in a cookie, operations have no scopes and take no idempotency keys, and
// whatever changes something has to come from a page of this service
// (cookie.go). missing is the refusal of a request without the cookie.
func Cookies(name string, missing *fault.Error) DoorOption {
	return func(d *Door) { d.tickets, d.cookie, d.missing = true, name, missing }
}

// Titled gives the door's OpenAPI document its title and introduction.
func Titled(title, description string) DoorOption {
	return func(d *Door) { d.title, d.description = title, description }
}

// Door opens a prefix such as "/api/v1". Everything below it answers in the
// envelope, registered or not.
func (e *Edge) Door(prefix string, authn Authenticator, opts ...DoorOption) *Door {
	d := &Door{
		edge: e, prefix: prefix, authn: authn, title: "Conclave API",
		missing: fault.New(fault.Unauthenticated, api.CodeAPIKeyMissing,
			"Send your API key in the header: Authorization: Bearer svc_live_..."),
	}
	for _, opt := range opts {
		opt(d)
	}
	d.document = sync.OnceValues(d.describe)
	d.add(&operation{
		Op: Op{
			ID: "getOpenAPI", Method: http.MethodGet, Path: "/openapi.json", Public: true, Status: http.StatusOK,
			hidden: true,
		},
		raw: d.serveDocument,
	})
	e.doors = append(e.doors, d)
	return d
}

// Document is the door's OpenAPI 3.1 document, the one served at
// {prefix}/openapi.json. Everything has to be registered before.
func (d *Door) Document() ([]byte, error) { return d.document() }

func (d *Door) serveDocument(w http.ResponseWriter, _ *http.Request) error {
	doc, err := d.document()
	if err != nil {
		return err
	}
	writeAnswer(w, answer{Status: http.StatusOK, Body: doc})
	return nil
}

// branch is a step of the routing tree. The standard ServeMux is not used,
// because it redirects odd paths instead of refusing them, and answers in
// text.
type branch struct {
	literal map[string]*branch
	param   *branch
	methods map[string]*operation
}

// add puts an operation into the tree. A mistake in a registration is a
// mistake in the program, found by the first test that starts it: it panics.
func (d *Door) add(op *operation) {
	op.door = d
	at := &d.root
	for _, part := range segments(op.Path) {
		if name, ok := strings.CutPrefix(part, "{"); ok {
			op.names = append(op.names, strings.TrimSuffix(name, "}"))
			if at.param == nil {
				at.param = &branch{}
			}
			at = at.param
			continue
		}
		if at.literal == nil {
			at.literal = map[string]*branch{}
		}
		if at.literal[part] == nil {
			at.literal[part] = &branch{}
		}
		at = at.literal[part]
	}
	if at.methods == nil {
		at.methods = map[string]*operation{}
	}
	if at.methods[op.Method] != nil {
		panic(fmt.Sprintf("rest: %s %s%s is registered twice", op.Method, d.prefix, op.Path))
	}
	at.methods[op.Method] = op
	d.ops = append(d.ops, op)
	if op.in == nil {
		return
	}
	if missing := op.in.pathMismatch(op.names); missing != "" {
		panic(fmt.Sprintf("rest: %s: the path and the input disagree on %s", op.ID, missing))
	}
}

func segments(path string) []string { return strings.Split(strings.TrimPrefix(path, "/"), "/") }

// route finds the operation of a request and the values in its path. escaped
// is the path below the prefix as it was sent, so that an escaped slash stays
// part of a value.
func (d *Door) route(method, escaped string) (*operation, []string, error) {
	at, values := (*branch)(nil), []string(nil)
	if strings.HasPrefix(escaped, "/") {
		parts := segments(escaped)
		for i, part := range parts {
			plain, err := url.PathUnescape(part)
			if err != nil {
				return nil, nil, routeNotFound()
			}
			parts[i] = plain
		}
		at, values = d.root.find(parts, nil)
	}
	if at == nil {
		return nil, nil, routeNotFound()
	}
	if op := at.methods[method]; op != nil {
		return op, values, nil
	}
	if op := at.methods[http.MethodGet]; op != nil && method == http.MethodHead {
		return op, values, nil
	}
	return nil, nil, methodNotAllowed(at)
}

// find walks the tree; a literal step wins over a parameter.
func (b *branch) find(parts, values []string) (*branch, []string) {
	if len(parts) == 0 {
		if b.methods == nil {
			return nil, nil
		}
		return b, values
	}
	if next := b.literal[parts[0]]; next != nil {
		if found, v := next.find(parts[1:], values); found != nil {
			return found, v
		}
	}
	if b.param == nil || parts[0] == "" {
		return nil, nil
	}
	return b.param.find(parts[1:], append(slices.Clip(values), parts[0]))
}

func routeNotFound() error {
	return fault.New(fault.NotFound, api.CodeRouteNotFound, "There is no such path. The API reference lists them all.")
}

func methodNotAllowed(at *branch) error {
	methods := slices.Collect(maps.Keys(at.methods))
	if slices.Contains(methods, http.MethodGet) {
		methods = append(methods, http.MethodHead)
	}
	slices.Sort(methods)
	allow := strings.Join(methods, ", ")
	f := fault.New(fault.MethodNotAllowed, api.CodeMethodNotAllowed, "This path answers "+allow+" only.")
	f.Allow = allow
	return f
}

// Doors are the edge's doors, in the order in which they were opened.
func (e *Edge) Doors() []*Door { return e.doors }

// Prefix is what the door's paths begin with.
func (d *Door) Prefix() string { return d.prefix }
