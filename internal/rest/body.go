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

// MaxBody is the largest body an operation takes.
const MaxBody = 64 << 10

// awaitBody bounds how long the body of a request may take to arrive, read or
// not: before it answers a request whose body nobody read, net/http itself
// reads on, and would wait for a body that trickles for as long as it does.
func (e *Edge) awaitBody(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength == 0 {
		return
	}
	err := setReadDeadline(w, time.Now().Add(e.config.BodyTimeout)) //nolint:forbidigo // a deadline is the socket's, which has the real clock
	if err != nil {
		e.config.Logger.WarnContext(r.Context(), "a body may take as long as it likes", "error", err)
	}
}

// setReadDeadline sets until when the connection may be read; the zero time
// takes the deadline away. Answers recorded in memory have no connection.
func setReadDeadline(w http.ResponseWriter, until time.Time) error {
	err := http.NewResponseController(w).SetReadDeadline(until)
	if err != nil && !errors.Is(err, http.ErrNotSupported) {
		return fmt.Errorf("set the deadline of a body: %w", err)
	}
	return nil
}

// readBody gives the body, nil when there is none, after the checks of its
// media type and size. A body of a GET means nothing (RFC 9110) and is not
// looked at.
func (x *exchange) readBody() ([]byte, error) {
	r := x.r
	if x.op.writes() && x.op.door.cookie != "" && !isJSON(r.Header) {
		return nil, notJSON() // a form of another site cannot say that it is JSON
	}
	if !x.op.writes() || r.ContentLength == 0 || r.Body == nil || r.Body == http.NoBody {
		return nil, nil
	}
	// Without Content-Length only reading tells whether there is a body. One
	// byte more than allowed tells that it is too large.
	limited := io.LimitReader(r.Body, MaxBody+1)
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
	if r.ContentLength > MaxBody {
		return nil, tooLarge()
	}
	body, err := io.ReadAll(limited)
	switch {
	case err != nil:
		return nil, x.cutShort(err)
	case len(body) > MaxBody:
		return nil, tooLarge()
	}
	// The body is here: what the handler does may take as long as it likes.
	return body, setReadDeadline(x.w, time.Time{})
}

// cutShort is the answer to a body that ended before its time, or did not
// arrive in time. Nobody waits for the rest of it.
func (x *exchange) cutShort(why error) error {
	x.w.Header().Set("Connection", "close")
	if err := x.r.Context().Err(); err != nil && !errors.Is(why, os.ErrDeadlineExceeded) {
		return err //nolint:wrapcheck // refuse looks for exactly this
	}
	return fault.New(fault.Invalid, api.CodeInvalidJSON, "The body did not arrive whole.")
}

func notJSON() error {
	return fault.New(fault.UnsupportedMediaType, api.CodeUnsupportedMediaType,
		"Send the body as Content-Type: application/json, not compressed.")
}

func tooLarge() error {
	return fault.New(fault.TooLarge, api.CodePayloadTooLarge, "The body is larger than 64 KiB.")
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
