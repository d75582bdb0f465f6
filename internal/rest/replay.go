package rest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/rest/idempotency"
	"github.com/conclave-rooms/conclave/internal/schema"
)

const (
	idempotencyHeader = "Idempotency-Key"
	longestKey        = 255

	keepAnswer = 24 * time.Hour
	keepSecret = 10 * time.Minute // no longer than a media token is valid
)

// takesKeys says whether an operation supports Idempotency-Key: every write in
// a group for API keys does.
func (e *Edge) takesKeys(o *operation) bool { return o.writes() && !o.group.tickets && !o.Public }

// checkIdempotencyKey checks the header like a field of the request.
func checkIdempotencyKey(d *schema.Reading, h http.Header) {
	values := h.Values(idempotencyHeader)
	if len(values) == 0 {
		return
	}
	key := values[0]
	unprintable := strings.ContainsFunc(key, func(r rune) bool { return r < 0x20 || r > 0x7e })
	if len(values) > 1 || key == "" || len(key) > longestKey || unprintable {
		d.Fail(idempotencyHeader, idempotencyHeader+" must be one value of 1 to 255 printable ASCII characters.")
	}
}

// answer runs the operation, or repeats the stored answer to an earlier request
// with the same Idempotency-Key.
func (x *exchange) answer(do work, values []string, body []byte) (answer, error) {
	key := x.r.Header.Get(idempotencyHeader)
	if key == "" || !x.edge.takesKeys(x.op) {
		return x.execute(x.r.Context(), do)
	}
	if x.edge.replays == nil {
		return answer{}, fault.BadParameter(idempotencyHeader, "This server stores no answers, so it takes no "+idempotencyHeader+".")
	}
	request := &idempotency.Request{Subject: x.subject, Key: key, Fingerprint: x.fingerprint(values, body)}
	stored, replay, err := x.edge.replays.Begin(x.r.Context(), request)
	switch {
	case errors.Is(err, idempotency.ErrInUse):
		return answer{}, fault.Conflicting(api.CodeIdempotencyKeyInUse,
			"The first request with this Idempotency-Key is still running. Send this one again in a moment.")
	case errors.Is(err, idempotency.ErrReused):
		return answer{}, fault.New(fault.KeyReused, api.CodeIdempotencyKeyReused,
			"This Idempotency-Key was used for another request. Use a new key for a new request.")
	case err != nil:
		return answer{}, err
	case replay:
		return x.replay(stored, do)
	}
	return x.remember(request, do)
}

// fingerprint identifies a request by method, path, query, workspace and body.
func (x *exchange) fingerprint(values []string, body []byte) string {
	h := sha256.New()
	parts := append([]string{x.op.ID, x.r.URL.RawQuery}, values...)
	if x.inSession { // a key has one workspace, a person may have several
		parts = append(parts, auth.From(x.r.Context()).WorkspaceID)
	}
	for _, part := range parts {
		_, _ = fmt.Fprintf(h, "%d:%s,", len(part), part)
	}
	_, _ = h.Write(body)
	return hex.EncodeToString(h.Sum(nil))
}

// remember runs the operation and stores its answer. The operation runs to its
// end even if the caller is gone, and its answer is stored, because the caller
// will repeat the request. An operation that ended between its change and its
// answer would then be done twice.
func (x *exchange) remember(request *idempotency.Request, do work) (a answer, err error) {
	ctx := context.WithoutCancel(x.r.Context())
	release := true
	defer func() {
		if !release {
			return // this also frees the key when the handler panics
		}
		if releaseErr := x.edge.replays.Release(ctx, request); releaseErr != nil {
			x.logAccident("give an idempotency key back", releaseErr)
		}
	}()
	working, end := context.WithTimeout(ctx, idempotency.Lease)
	defer end()
	a, err = x.execute(working, do)
	if errors.Is(err, db.ErrOutcomeUnknown) {
		release = false // the work may be done: the lease holds a repetition back for a while
		return answer{}, err
	}
	toKeep := a
	if x.op.Again {
		toKeep.Body = nil
	}
	if f, ok := fault.As(err); ok && keeps(f) {
		refusal, encodeErr := x.edge.refusal(f, x.requestID)
		if encodeErr != nil {
			return answer{}, encodeErr
		}
		toKeep = refusal
	} else if err != nil {
		return answer{}, err
	}
	if encodeErr := x.keep(ctx, request, toKeep); encodeErr != nil {
		return answer{}, encodeErr
	}
	release = false
	return a, err
}

// keep stores an answer for later requests with the same key.
func (x *exchange) keep(ctx context.Context, request *idempotency.Request, a answer) error {
	raw, err := json.Marshal(a)
	if err != nil {
		return fmt.Errorf("encode an answer to keep: %w", err)
	}
	life := keepAnswer
	if x.op.Secret {
		life = keepSecret
	}
	if err := x.edge.replays.Finish(ctx, request, raw, life); err != nil {
		// The work is done. It would be wrong to report a failure, and wrong to
		// do the work again: the lease holds a repetition back for a while.
		x.logAccident("keep an answer", err)
	}
	return nil
}

// keeps says whether a refusal is stored. Refusals that depend on the state
// (not there, not now) are. After a failure of the service, or a request that
// is wrong in itself, nothing was done, and the request may be sent again.
func keeps(f *fault.Error) bool {
	switch f.Kind {
	case fault.Forbidden, fault.NotFound, fault.Conflict:
		return true
	case fault.Invalid:
		return len(f.Fields) == 0
	case fault.Unauthenticated, fault.MethodNotAllowed, fault.TooLarge, fault.UnsupportedMediaType, fault.RangeNotSatisfiable,
		fault.KeyReused, fault.RateLimited, fault.Internal, fault.Unavailable, fault.StorageFull:
		return false
	}
	return false
}

// replay repeats a stored answer. A refusal gets the id of the current request.
func (x *exchange) replay(stored []byte, do work) (answer, error) {
	var a answer
	if err := json.Unmarshal(stored, &a); err != nil {
		return answer{}, fmt.Errorf("read a stored answer: %w", err)
	}
	switch {
	case a.Status >= http.StatusBadRequest:
		var refusal api.ErrorResponse
		if err := json.Unmarshal(a.Body, &refusal); err != nil {
			return answer{}, fmt.Errorf("read a stored refusal: %w", err)
		}
		refusal.Error.RequestID = x.requestID
		body, err := schema.Encode(refusal)
		if err != nil {
			return answer{}, err
		}
		a.Body = body
	case x.op.Again:
		again, err := x.execute(x.r.Context(), do)
		if err != nil {
			return answer{}, err
		}
		a = again
	case x.op.replay != nil:
		if err := x.op.replay(x.r.Context(), a.Body); err != nil {
			return answer{}, err
		}
	}
	x.w.Header().Set("Idempotency-Replayed", "true")
	x.replayed = true
	return a, nil
}
