package recording

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/client"
)

// Client reads recordings through the API of a service.
type Client struct {
	// BaseURL is the address of the service, such as https://meet.example.com,
	// with or without /api/v1.
	BaseURL string
	// Key is an API key with the scope recordings:read. It is sent only to
	// BaseURL.
	Key string
	// HTTP sends the requests; nil means a client with a timeout of five minutes
	// for each request. Redirects are not followed.
	HTTP *http.Client
}

// RefusedError is returned when the service refused a request. Its code is
// recording_end_to_end, recording_not_ready, not_found, insufficient_scope, ...
type RefusedError = client.Error

func (c Client) download(ctx context.Context, id string) (api.RecordingDownload, error) {
	d, err := c.service().DownloadRecording(ctx, id)
	if err != nil {
		return d, fmt.Errorf("recording: request the download: %w", err)
	}
	return d, nil
}

func (c Client) part(ctx context.Context, id string, index int) ([]byte, error) {
	return c.service().GetRecordingPart(ctx, id, index) //nolint:wrapcheck // the reader names the part
}

// service is the client that sends the requests, and sends them again.
func (c Client) service() client.Client {
	sender := c.HTTP
	if sender == nil {
		sender = &http.Client{Timeout: 5 * time.Minute} // for a part over a slow connection
	}
	return client.Client{BaseURL: c.BaseURL, Key: c.Key, HTTP: sender}
}
