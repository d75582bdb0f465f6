package feed

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/identity"
	"github.com/conclave-rooms/conclave/internal/rest"
	"github.com/conclave-rooms/conclave/internal/rest/limit"
)

// MountAccount registers the operations on a person's own feed, and the file of one
// meeting.
func (s *Service) MountAccount(d *rest.Group) {
	rest.Handle(d, rest.Op{
		ID: "getCalendarFeed", Method: http.MethodGet, Path: "/calendar-feed", Tag: "Calendars", Summary: "See the address of one's calendar feed",
	}, func(ctx context.Context, _ *struct{}) (Feed, error) {
		who, _ := identity.SignedIn(ctx)
		return s.Get(ctx, who.ID)
	})
	rest.Handle(d, rest.Op{
		ID: "resetCalendarFeed", Method: http.MethodPost, Path: "/calendar-feed/reset", Tag: "Calendars",
		Summary: "Give one's calendar feed a new address", Description: "Makes the first address, or a new one. The old address no longer works.",
	}, func(ctx context.Context, _ *struct{}) (Feed, error) {
		who, _ := identity.SignedIn(ctx)
		return s.Reset(ctx, who.ID)
	})
	rest.HandleRaw(d, rest.Op{
		ID: "getMeetingFile", Method: http.MethodGet, Path: "/meetings/{meeting_id}/calendar.ics", Tag: "Calendars", Produces: "text/calendar",
		Summary: "Get a scheduled meeting as an iCalendar file", Description: "Only for members of the meeting's workspace. For a link on a page.",
		Errors: []string{api.CodeNotFound},
	}, func(w http.ResponseWriter, r *http.Request) error {
		who, _ := identity.SignedIn(r.Context())
		raw, err := s.One(r.Context(), who.ID, r.PathValue("meeting_id"))
		if err != nil {
			return err
		}
		w.Header().Set("Content-Disposition", `attachment; filename="meeting.ics"`)
		send(w, raw)
		return nil
	})
}

const mediaType = "text/calendar; charset=utf-8"

func send(w http.ResponseWriter, raw []byte) {
	w.Header().Set("Content-Type", mediaType)
	_, _ = w.Write(raw) // the client may have disconnected
}

// Handler serves feeds to calendar programs.
type Handler struct {
	Feeds  *Service
	Logger *slog.Logger
	// Count counts a request for an account's feed and returns how long it has to
	// wait. It counts by account, so resetting the address does not reset the limit.
	Count func(r *http.Request, accountID string) time.Duration
	// Guessed counts a request for an unknown address, and Wait returns how long a
	// caller with too many of them has to wait. Existing feeds are still answered,
	// because somebody else at the caller's address may have guessed.
	Guessed func(r *http.Request)
	Wait    func(r *http.Request) time.Duration
	// OfAccount and OfAll limit how many feeds are written at the same time, to
	// AtOnceOfAccount and AtOnce. Others wait for at most Patience; zero means 5
	// seconds.
	OfAccount, OfAll *limit.Turns
	Patience         time.Duration
}

// AtOnceOfAccount and AtOnce are how many feeds are written at the same time. A
// feed of 1,000 meetings takes some ten milliseconds of a processor, and calendar
// programs tend to ask at the full hour.
const (
	AtOnceOfAccount = 1
	AtOnce          = 4
)

const (
	patience = 5 * time.Second
	// busyRetry is when to try again after all turns were taken.
	busyRetry = 30 * time.Second
)

// ServeHTTP answers with the text of a feed. The ETag is a hash of the text, so a
// program that has the current text does not download it again.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	head := w.Header()
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Referrer-Policy", "no-referrer")
	head.Set("X-Robots-Tag", "noindex")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		head.Set("Allow", "GET, HEAD")
		say(w, http.StatusMethodNotAllowed, "Only GET is possible here.")
		return
	}
	raw, ok := h.read(w, r)
	if !ok {
		return
	}
	sum := sha256.Sum256(raw)
	head.Set("Content-Type", mediaType)
	head.Set("Cache-Control", "private, no-cache")
	head.Set("ETag", `"`+base64.RawURLEncoding.EncodeToString(sum[:16])+`"`)
	http.ServeContent(w, r, "", time.Time{}, strings.NewReader(string(raw)))
}

// read returns the requested feed, or answers the request with the reason why not.
func (h *Handler) read(w http.ResponseWriter, r *http.Request) (raw []byte, ok bool) {
	ctx := r.Context()
	accountID, err := h.Feeds.accountOf(ctx, secretOf(r.URL.Path))
	switch {
	case err != nil:
		h.failed(w, r, err)
		return nil, false
	case accountID == "":
		h.unknown(w, r)
		return nil, false
	}
	if wait := h.Count(r, accountID); wait > 0 {
		sayWait(w, wait)
		return nil, false
	}
	done, err := h.turn(ctx, accountID)
	switch {
	case ctx.Err() != nil:
		return nil, false
	case err != nil:
		sayBusy(w)
		return nil, false
	}
	defer done()
	if raw, err = h.Feeds.text(ctx, accountID); err != nil {
		h.failed(w, r, err)
		return nil, false
	}
	return raw, true
}

// turn waits until a feed may be written.
func (h *Handler) turn(ctx context.Context, accountID string) (done func(), err error) {
	within := h.Patience
	if within == 0 {
		within = patience
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	mine, err := h.OfAccount.Take(ctx, accountID)
	if err != nil {
		return nil, err //nolint:wrapcheck // wrapped already
	}
	one, err := h.OfAll.Take(ctx, "")
	if err != nil {
		mine()
		return nil, err //nolint:wrapcheck // wrapped already
	}
	return func() { one(); mine() }, nil
}

// unknown answers that there is no such feed, or, to a caller who guessed too often,
// only that there were too many requests.
func (h *Handler) unknown(w http.ResponseWriter, r *http.Request) {
	if wait := h.Wait(r); wait > 0 {
		sayWait(w, wait)
		return
	}
	h.Guessed(r)
	say(w, http.StatusNotFound, "There is no calendar here. Its address may have been reset.")
}

func (h *Handler) failed(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, context.Canceled) {
		return
	}
	h.Logger.ErrorContext(r.Context(), "a calendar feed could not be written", "error", err)
	say(w, http.StatusInternalServerError, "The calendar cannot be read now. Try again later.")
}

func sayWait(w http.ResponseWriter, wait time.Duration) {
	w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
	say(w, http.StatusTooManyRequests, "Too many requests. Try again later.")
}

func sayBusy(w http.ResponseWriter) {
	w.Header().Set("Retry-After", strconv.Itoa(int(busyRetry.Seconds())))
	say(w, http.StatusServiceUnavailable, "Too many calendars are being read at this moment. Try again later.")
}

// say answers with a sentence as plain text.
func say(w http.ResponseWriter, status int, sentence string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, sentence+"\n") // the client may have disconnected
}
