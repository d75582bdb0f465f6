package load

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/conclave-rooms/conclave/api"
)

// caller uses the API with a key.
type caller struct {
	service string
	key     string
	client  *http.Client
}

// requestFor bounds one request; the service answers within 20 seconds.
const requestFor = 30 * time.Second

func newCaller(o *Options) *caller {
	return &caller{service: o.Service, key: o.Key, client: &http.Client{
		Timeout: requestFor, Transport: &http.Transport{MaxIdleConnsPerHost: preparers},
	}}
}

// do sends a request, and sends it again when the service asks to wait, so that its
// limits slow the run down and do not end it.
func (c *caller) do(ctx context.Context, method, path string, body, into any) error {
	var content []byte
	if body != nil {
		var err error
		if content, err = json.Marshal(body); err != nil {
			return fmt.Errorf("write the request to %s: %w", path, err)
		}
	}
	for {
		wait, err := c.once(ctx, method, path, content, into)
		if wait == 0 || err == nil {
			return err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", path, context.Cause(ctx))
		}
	}
}

// once sends a request once. When the service asks to try again later, it says how long to wait.
func (c *caller) once(ctx context.Context, method, path string, content []byte, into any) (wait time.Duration, err error) {
	req, err := http.NewRequestWithContext(ctx, method, c.service+path, bytes.NewReader(content))
	if err != nil {
		return 0, fmt.Errorf("address %s: %w", path, err)
	}
	if content != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Authorization", "Bearer "+c.key)
	res, err := c.client.Do(req)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", path, err)
	}
	defer func() { _ = res.Body.Close() }()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, fmt.Errorf("read the answer of %s: %w", path, err)
	}
	if res.StatusCode >= http.StatusMultipleChoices {
		var refused api.ErrorResponse
		_ = json.Unmarshal(answer, &refused)
		err := fmt.Errorf("%s: %s: %s", path, res.Status, refused.Error.Message)
		if res.StatusCode == http.StatusTooManyRequests {
			seconds, _ := strconv.Atoi(res.Header.Get("Retry-After"))
			return time.Duration(max(seconds, 1)) * time.Second, err
		}
		return 0, err
	}
	if into == nil {
		return 0, nil
	}
	if err := json.Unmarshal(answer, into); err != nil {
		return 0, fmt.Errorf("read the answer of %s: %w", path, err)
	}
	return 0, nil
}
