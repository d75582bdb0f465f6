package client

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/conclave-rooms/conclave/api"
)

const (
	// maxAnswer limits an answer. The largest are the parts of recordings, of which
	// the service accepts no larger ones; the list of the parts of a whole day has
	// about 1 MB.
	maxAnswer = 16 << 20
	// tries is how often a request is sent when it does not arrive, or the service
	// cannot answer it.
	tries = 5
	// longestPause limits the pause before the next try that a busy service can
	// ask for.
	longestPause = time.Minute
)

var errTooLarge = errors.New("the answer is too large")

// get reads an object.
func get[T any](ctx context.Context, c Client, path string) (T, error) {
	return receive[T](ctx, c, call{method: http.MethodGet, path: path, reads: true})
}

// write changes something. With a nil body the request has none.
func write[T any](ctx context.Context, c Client, method, path string, body any) (T, error) {
	return receive[T](ctx, c, call{method: method, path: path, body: body})
}

// receive sends a request and decodes its answer.
func receive[T any](ctx context.Context, c Client, what call) (out T, err error) {
	answer, err := c.ask(ctx, what)
	if err != nil {
		return out, err
	}
	if err := json.Unmarshal(answer, &out); err != nil {
		return out, fmt.Errorf("%s: read the answer: %w", what, err)
	}
	return out, nil
}

// at is a path below /api/v1. The parts are escaped, so that an id cannot lead to another
// operation.
func at(parts ...string) string {
	var path strings.Builder
	for _, part := range parts {
		path.WriteString("/" + url.PathEscape(part))
	}
	return path.String()
}

// call is a call of an operation.
type call struct {
	method string
	path   string // below /api/v1, with the query
	body   any
	reads  bool // whether it changes nothing
}

// String names the call in errors.
func (w call) String() string {
	path, _, _ := strings.Cut(w.path, "?")
	return w.method + " " + path
}

// ask makes a request, and sends it again where that helps and is safe.
func (c Client) ask(ctx context.Context, what call) ([]byte, error) {
	r, err := c.request(what)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	pause := time.Second
	for try := 1; ; try++ {
		answer, err := c.send(ctx, r)
		if err == nil {
			return answer, nil
		}
		err = fmt.Errorf("%s: %w", what, err)
		if try == tries || ctx.Err() != nil || !mayRetry(what, err) {
			return nil, err
		}
		if ended := wait(ctx, pauseAfter(err, pause)); ended != nil {
			return nil, fmt.Errorf("%w, while waiting to send it again after: %w", ended, err)
		}
		pause *= 2
	}
}

// mayRetry says whether sending the call once more helps and is safe after this error. The
// service keeps no answer of 429 and 503, so that the same Idempotency-Key begins anew.
// After a 500 it may not know itself whether the change was made.
func mayRetry(what call, err error) bool {
	refusal, refused := errors.AsType[*Error](err)
	if !refused {
		return !errors.Is(err, errTooLarge)
	}
	switch refusal.Status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return what.reads && refusal.Status >= http.StatusInternalServerError ||
		refusal.Code == api.CodeIdempotencyKeyInUse // an earlier try is still running
}

// pauseAfter is how long to wait after an error, at least pause.
func pauseAfter(err error, pause time.Duration) time.Duration {
	if refusal, refused := errors.AsType[*Error](err); refused {
		return min(max(pause, refusal.RetryAfter), longestPause)
	}
	return pause
}

func wait(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err() //nolint:wrapcheck // the caller's own error
	case <-timer.C:
		return nil
	}
}

// request is what every try of a call sends.
type request struct {
	method string
	url    string
	header http.Header
	body   []byte
}

// request prepares a call. Its errors are those that another try would not fix.
func (c Client) request(what call) (request, error) {
	path, _, _ := strings.Cut(what.path, "?")
	for part := range strings.SplitSeq(path[1:], "/") {
		// A proxy could take these for another operation.
		if part == "" || part == "." || part == ".." {
			return request{}, errors.New("an id is empty, or made of dots")
		}
	}
	base, err := url.Parse(c.BaseURL)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" {
		return request{}, errors.New("BaseURL is not an http or https address")
	}
	if !printable(c.Key) || !printable(c.idempotencyKey) {
		return request{}, errors.New("the API key or the Idempotency-Key contains a line end, or another character that no key has")
	}
	r := request{
		method: what.method, url: strings.TrimSuffix(strings.TrimRight(c.BaseURL, "/"), "/api/v1") + "/api/v1" + what.path,
		header: http.Header{"Authorization": {"Bearer " + c.Key}},
	}
	if what.body != nil {
		if r.body, err = json.Marshal(what.body); err != nil {
			return request{}, fmt.Errorf("write the body: %w", err)
		}
		r.header.Set("Content-Type", "application/json")
	}
	if !what.reads {
		key := c.idempotencyKey
		if key == "" {
			key = rand.Text()
		}
		r.header.Set("Idempotency-Key", key)
	}
	return r, nil
}

// printable says whether a header can have this value.
func printable(value string) bool {
	return !strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' })
}

// send sends a request once.
func (c Client) send(ctx context.Context, r request) ([]byte, error) {
	sent, err := http.NewRequestWithContext(ctx, r.method, r.url, bytes.NewReader(r.body))
	if err != nil {
		return nil, fmt.Errorf("make the request: %w", err)
	}
	sent.Header = r.header.Clone()
	answer, err := c.http().Do(sent)
	if err != nil {
		return nil, fmt.Errorf("reach the service: %w", err)
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the answer: %w", err)
	case len(body) > maxAnswer:
		return nil, errTooLarge
	case answer.StatusCode < http.StatusOK || answer.StatusCode >= http.StatusMultipleChoices:
		return nil, refusalOf(answer, body)
	}
	return body, nil
}

// http is the client that sends. It follows no redirects, because one could take the key
// to another address, and net/http would turn a POST into a GET.
func (c Client) http() *http.Client {
	sender := http.Client{Timeout: time.Minute}
	if c.HTTP != nil {
		sender = *c.HTTP
	}
	sender.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &sender
}
