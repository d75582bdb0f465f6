package rest

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
)

// MaxBody is the largest body an operation takes, unless it says otherwise.
const MaxBody = 64 << 10

// awaitBody bounds how long the body of a request may take to arrive, even if
// the handler does not read it: net/http reads an unread body before it
// answers, and would wait as long as a slow one takes.
func (e *Edge) awaitBody(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength == 0 {
		return
	}
	err := setReadDeadline(w, time.Now().Add(e.config.BodyTimeout)) //nolint:forbidigo // deadlines of sockets follow the real clock
	if err != nil {
		e.config.Logger.WarnContext(r.Context(), "the body of a request has no deadline", "error", err)
	}
}

// setReadDeadline sets the read deadline of the connection; the zero time
// removes it. Answers recorded in memory have no connection.
func setReadDeadline(w http.ResponseWriter, until time.Time) error {
	err := http.NewResponseController(w).SetReadDeadline(until)
	if err != nil && !errors.Is(err, http.ErrNotSupported) {
		return fmt.Errorf("set the deadline of a body: %w", err)
	}
	return nil
}

// readBody checks the media type and size of the body and reads it; it returns
// nil when there is none. It ignores the body of a GET, which has no meaning
// (RFC 9110).
func (x *exchange) readBody() ([]byte, error) {
	r := x.r
	if x.op.writes() && x.op.group.cookie != "" && !isJSON(r.Header) {
		return nil, notJSON() // HTML forms of other sites cannot send JSON
	}
	if !x.op.writes() || r.ContentLength == 0 || r.Body == nil || r.Body == http.NoBody {
		return nil, nil
	}
	// Without Content-Length, only reading shows whether there is a body. One
	// byte more than allowed shows that it is too large.
	limited := io.LimitReader(r.Body, x.op.MaxBody+1)
	if r.ContentLength < 0 {
		var first [1]byte
		switch _, err := io.ReadFull(limited, first[:]); {
		case errors.Is(err, io.EOF):
			return nil, setReadDeadline(x.w, time.Time{})
		case err != nil:
			return nil, x.cutShort(err)
		}
		limited = io.MultiReader(strings.NewReader(string(first[:])), limited)
	}
	if !isJSON(r.Header) {
		return nil, notJSON()
	}
	if r.ContentLength > x.op.MaxBody {
		return nil, tooLarge(x.op.MaxBody)
	}
	body, err := io.ReadAll(limited)
	switch {
	case err != nil:
		return nil, x.cutShort(err)
	case int64(len(body)) > x.op.MaxBody:
		return nil, tooLarge(x.op.MaxBody)
	}
	// The body is here. The handler may take as long as it needs.
	return body, setReadDeadline(x.w, time.Time{})
}

// cutShort is the answer to a body that ended early or arrived too slowly. The
// server does not wait for the rest.
func (x *exchange) cutShort(why error) error {
	x.w.Header().Set("Connection", "close")
	if err := x.r.Context().Err(); err != nil && !errors.Is(why, os.ErrDeadlineExceeded) {
		return err //nolint:wrapcheck // refuse looks for exactly this
	}
	return fault.New(fault.Invalid, api.CodeInvalidJSON, "The body did not arrive completely.")
}

func notJSON() error {
	return fault.New(fault.UnsupportedMediaType, api.CodeUnsupportedMediaType,
		"Send the body as Content-Type: application/json, not compressed.")
}

func tooLarge(most int64) error {
	return fault.New(fault.TooLarge, api.CodePayloadTooLarge, fmt.Sprintf("The body is larger than %d KiB.", most>>10))
}

func isJSON(h http.Header) bool {
	media, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil || media != mediaJSON {
		return false
	}
	if charset, ok := params["charset"]; ok && !strings.EqualFold(charset, "utf-8") {
		return false
	}
	return plain(h)
}

// plain says whether a body is not compressed.
func plain(h http.Header) bool {
	encoding := h.Get("Content-Encoding")
	return encoding == "" || strings.EqualFold(encoding, "identity")
}
