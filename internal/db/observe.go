package db

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"modernc.org/sqlite"
)

// Transaction says how a transaction went, for metrics.
type Transaction struct {
	Writes bool
	Took   time.Duration // with all tries, and the waiting in between
	Tries  int
	Failed Failure
}

// Failure is a class of the errors of a database. Errors of the database's callers, such
// as refusals, do not count.
type Failure string

// The classes of errors.
const (
	NoFailure      Failure = ""
	Unreachable    Failure = "unavailable"     // it cannot be reached, or cannot work
	UnknownOutcome Failure = "unknown_outcome" // the connection broke during a commit
	Conflict       Failure = "conflict"        // repeated as often as allowed
	BadStatement   Failure = "statement"       // it refused a statement
)

// failure is the class of an error.
func failure(err error) Failure {
	_, pg := errors.AsType[*pgconn.PgError](err)
	_, lite := errors.AsType[*sqlite.Error](err)
	switch {
	case err == nil:
		return NoFailure
	case errors.Is(err, ErrOutcomeUnknown):
		return UnknownOutcome
	case retryable(err):
		return Conflict
	case Unavailable(err):
		return Unreachable
	case pg || lite:
		return BadStatement
	}
	return NoFailure
}

// observed measures a transaction. If the request that it belongs to is traced, it is
// a part of that trace.
func (d *DB) observed(ctx context.Context, writes bool, run func(ctx context.Context) (tries int, err error)) error {
	name := "read"
	if writes {
		name = "write"
	}
	var span trace.Span
	if parent := trace.SpanFromContext(ctx); parent.IsRecording() {
		ctx, span = parent.TracerProvider().Tracer("conclave").Start(ctx, name, trace.WithAttributes(attribute.String("db.system", string(d.engine))))
		defer span.End()
	}
	began := time.Now()
	tries, err := run(ctx)
	t := Transaction{Writes: writes, Took: time.Since(began), Tries: tries, Failed: failure(err)}
	d.observe(t)
	if span != nil {
		span.SetAttributes(attribute.Int("conclave.tries", tries))
		if t.Failed != NoFailure {
			span.SetStatus(codes.Error, string(t.Failed))
		}
	}
	return err
}
