package recording

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/conclave-rooms/conclave/api"
)

const (
	// maxPart limits the size of a part; the service accepts no larger ones.
	maxPart = 16 << 20
	// maxAnswer limits the list of parts; that of a whole day has about 1 MB.
	maxAnswer = 16 << 20
	// tries is how often a request is sent when the service cannot answer it.
	tries = 5
	// longestPause limits the pause before the next try that a busy service can
	// ask for.
	longestPause = time.Minute
)

// Client calls the API of a service.
type Client struct {
	// BaseURL is the address of the service, such as https://meet.example.com,
	// with or without /api/v1.
	BaseURL string
	// Key is an API key with the scope recordings:read. It is sent only to
	// BaseURL.
	Key string
	// HTTP sends the requests; nil means a client with a timeout of five minutes
	// for each request.
	HTTP *http.Client
}

// RefusedError is returned when the service refused a request.
type RefusedError struct {
	Status int
	// Code is stable, for programs: recording_end_to_end, recording_not_ready,
	// not_found, insufficient_scope, ... It is empty when something other than the
	// service answered.
	Code string
	// Message is a sentence for people.
	Message string

	retryAfter time.Duration
}

func (e *RefusedError) Error() string {
	if e.Message == "" {
		return "the service answered " + strconv.Itoa(e.Status)
	}
	return e.Message
}

func (c Client) download(ctx context.Context, id string, out *api.RecordingDownload) error {
	body, err := c.ask(ctx, http.MethodPost, "/recordings/"+url.PathEscape(id)+"/download", maxAnswer)
	if err != nil {
		return fmt.Errorf("recording: request the download: %w", err)
	}
	if err := json.Unmarshal(body, out); err != nil {
		return fmt.Errorf("recording: read the list of parts: %w", err)
	}
	return nil
}

// part fetches a part. It builds the address itself instead of using the one in the
// answer, so that the key is sent only to BaseURL.
func (c Client) part(ctx context.Context, id string, index int) ([]byte, error) {
	return c.ask(ctx, http.MethodGet, "/recordings/"+url.PathEscape(id)+"/parts/"+strconv.Itoa(index), maxPart)
}

// ask sends a request, and sends it again when it did not arrive or the service is busy.
// That is safe, because both requests of this package only read.
func (c Client) ask(ctx context.Context, method, path string, limit int64) ([]byte, error) {
	pause := time.Second
	for try := 1; ; try++ {
		body, err := c.send(ctx, method, path, limit)
		if err == nil || try == tries || ctx.Err() != nil {
			return body, err
		}
		wait := pause
		if refusal, refused := errors.AsType[*RefusedError](err); refused {
			if refusal.Status != http.StatusTooManyRequests && refusal.Status < http.StatusInternalServerError {
				return nil, err
			}
			wait = min(max(pause, refusal.retryAfter), longestPause)
		}
		if errors.Is(err, errTooLarge) {
			return nil, err
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil, ctx.Err() //nolint:wrapcheck // the caller's own error
		case <-timer.C:
		}
		pause *= 2
	}
}

var errTooLarge = errors.New("the answer is too large")

func (c Client) send(ctx context.Context, method, path string, limit int64) ([]byte, error) {
	base := strings.TrimSuffix(strings.TrimRight(c.BaseURL, "/"), "/api/v1")
	r, err := http.NewRequestWithContext(ctx, method, base+"/api/v1"+path, http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("make the request: %w", err)
	}
	r.Header.Set("Authorization", "Bearer "+c.Key)
	answer, err := c.http().Do(r)
	if err != nil {
		return nil, fmt.Errorf("reach the service: %w", err)
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(answer.Body, limit+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the answer: %w", err)
	case int64(len(body)) > limit:
		return nil, errTooLarge
	case answer.StatusCode != http.StatusOK:
		return nil, refusalOf(answer, body)
	}
	return body, nil
}

func (c Client) http() *http.Client {
	if c.HTTP != nil {
		return c.HTTP
	}
	return &http.Client{Timeout: 5 * time.Minute}
}

func refusalOf(answer *http.Response, body []byte) *RefusedError {
	refusal := &RefusedError{Status: answer.StatusCode}
	var said api.ErrorResponse
	if json.Unmarshal(body, &said) == nil {
		refusal.Code, refusal.Message = said.Error.Code, said.Error.Message
	}
	if seconds, err := strconv.Atoi(answer.Header.Get("Retry-After")); err == nil && seconds > 0 {
		refusal.retryAfter = time.Duration(seconds) * time.Second
	}
	return refusal
}
