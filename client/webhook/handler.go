package webhook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// MaxBody limits how much of a body a Handler reads. An event has less than 20 KB.
const MaxBody = 256 << 10

// Handler receives webhooks. Its answer tells the service whether to send the event
// again:
//
//   - 204: verified, and Receive returned nil. The event is delivered.
//   - 400, 401, 405, 413: not an event of this endpoint. It is not sent again.
//   - 500: Receive returned an error, or there is no secret to verify with. The
//     event is sent again after about 10 seconds, 1 minute, 5 minutes, 30 minutes
//     and 2 hours.
type Handler struct {
	Verifier

	// Receive is called for every verified event, concurrently, and for some events
	// twice. The service waits ten seconds; ctx ends when it disconnects.
	Receive func(ctx context.Context, e Event) error
	// Refused, if set, is called for every request that was not accepted, with the
	// reason, for your log. The service gets only a status.
	Refused func(r *http.Request, err error)
}

// ServeHTTP receives one request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	status, err := h.receive(w, r)
	if err != nil && h.Refused != nil {
		h.Refused(r, err)
	}
	if status == http.StatusMethodNotAllowed {
		w.Header().Set("Allow", http.MethodPost)
	}
	w.WriteHeader(status)
}

func (h *Handler) receive(w http.ResponseWriter, r *http.Request) (status int, err error) {
	if r.Method != http.MethodPost {
		return http.StatusMethodNotAllowed, fmt.Errorf("webhook: %s is not POST", r.Method)
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
	if err != nil {
		if _, over := errors.AsType[*http.MaxBytesError](err); over {
			return http.StatusRequestEntityTooLarge, fmt.Errorf("webhook: the body has more than %d bytes", MaxBody)
		}
		return http.StatusBadRequest, fmt.Errorf("webhook: read the body: %w", err)
	}
	// Several lines of a header are the same as one with commas (RFC 9110, 5.2).
	e, err := h.Event(strings.Join(r.Header.Values(SignatureHeader), ","), body)
	switch {
	case errors.Is(err, ErrNoSecret):
		return http.StatusInternalServerError, err // our mistake; the service will send it again
	case errors.Is(err, ErrMalformedEvent):
		return http.StatusBadRequest, err
	case err != nil:
		return http.StatusUnauthorized, err
	}
	if err := h.Receive(r.Context(), e); err != nil {
		return http.StatusInternalServerError, fmt.Errorf("webhook: receive %s %s: %w", e.Type, e.ID, err)
	}
	return http.StatusNoContent, nil
}
