package bench

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/media"
	"github.com/conclave-rooms/conclave/internal/media/livekit"
	"github.com/conclave-rooms/conclave/internal/media/mediaclient"
)

// joinsAtOnce is how many people join one way before as many join the other way.
const joinsAtOnce = 5

// BenchmarkJoin compares a person who joins a room of the service with one who joins a
// LiveKit of the same version alone, in turns. It also says how long the parts take that
// are not the client's own work: trading the token for a ticket, and connecting, from the
// request until the media connection is up.
func BenchmarkJoin(b *testing.B) {
	for _, engine := range []db.Engine{db.SQLite, db.PostgreSQL} {
		b.Run(string(engine), func(b *testing.B) {
			r := liveKitOn(b, dbtest.Config(b, engine))
			p, key := r.workspace(b)
			ours := r.joiner(b, r.rooms(b, p, 1), key)
			alone := joinerAlone(b)
			var through, bare []joined
			b.ResetTimer()
			for i := range b.N {
				for turn := range 2 {
					for range joinsAtOnce {
						if turn == i%2 {
							through = append(through, ours(b))
							r.Live.Quiesce()
						} else {
							bare = append(bare, alone(b))
						}
					}
				}
			}
			b.StopTimer()
			b.ReportMetric(0, "ns/op")
			report(b, through, bare)
		})
	}
}

// joined is how long the parts of a join took.
type joined struct{ ticket, client, connection time.Duration }

func (j joined) all() time.Duration { return j.ticket + j.client + j.connection }

func report(b *testing.B, through, bare []joined) {
	b.Helper()
	p50 := func(joins []joined, part func(joined) time.Duration) float64 {
		var took []time.Duration
		for _, j := range joins {
			took = append(took, part(j))
		}
		slices.Sort(took)
		return millis(percentile(took, 0.5))
	}
	ours, alone := p50(through, joined.all), p50(bare, joined.all)
	b.ReportMetric(ours, "p50-ms")
	b.ReportMetric(alone, "alone-p50-ms")
	b.ReportMetric(ours/alone, "x-alone")
	b.ReportMetric(p50(through, func(j joined) time.Duration { return j.ticket }), "ticket-ms")
	connection := func(j joined) time.Duration { return j.connection }
	b.ReportMetric(p50(through, connection), "connect-ms")
	b.ReportMetric(p50(bare, connection), "alone-connect-ms")
}

// joiner lets one person after the other into a room of the service.
func (r *rig) joiner(b *testing.B, roomID, key string) func(b *testing.B) joined {
	b.Helper()
	conn := dial(b, r.address)
	return func(b *testing.B) joined {
		b.Helper()
		token := r.tokens(b, roomID, key, 1)[0]
		began := time.Now()
		trade := request(http.MethodPost, "/meet/v1/tickets", "", fmt.Sprintf(`{"token": %q}`, token.Token))
		if err := conn.do(trade, http.StatusOK); err != nil {
			b.Fatal(err)
		}
		return joinWith(b, began, token)
	}
}

// joinerAlone lets one person after the other into a room of a media server that has no
// service in front.
func joinerAlone(b *testing.B) func(b *testing.B) joined {
	b.Helper()
	server, err := livekit.Embed(b.Context(), livekit.EmbedConfig{
		APIKey: "key", APISecret: "a secret of at least thirty-two characters", NodeIP: "127.0.0.1", Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = server.Stop(context.Background()) })
	if _, err := server.EnsureRoom(b.Context(), "r"); err != nil {
		b.Fatal(err)
	}
	n := 0
	return func(b *testing.B) joined {
		b.Helper()
		n++
		token, err := server.MintToken(media.Grant{Room: "r", Identity: fmt.Sprintf("person-%d", n), PublishData: true, TTL: time.Hour})
		if err != nil {
			b.Fatal(err)
		}
		return joinWith(b, time.Now(), api.RoomToken{ServerURL: server.Upstream(), Token: token, E2EEPassphrase: "of the room"})
	}
}

// joinWith connects a person, who then leaves.
func joinWith(b *testing.B, began time.Time, token api.RoomToken) joined {
	b.Helper()
	ready := time.Now()
	var dialling time.Time
	p, err := mediaclient.Connect(b.Context(), mediaclient.Options{
		URL: token.ServerURL, Token: token.Token, Passphrase: token.E2EEPassphrase, Direct: true,
		Before: func() { dialling = time.Now() },
	})
	if err != nil {
		b.Fatal(err)
	}
	j := joined{ticket: ready.Sub(began), client: dialling.Sub(ready), connection: p.ConnectedAt().Sub(dialling)}
	p.Disconnect()
	return j
}
