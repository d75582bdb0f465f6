package bench

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/conclave-rooms/conclave/api"
)

// BenchmarkSync measures one comparison of a meeting of fifty with the media
// server. It happens every two seconds during a meeting, and at every change.
// The media server here is one in memory; a question to LiveKit on loopback
// takes about a third of a millisecond more.
func BenchmarkSync(b *testing.B) {
	each(b, func(b *testing.B, r *rig) {
		p, key := r.workspace(b)
		roomID := r.rooms(b, p, 1)
		one := ""
		for _, token := range r.tokens(b, roomID, key, 50) {
			r.connect(b, token.Token)
			one = token.Identity
		}
		r.Live.Quiesce()
		sync := func() error { _, _, _, err := r.Live.Sync(b.Context(), roomID); return err }
		b.Run("nothing-changed", func(b *testing.B) { measure(b, &team{calls: []func() error{sync}}) })
		b.Run("one-hand-raised", func(b *testing.B) {
			up := map[string]string{"hand_raised": "true"}
			measure(b, &team{calls: []func() error{func() error {
				if err := r.media.SetOwnAttributes(roomID, one, up); err != nil {
					return err
				}
				if up["hand_raised"] == "" {
					up = map[string]string{"hand_raised": "true"}
				} else {
					up = map[string]string{"hand_raised": ""}
				}
				return sync()
			}}})
		})
	})
}

// BenchmarkLetThrough measures the gate's decision about one connection with a media
// token of the API: it writes the seat and makes a token for the media server.
// Everybody enters the same room, some at the same time: the worst case,
// because they change the same row.
func BenchmarkLetThrough(b *testing.B) {
	each(b, func(b *testing.B, r *rig) {
		p, key := r.workspace(b)
		roomID := r.rooms(b, p, 1)
		tokens := r.tokens(b, roomID, key, 64)
		for _, clients := range []int{1, 8, 32} {
			b.Run(fmt.Sprintf("clients=%d", clients), func(b *testing.B) {
				t := &team{}
				for i := range clients {
					t.calls = append(t.calls, func() error {
						i = (i + clients) % len(tokens)
						_, _, err := r.Joins.LetThrough(b.Context(), tokens[i].Token)
						return err
					})
				}
				measure(b, t)
			})
		}
	})
}

// tokens makes media tokens for new people.
func (r *rig) tokens(b *testing.B, roomID, key string, n int) []api.RoomToken {
	b.Helper()
	tokens := make([]api.RoomToken, n)
	for i := range tokens {
		r.call(b, http.MethodPost, "/api/v1/rooms/"+roomID+"/tokens", key, fmt.Sprintf(`{"name": "Person %d"}`, i+1), &tokens[i])
	}
	return tokens
}

// measure lets a team make b.N calls.
func measure(b *testing.B, t *team) {
	b.Helper()
	b.ResetTimer()
	if err := t.work(b.N); err != nil {
		b.Fatal(err)
	}
	b.StopTimer()
	b.ReportMetric(0, "ns/op") // with several callers at once it says nothing
	b.ReportMetric(t.rate(), "op/s")
	b.ReportMetric(micros(percentile(t.took, 0.5)), "p50-µs")
	b.ReportMetric(micros(percentile(t.took, 0.99)), "p99-µs")
}
