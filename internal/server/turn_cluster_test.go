package server_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/conclave-rooms/conclave/internal/config"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/media/mediaclient"
	"github.com/conclave-rooms/conclave/internal/node"
	"github.com/conclave-rooms/conclave/internal/server"
)

// People on networks that pass only HTTPS reach a balancer's address, and with it any
// node. Here that node takes no rooms, so its TURN server passes their media on to the
// node that has the room.
func TestMediaPassesThePortOfHTTPSOfAnotherNode(t *testing.T) {
	t.Parallel()
	host := redisHost(t)
	tell(t, host, "SELECT 12", "FLUSHDB")
	where, data := dbtest.Config(t, db.PostgreSQL), t.TempDir()
	cert, key, trust := certify(t)
	public := ""
	nodeOn := func(name string) *running {
		r := startAs(t, server.Options{}, func(c *config.Serve) {
			if public == "" {
				public = strings.Replace(c.PublicURL, "http:", "https:", 1)
			}
			c.PublicURL, c.TLSCert, c.TLSKey = public, cert, key
			c.DatabaseURL, c.Data.Data, c.NodeName, c.RedisURL = where.URL, data, name, "redis://"+host+"/12"
		})
		r.client = trusting(trust)
		return r
	}
	entrance := nodeOn("entrance")
	holder := nodeOn("holder")
	holder.token(t, holder.room(t, nil), "Eve", "participant") // secrets that the log must not have
	list := &node.Service{DB: dbtest.Open(t, where)}
	list.Now = list.DB.Now
	if _, err := list.SetDraining(t.Context(), "entrance", true); err != nil {
		t.Fatal(err)
	}
	entrance.answersReady(t, http.StatusServiceUnavailable, `"status":"draining"`)

	meetThroughRelays(t, entrance, mediaclient.OnlyTURNOverTLS, trust)
	for name, want := range map[string]struct{ allocations, rooms float64 }{"entrance": {4, 0}, "holder": {0, 1}} {
		m, rooms := metricsOf(t, map[string]*running{"entrance": entrance, "holder": holder}[name].service.Handler()), 0.0
		for series, value := range m {
			if strings.HasPrefix(series, "livekit_room_total{") {
				rooms += value
			}
		}
		if got := m["conclave_turn_allocations"]; got != want.allocations || rooms != want.rooms {
			t.Errorf("the %s has %v allocations and %v rooms, want %+v", name, got, rooms, want)
		}
	}
}
