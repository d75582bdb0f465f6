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
)

const (
	idempotencyHeader = "Idempotency-Key"
	longestKey        = 255

	keepAnswer = 24 * time.Hour
	keepSecret = 10 * time.Minute // no longer than the secret of a media token is good for
)

// takesKeys says whether an operation honours Idempotency-Key: every write
// behind a door for API keys.
func (e *Edge) takesKeys(o *operation) bool { return o.writes() && !o.door.tickets && !o.Public }

// checkIdempotencyKey checks the header as if it were a field of the request.
func checkIdempotencyKey(d *decoder, h http.Header) {
	values := h.Values(idempotencyHeader)
	if len(values) == 0 {
		return
	}
	key := values[0]
	unprintable := strings.ContainsFunc(key, func(r rune) bool { return r < 0x20 || r > 0x7e })
	if len(values) > 1 || key == "" || len(key) > longestKey || unprintable {
		d.fail(idempotencyHeader, idempotencyHeader+" must be one value of 1 to 255 printable ASCII characters.")
	}
}

// answer runs the operation, or repeats the answer it had when a request with
// the same Idempotency-Key came before.
func (x *exchange) answer(do work, values []string, body []byte) (answer, error) {
	key := x.r.Header.Get(idempotencyHeader)
	if key == "" || !x.edge.takesKeys(x.op) {
		return x.execute(x.r.Context(), do)
	}
	if x.edge.replays == nil {
		return answer{}, fault.BadParameter(idempotencyHeader, "This server keeps no answers, so it takes no "+idempotencyHeader+".")
	}
	request := &idempotency.Request{Subject: x.subject, Key: key, Fingerprint: x.fingerprint(values, body)}
	stored, replay, err := x.edge.replays.Begin(x.r.Context(), request)
	switch {
	case errors.Is(err, idempotency.ErrInUse):
		return answer{}, fault.Conflicting(api.CodeIdempotencyKeyInUse,
			"The first request with this Idempotency-Key is still being worked on. Send this one again in a moment.")
	case errors.Is(err, idempotency.ErrReused):
		return answer{}, fault.New(fault.KeyReused, api.CodeIdempotencyKeyReused,
			"This Idempotency-Key was used for another request. Use a new key for a new request.")
	case err != nil:
		return answer{}, err
	case replay:
		return x.replay(stored)
	}
	return x.remember(request, do)
}

// fingerprint tells one request from another: method, path, query, workspace,
// body.
func (x *exchange) fingerprint(values []string, body []byte) string {
	h := sha256.New()
	parts := append([]string{x.op.ID, x.r.URL.RawQuery}, values...)
	if x.inSession { // a key has one workspace, a person several
		parts = append(parts, auth.From(x.r.Context()).WorkspaceID)
	}
	for _, part := range parts {
		_, _ = fmt.Fprintf(h, "%d:%s,", len(part), part)
	}
	_, _ = h.Write(body)
	return hex.EncodeToString(h.Sum(nil))
}

// remember runs the operation and keeps its answer. Whoever asked may be gone
// by then; the operation goes on to its end and the answer is kept all the
// same, because they will ask again. One that ended halfway, after its change
// and before its answer, would then be done twice.
func (x *exchange) remember(request *idempotency.Request, do work) (a answer, err error) {
	ctx := context.WithoutCancel(x.r.Context())
	release := true
	defer func() {
		if !release {
			return // also when the handler panics, the key is given back
		}
		if releaseErr := x.edge.replays.Release(ctx, request); releaseErr != nil {
			x.logAccident("give an idempotency key back", releaseErr)
		}
	}()
	working, end := context.WithTimeout(ctx, idempotency.Lease)
	defer end()
	a, err = x.execute(working, do)
	if errors.Is(err, db.ErrOutcomeUnknown) {
		release = false // the work may be done: the lease keeps a repetition away for a while
		return answer{}, err
	}
	toKeep := a
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

// keep keeps an answer for the requests that come with the same key.
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
		// The work is done. Saying that it failed would be wrong, and so
		// would doing it again: the lease keeps a repetition away for a while.
		x.logAccident("keep an answer", err)
	}
	return nil
}

// keeps says whether a refusal is an answer to keep. Refusals of what was
// asked (not there, not now) are; a failure of the service, or a request that
// was wrong in itself, did nothing and may be sent again.
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

// replay gives a stored answer again. A refusal carries the id of the request
// it answers now.
func (x *exchange) replay(stored []byte) (answer, error) {
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
		body, err := encode(refusal)
		if err != nil {
			return answer{}, err
		}
		a.Body = body
	case x.op.replay != nil:
		if err := x.op.replay(x.r.Context(), a.Body); err != nil {
			return answer{}, err
		}
	}
	x.w.Header().Set("Idempotency-Replayed", "true")
	x.replayed = true
	return a, nil
}
