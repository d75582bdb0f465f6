package rest

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/schema"
)

// Op describes an operation: what the edge checks before the handler runs, and
// what the OpenAPI document says.
type Op struct {
	ID          string // unique, lowerCamelCase: operationId of the document
	Method      string
	Path        string // below the group's prefix, such as "/rooms/{room_id}"
	Summary     string
	Description string
	Tag         string

	// Scope is what a key needs; empty: any valid key. Groups for tickets have
	// no scopes.
	Scope api.Scope
	// KeysOnly operations take no session, in a group that takes sessions.
	KeysOnly bool
	// Public operations need no credentials. If a bearer is sent and
	// recognised, its owner is in the context; Bearer returns it as sent.
	Public bool
	// Status of success, 200 when zero. With 201 the answer carries Location
	// when the Out value has a method Location() string with its path below
	// the prefix.
	Status int
	// Limit names a class of Limits, per caller or per address, that applies
	// beside the general one.
	Limit string
	// NoTurn operations take no turn and wait for none, because they change
	// nothing, wait for other servers, or have a limit of their own. They do not
	// count as changes in a meeting either.
	NoTurn bool
	// MaxBody is the largest JSON body, in bytes; zero: the package's MaxBody.
	MaxBody int64
	// Errors are the codes of the handler, beyond those that every operation
	// has.
	Errors []string
	// Secret marks an answer with a secret that is valid for minutes, such as a
	// media token. An answer stored for an idempotency key is then deleted as
	// soon.
	Secret bool
	// Again marks an operation that changes nothing and whose answer may be large or the
	// key to something. For a request with an idempotency key, only the fact that it was
	// done is stored, and a repeated request is done again.
	Again bool
	// Object is the object that the operation is about, such as api.Room{}. Its
	// fields that the body does not take are read-only rather than unknown.
	Object any
	// Produces is the media type of a raw operation's answer.
	Produces string

	hidden bool // not in the document: the document itself
}

// Option configures an operation with something that depends on its In type.
type Option[In any] func(*operation)

// Current lets a body repeat read-only fields with their current values, so
// that an object can be fetched, edited and sent back. load returns the object
// as the API shows it now or, for a POST, the initial values of a new one. It
// is only called when a read-only field was sent.
func Current[In any](load func(ctx context.Context, in *In) (any, error)) Option[In] {
	return func(op *operation) {
		op.current = func(ctx context.Context, in any) (any, error) {
			typed, ok := in.(*In)
			if !ok {
				return nil, fmt.Errorf("the input of %s is a %T", op.ID, in)
			}
			return load(ctx, typed)
		}
	}
}

// Rules are what a request must keep to beyond its schema, such as a time that must be
// after another one. The handler refuses requests that break one of them. check finds all that
// are broken, and is only called when a request is refused anyway, so that the caller learns of
// everything at once. wrong says whether a field is wrong by itself: it may hold any value then, and
// check must not judge it.
func Rules[In any](check func(ctx context.Context, in *In, wrong func(param string) bool) error) Option[In] {
	return func(op *operation) {
		op.rules = func(ctx context.Context, in any, wrong func(param string) bool) error {
			typed, ok := in.(*In)
			if !ok {
				return fmt.Errorf("the input of %s is a %T", op.ID, in)
			}
			return check(ctx, typed, wrong)
		}
	}
}

// Replay adds a check that may refuse to repeat a stored answer; it gets the answer's
// body. Use it when the answer holds the secret of a thing that may have been deleted.
func Replay[In any](check func(ctx context.Context, kept []byte) error) Option[In] {
	return func(op *operation) { op.replay = check }
}

// Handle registers an operation. In is a struct with fields tagged path or
// query, and a field Body if the operation takes one. The handler returns the
// object to answer with, or a fault.
func Handle[In, Out any](g *Group, op Op, h func(ctx context.Context, in *In) (Out, error), opts ...Option[In]) {
	o := typed(g, op, func(ctx context.Context, in *In) (any, error) { return h(ctx, in) })
	o.answers(reflect.TypeFor[Out]())
	for _, opt := range opts {
		opt(o)
	}
	g.add(o)
}

// typed makes an operation that decodes its input into an In.
func typed[In any](g *Group, op Op, h func(ctx context.Context, in *In) (any, error)) *operation {
	o := g.operation(op)
	in, err := schema.InputOf(reflect.TypeFor[In](), op.Method == http.MethodPatch)
	if err != nil {
		panic(fmt.Sprintf("rest: %s: %s", op.ID, err))
	}
	o.in = in
	o.make = func() any { return new(In) }
	o.run = func(ctx context.Context, in any) (any, error) {
		typed, ok := in.(*In)
		if !ok {
			return nil, fmt.Errorf("the input of %s is a %T", op.ID, in)
		}
		return h(ctx, typed)
	}
	return o
}

// HandleRaw registers an operation that writes its answer itself: a stream of
// events or bytes. An error before the first byte is answered as usual; after
// it, the connection is cut. r.PathValue returns path values. The handler reads
// the body and query itself.
func HandleRaw(g *Group, op Op, h func(w http.ResponseWriter, r *http.Request) error) {
	o := g.operation(op)
	o.raw = h
	g.add(o)
}

// operation is a registered Op.
type operation struct {
	Op
	group *Group
	names []string // of the path values, in order

	in      *schema.Input
	out     *schema.Schema
	located bool // the answer may say where it is
	make    func() any
	run     func(ctx context.Context, in any) (any, error)
	raw     func(w http.ResponseWriter, r *http.Request) error
	current func(ctx context.Context, in any) (any, error)
	rules   func(ctx context.Context, in any, wrong func(param string) bool) error // nil: none beyond the schema
	replay  func(ctx context.Context, kept []byte) error                           // nil: every stored answer may be repeated
	object  *schema.Schema                                                         // of Op.Object

	most int64 // the largest body, for an operation that takes bytes; zero: it takes JSON
	file bool  // the answer is a File
}

// answers sets the type of the answer.
func (o *operation) answers(t reflect.Type) {
	o.out = schema.Of(t)
	o.located = t.Implements(reflect.TypeFor[interface{ Location() string }]())
}

// operation checks a registration and fills in its defaults.
func (g *Group) operation(op Op) *operation {
	if op.Status == 0 {
		op.Status = http.StatusOK
	}
	if op.MaxBody == 0 {
		op.MaxBody = MaxBody
	}
	if op.ID == "" || !strings.HasPrefix(op.Path, "/") {
		panic(fmt.Sprintf("rest: the operation %q %s %q is incomplete", op.ID, op.Method, op.Path))
	}
	if slices.ContainsFunc(g.ops, func(o *operation) bool { return o.ID == op.ID }) {
		panic("rest: two operations are called " + op.ID)
	}
	for _, code := range op.Errors {
		if _, ok := codeDoc(code); !ok {
			panic(fmt.Sprintf("rest: %s may answer %s, which is not in the table of codes", op.ID, code))
		}
	}
	if op.Limit != "" {
		if class, ok := DefaultLimits().Classes[op.Limit]; !ok || class.Per == PerSubject {
			panic(fmt.Sprintf("rest: %s has the limit %s, which is not a class that the edge counts", op.ID, op.Limit))
		}
	}
	o := &operation{Op: op}
	if op.Object != nil {
		o.object = schema.Of(reflect.TypeOf(op.Object))
	}
	return o
}

// writes says whether the operation changes something.
func (o *operation) writes() bool {
	return o.Method == http.MethodPost || o.Method == http.MethodPatch || o.Method == http.MethodDelete ||
		o.Method == http.MethodPut
}

// route is the path pattern, for logs and metrics.
func (o *operation) route() string { return o.group.prefix + o.Path }
