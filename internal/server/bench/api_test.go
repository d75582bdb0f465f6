package bench

import (
	"bytes"
	"fmt"
	"net/http"
	"testing"
)

// BenchmarkAPI measures the everyday requests of a customer's server.
func BenchmarkAPI(b *testing.B) {
	each(b, func(b *testing.B, r *rig) {
		reader, readKey := r.workspace(b)
		roomID := r.rooms(b, reader, 1000)
		writer, writeKey := r.workspace(b)
		tokenRoom := r.rooms(b, writer, 1)
		f := startFloor(b, r)
		cases := []struct {
			name, method, path, key, body string
			status                        int
		}{
			{"list-rooms", http.MethodGet, "/api/v1/rooms", readKey, "", http.StatusOK},
			{"get-room", http.MethodGet, "/api/v1/rooms/" + roomID, readKey, "", http.StatusOK},
			{"create-room", http.MethodPost, "/api/v1/rooms", writeKey, `{"name": "Weekly review"}`, http.StatusCreated},
			{"create-token", http.MethodPost, "/api/v1/rooms/" + tokenRoom + "/tokens", writeKey, `{"name": "Ada", "role": "host"}`, http.StatusCreated},
		}
		for _, c := range cases {
			sameAnswer(b, r, f, c.method, c.path, c.key, c.body)
			for _, clients := range []int{1, 8, 32} {
				b.Run(fmt.Sprintf("%s/clients=%d", c.name, clients), func(b *testing.B) {
					compare(b, clients, r.address, f.address, request(c.method, c.path, c.key, c.body), c.status)
				})
			}
		}
	})
}

// compare sends the same request to the service and to the bare handler, in
// turns.
func compare(b *testing.B, clients int, service, floor string, request []byte, status int) {
	b.Helper()
	ours, bare := callers(b, service, clients, request, status), callers(b, floor, clients, request, status)
	turns(b, ours, bare)
	b.ReportMetric(ours.rate(), "req/s")
	b.ReportMetric(micros(percentile(ours.took, 0.5)), "p50-µs")
	b.ReportMetric(micros(percentile(ours.took, 0.99)), "p99-µs")
	b.ReportMetric(bare.rate(), "floor-req/s")
	b.ReportMetric(micros(percentile(bare.took, 0.5)), "floor-p50-µs")
	b.ReportMetric(ours.rate()/bare.rate(), "x-floor")
}

func callers(b *testing.B, address string, n int, request []byte, status int) *team {
	b.Helper()
	t := &team{}
	for range n {
		c := dial(b, address)
		t.calls = append(t.calls, func() error { return c.do(request, status) })
	}
	return t
}

// sameAnswer checks that the bare handler does the same work: for a read its
// answer is equal, for a write it has the same shape.
func sameAnswer(b *testing.B, r *rig, f *floor, method, path, key, body string) {
	b.Helper()
	ours, status := ask(b, r.address, method, path, key, body)
	bare, bareStatus := ask(b, f.address, method, path, key, body)
	if status != bareStatus || status/100 != 2 {
		b.Fatalf("%s %s: the service answers %d %s, the bare handler %d %s", method, path, status, ours, bareStatus, bare)
	}
	if method == http.MethodGet && !bytes.Equal(ours, bare) {
		b.Fatalf("%s %s: the service answers\n%s\nthe bare handler\n%s", method, path, ours, bare)
	}
	if short := len(ours) * 9 / 10; len(bare) < short {
		b.Fatalf("%s %s: the service answers %d bytes, the bare handler %d", method, path, len(ours), len(bare))
	}
}
