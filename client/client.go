package client

import (
	"context"
	"net/http"

	"github.com/conclave-rooms/conclave/api"
)

// Client calls the API of a service. It can be copied, and several goroutines can use it
// at the same time.
type Client struct {
	// BaseURL is the address of the service, such as https://meet.example.com,
	// with or without /api/v1.
	BaseURL string
	// Key is an API key. It is sent only to BaseURL.
	Key string
	// HTTP sends the requests; nil means a client with a timeout of one minute for
	// each request. Its CheckRedirect is not used.
	HTTP *http.Client

	idempotencyKey string
}

// WithIdempotencyKey returns a client that sends this Idempotency-Key, instead of a new
// one for each request. Use it for a single request that changes something, with a key
// that your program still knows after a crash, such as the id of an order:
//
//	room, err := conclave.WithIdempotencyKey("order-1042").CreateRoom(ctx, body)
//
// The same request with the same key gets the same answer for a day, and a token for ten
// minutes. An empty key means a new one for each request.
func (c Client) WithIdempotencyKey(key string) Client {
	c.idempotencyKey = key
	return c
}

// GetMe describes the key. It shows whether the service can be reached.
func (c Client) GetMe(ctx context.Context) (api.APIKey, error) {
	return get[api.APIKey](ctx, c, at("me"))
}
