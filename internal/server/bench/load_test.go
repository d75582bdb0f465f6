package bench

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// client is a caller that keeps its connection. It costs much less than
// net/http's client, because it runs on the machine that it measures.
type client struct {
	conn net.Conn
	in   *bufio.Reader
}

func dial(b *testing.B, address string) *client {
	b.Helper()
	conn, err := (&net.Dialer{Timeout: 10 * time.Second}).DialContext(b.Context(), "tcp", address)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = conn.Close() })
	return &client{conn: conn, in: bufio.NewReaderSize(conn, 64<<10)}
}

// send writes a request and reads the head of the answer.
func (c *client) send(request []byte) (*http.Response, error) {
	if _, err := c.conn.Write(request); err != nil {
		return nil, fmt.Errorf("send: %w", err)
	}
	return http.ReadResponse(c.in, nil) //nolint:wrapcheck // the caller fails with it
}

// do sends a request and reads the whole answer.
func (c *client) do(request []byte, status int) error {
	res, err := c.send(request)
	if err != nil {
		return err
	}
	body, err := io.ReadAll(res.Body)
	_ = res.Body.Close()
	if err == nil && res.StatusCode != status {
		err = fmt.Errorf("status %d, want %d: %s", res.StatusCode, status, body)
	}
	return err
}

// request encodes a request.
func request(method, path, bearer, body string) []byte {
	text := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer %s\r\n", method, path, bearer)
	if body != "" {
		text += fmt.Sprintf("Content-Type: application/json\r\nContent-Length: %d\r\n", len(body))
	}
	return []byte(text + "\r\n" + body)
}

// team is callers that work in parallel, and how long each call took.
type team struct {
	calls []func() error // one for each caller
	took  []time.Duration
	total time.Duration
}

// work makes n calls, distributed as callers become free.
func (t *team) work(n int) error {
	var (
		left    atomic.Int64
		working sync.WaitGroup
		took    = make([][]time.Duration, len(t.calls))
		failed  = make([]error, len(t.calls))
	)
	left.Store(int64(n))
	began := time.Now()
	for i, call := range t.calls {
		working.Go(func() {
			for left.Add(-1) >= 0 {
				at := time.Now()
				if failed[i] = call(); failed[i] != nil {
					return
				}
				took[i] = append(took[i], time.Since(at))
			}
		})
	}
	working.Wait()
	t.total += time.Since(began)
	t.took = append(t.took, slices.Concat(took...)...)
	for _, err := range failed {
		if err != nil {
			return err
		}
	}
	return nil
}

// rate is calls a second.
func (t *team) rate() float64 { return float64(len(t.took)) / t.total.Seconds() }

// percentile is the duration below which this share of the calls stayed.
func percentile(took []time.Duration, share float64) time.Duration {
	if len(took) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(took))
	return sorted[min(int(share*float64(len(sorted))), len(sorted)-1)]
}

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }

func millis(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }

// shares divides the work into parts, so that two teams can take turns and
// other load on the machine affects both.
func shares(n, parts int) []int {
	var out []int
	for i := range parts {
		if share := n*(i+1)/parts - n*i/parts; share > 0 {
			out = append(out, share)
		}
	}
	return out
}

// turns lets two teams make b.N calls each, in turns.
func turns(b *testing.B, one, other *team) {
	b.Helper()
	b.ResetTimer()
	for i, n := range shares(b.N, 8) {
		order := []*team{one, other}
		if i%2 == 1 {
			slices.Reverse(order)
		}
		for _, t := range order {
			if err := t.work(n); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.StopTimer()
	b.ReportMetric(0, "ns/op") // it covers both teams, so it says nothing
}
