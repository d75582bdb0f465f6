package outbound

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Request is a request of any method. Sending it twice must do no harm, because
// that happens when a connection breaks at the wrong moment.
type Request struct {
	Method  string
	Address string
	Header  map[string]string
	Body    []byte
	// MostRead is the limit of the answer's body in bytes; a longer one is an
	// error. Zero means 64 KiB.
	MostRead int64
}

// Response is an answer with its body.
type Response struct {
	Answer

	Header http.Header
	Body   []byte
}

// AnswerOf returns the answer in a response of RoundTrip.
func AnswerOf(res *http.Response) Answer {
	return Answer{Status: res.StatusCode, retryAfter: res.Header.Get("Retry-After")}
}

// Do sends a request and reads the answer. An answer with any status is a
// success, including a redirect, which is not followed. Without an answer the
// error is an *Error, or the context's error if ctx ended.
func (c *Client) Do(ctx context.Context, r Request) (Response, error) {
	if r.MostRead == 0 {
		r.MostRead = mostRead
	}
	var response Response
	err := c.send(ctx, r, func(res *http.Response) error {
		response.Answer = AnswerOf(res)
		response.Header = res.Header
		if res.StatusCode == http.StatusSwitchingProtocols {
			return nil // it has no body; see Post
		}
		body, err := io.ReadAll(io.LimitReader(res.Body, r.MostRead+1))
		if err != nil {
			return fmt.Errorf("read the answer: %w", err)
		}
		if int64(len(body)) > r.MostRead {
			return &Error{Reason: ReasonTooLong, cause: fmt.Errorf("the answer has more than %d bytes", r.MostRead)}
		}
		response.Body = body
		return nil
	})
	if err != nil {
		return Response{}, err
	}
	return response, nil
}

// RoundTrip makes a Client the transport of an http.Client. The bodies of
// requests and answers are limited to 64 KiB.
func (c *Client) RoundTrip(req *http.Request) (*http.Response, error) {
	r := Request{Method: req.Method, Address: req.URL.String(), Header: map[string]string{}}
	for name := range req.Header {
		r.Header[name] = req.Header.Get(name)
	}
	if req.Body != nil {
		defer func() { _ = req.Body.Close() }()
		body, err := io.ReadAll(io.LimitReader(req.Body, mostRead+1))
		if err != nil {
			return nil, fmt.Errorf("read the body of a request: %w", err)
		}
		if len(body) > mostRead {
			return nil, errors.New("the body of a request is too long")
		}
		r.Body = body
	}
	response, err := c.Do(req.Context(), r)
	if err != nil {
		return nil, err
	}
	return &http.Response{
		Status: http.StatusText(response.Status), StatusCode: response.Status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: response.Header, Body: io.NopCloser(strings.NewReader(string(response.Body))), ContentLength: int64(len(response.Body)), Request: req,
	}, nil
}
