package bench

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/conclave-rooms/conclave/api"
)

// BenchmarkSync measures one comparison of a meeting of fifty with the media
// server. It is made every two seconds while people meet, and whenever
// something happens. The media server here is one in memory; asking LiveKit on
// loopback takes about a third of a millisecond more.
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

// BenchmarkAdmit measures the decision about one connection at the gate, made
// with a media token of the API: the seat is written, and the media server's
// own token made. Everybody comes into the same room, at once where there are
// several: the worst case, because they change the same row.
func BenchmarkAdmit(b *testing.B) {
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
						_, _, err := r.Joins.Admit(b.Context(), tokens[i].Token)
						return err
					})
				}
				measure(b, t)
			})
		}
	})
}

// tokens makes media tokens for people who are not in yet.
func (r *rig) tokens(b *testing.B, roomID, key string, n int) []api.RoomToken {
	b.Helper()
	tokens := make([]api.RoomToken, n)
	for i := range tokens {
		r.call(b, http.MethodPost, "/api/v1/rooms/"+roomID+"/tokens", key, fmt.Sprintf(`{"name": "Person %d"}`, i+1), &tokens[i])
	}
	return tokens
}

// measure lets a team work.
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
