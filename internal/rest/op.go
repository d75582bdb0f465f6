package rest

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/conclave-rooms/conclave/api"
)

// Op describes an operation: what the edge checks before the handler runs and
// what the OpenAPI document tells of it.
type Op struct {
	ID          string // unique, lowerCamelCase: operationId of the document
	Method      string
	Path        string // below the door's prefix, such as "/rooms/{room_id}"
	Summary     string
	Description string
	Tag         string

	// Scope is what a key needs; empty: any valid key will do. Doors for
	// tickets have no scopes.
	Scope api.Scope
	// KeysOnly operations take no session where their door takes sessions.
	KeysOnly bool
	// Public operations need no credentials. A bearer that is there anyway
	// and is recognised puts its owner into the context; Bearer gives it raw.
	Public bool
	// Status of success, 200 when zero. With 201 the answer carries Location
	// when the Out value has a method Location() string with its path below
	// the prefix.
	Status int
	// Limit names a class of Limits, of the caller or of the address, that
	// counts beside the general one.
	Limit string
	// NoTurn operations do not wait for one of the few turns of their address,
	// and take none: they change nothing, they wait for somebody else's server,
	// or they have a bound of their own.
	NoTurn bool
	// Errors are the codes the handler may answer beyond those every
	// operation has.
	Errors []string
	// Secret says that the answer is a secret that is good for minutes, such as
	// a media token: kept for an idempotency key, it is kept for no longer.
	Secret bool
	// Object is the object the operation is about, such as api.Room{}. Fields
	// of it that the body does not take are read-only rather than unknown.
	Object any
	// Produces is the media type of a raw operation's answer.
	Produces string

	hidden bool // not part of the document: the document itself
}

// Option adds to an operation what depends on its In type.
type Option[In any] func(*operation)

// Current lets a body repeat read-only fields with the value they have, so
// that an object can be fetched, edited and sent back: load gives the object
// as the API shows it now, or for a POST the values a new object starts with.
// It is asked only when a read-only field was sent.
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

// Replay lets check refuse to give a kept answer again, whose body it gets: for
// answers that hold a secret of something that may be gone by then.
func Replay[In any](check func(ctx context.Context, kept []byte) error) Option[In] {
	return func(op *operation) { op.replay = check }
}

// Handle registers an operation. In is a struct with fields tagged path or
// query, and a field Body when the operation takes one. The handler returns
// the object to answer with, or a fault.
func Handle[In, Out any](d *Door, op Op, h func(ctx context.Context, in *In) (Out, error), opts ...Option[In]) {
	o := typed(d, op, func(ctx context.Context, in *In) (any, error) { return h(ctx, in) })
	o.out = compileType(reflect.TypeFor[Out]())
	for _, opt := range opts {
		opt(o)
	}
	d.add(o)
}

// typed makes an operation that reads its input into an In.
func typed[In any](d *Door, op Op, h func(ctx context.Context, in *In) (any, error)) *operation {
	o := d.operation(op)
	o.in = compileInput(reflect.TypeFor[In](), op)
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
// events or bytes. An error returned before the first byte is answered like
// every other; after it the connection is cut. Values in the path are read
// with r.PathValue. Bodies and query parameters are the handler's business.
func HandleRaw(d *Door, op Op, h func(w http.ResponseWriter, r *http.Request) error) {
	o := d.operation(op)
	o.raw = h
	d.add(o)
}

// operation is a registered Op.
type operation struct {
	Op
	door  *Door
	names []string // of the values in the path, in their order

	in      *input
	out     *schema
	make    func() any
	run     func(ctx context.Context, in any) (any, error)
	raw     func(w http.ResponseWriter, r *http.Request) error
	current func(ctx context.Context, in any) (any, error)
	replay  func(ctx context.Context, kept []byte) error // nil: every kept answer is given again
	object  *schema                                      // of Op.Object

	most int64 // how many bytes the body may have, of an operation that takes bytes; zero: it takes JSON
	file bool  // it answers with a File
}

// operation checks a registration and fills in its defaults.
func (d *Door) operation(op Op) *operation {
	if op.Status == 0 {
		op.Status = http.StatusOK
	}
	if op.ID == "" || !strings.HasPrefix(op.Path, "/") {
		panic(fmt.Sprintf("rest: the operation %q %s %q is incomplete", op.ID, op.Method, op.Path))
	}
	if slices.ContainsFunc(d.ops, func(o *operation) bool { return o.ID == op.ID }) {
		panic("rest: two operations are called " + op.ID)
	}
	for _, code := range op.Errors {
		if _, ok := codeDoc(code); !ok {
			panic(fmt.Sprintf("rest: %s may answer %s, which is not in the table of codes", op.ID, code))
		}
	}
	if op.Limit != "" {
		if class, ok := DefaultLimits().Classes[op.Limit]; !ok || class.Per == PerSubject {
			panic(fmt.Sprintf("rest: %s is limited by %s, which is no class that the edge counts", op.ID, op.Limit))
		}
	}
	o := &operation{Op: op}
	if op.Object != nil {
		o.object = compileType(reflect.TypeOf(op.Object))
	}
	return o
}

// writes says whether the operation changes something.
func (o *operation) writes() bool {
	return o.Method == http.MethodPost || o.Method == http.MethodPatch || o.Method == http.MethodDelete ||
		o.Method == http.MethodPut
}

// route is the path pattern, for logs and metrics.
func (o *operation) route() string { return o.door.prefix + o.Path }
