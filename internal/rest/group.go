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
	"github.com/conclave-rooms/conclave/internal/asset"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/schema"
)

// Authenticator recognises a bearer. It puts the caller into the context and
// names the subject that rate limits count (a key's id, a seat). An unknown
// bearer is an Unauthenticated fault. The bearer is never empty.
type Authenticator func(ctx context.Context, bearer string) (context.Context, string, error)

// Group is one prefix with its own credentials and its own OpenAPI document.
type Group struct {
	edge        *Edge
	prefix      string
	authn       Authenticator
	title       string
	description string
	tickets     bool         // for people, not for keys: no scopes, no idempotency keys
	cookie      string       // the cookie with the credentials; "": they are in the Authorization header
	sessions    *Sessions    // signed-in people who may use a group for keys; nil: none
	anyOrigin   bool         // pages of every origin may use it
	missing     *fault.Error // refuses a request without credentials
	root        branch
	payloads    []schema.Webhook // the requests that the service sends
	events      []schema.Event   // of the stream that the service sends
	ops         []*operation     // in the order of registration, which is also that of the document

	document func() ([]byte, error)
	file     *asset.File // the document, compressed
}

// GroupOption changes a group from the default, which is one for API keys.
type GroupOption func(*Group)

// Tickets makes a group for people with tickets: operations have no scopes and
// take no idempotency keys. missing refuses a request without a ticket.
func Tickets(missing *fault.Error) GroupOption {
	return func(g *Group) { g.tickets, g.missing = true, missing }
}

// Cookies makes a group for people who sign in with a browser: the credentials
// are in a cookie, operations have no scopes and take no idempotency keys, and
// only pages of this service may change something (cookie.go). missing refuses
// a request without the cookie.
func Cookies(name string, missing *fault.Error) GroupOption {
	return func(g *Group) { g.tickets, g.cookie, g.missing = true, name, missing }
}

// Titled sets the title and introduction of the group's OpenAPI document.
func Titled(title, description string) GroupOption {
	return func(g *Group) { g.title, g.description = title, description }
}

// Group opens a prefix such as "/api/v1". Every request below it is answered in
// the envelope, even for paths without an operation.
func (e *Edge) Group(prefix string, authn Authenticator, opts ...GroupOption) *Group {
	g := &Group{
		edge: e, prefix: prefix, authn: authn, title: "Conclave API",
		missing: fault.New(fault.Unauthenticated, api.CodeAPIKeyMissing,
			"Send your API key in the header: Authorization: Bearer svc_live_..."),
	}
	for _, opt := range opts {
		opt(g)
	}
	g.document = sync.OnceValues(g.describe)
	g.file = asset.Of(g.document, mediaJSON)
	g.add(&operation{
		Op: Op{
			ID: "getOpenAPI", Method: http.MethodGet, Path: "/openapi.json", Public: true, Status: http.StatusOK,
			hidden: true,
		},
		raw: g.serveDocument,
	})
	e.groups = append(e.groups, g)
	return g
}

// Document is the group's OpenAPI 3.1 document, which is also served at
// {prefix}/openapi.json. All operations must be registered before.
func (g *Group) Document() ([]byte, error) { return g.document() }

func (g *Group) serveDocument(w http.ResponseWriter, r *http.Request) error {
	if _, err := g.document(); err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-cache")
	g.file.Serve(w, r)
	return nil
}

// branch is a node of the routing tree. The standard ServeMux does not fit,
// because it redirects unclean paths instead of refusing them, and answers in
// text.
type branch struct {
	literal map[string]*branch
	param   *branch
	methods map[string]*operation
}

// add adds an operation to the tree. It panics on a mistake in the
// registration, which is a mistake in the program that the first test finds.
func (g *Group) add(op *operation) {
	op.group = g
	at := &g.root
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
		panic(fmt.Sprintf("rest: %s %s%s is registered twice", op.Method, g.prefix, op.Path))
	}
	at.methods[op.Method] = op
	g.ops = append(g.ops, op)
	if op.in == nil {
		return
	}
	if missing := op.in.PathMismatch(op.names); missing != "" {
		panic(fmt.Sprintf("rest: %s: the path and the input disagree on %s", op.ID, missing))
	}
}

func segments(path string) []string { return strings.Split(strings.TrimPrefix(path, "/"), "/") }

// route finds the operation of a request and the values in its path. escaped is
// the path below the prefix as it was sent, so that an escaped slash remains
// part of a value.
func (g *Group) route(method, escaped string) (*operation, []string, error) {
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
		at, values = g.root.find(parts, nil)
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

// Groups are the edge's groups, in the order in which they were opened.
func (e *Edge) Groups() []*Group { return e.groups }

// Prefix is what the group's paths begin with.
func (g *Group) Prefix() string { return g.prefix }
