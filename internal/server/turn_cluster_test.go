package server_test

import (
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/conclave-rooms/conclave/internal/config"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/media/mediaclient"
	"github.com/conclave-rooms/conclave/internal/media/mediatest"
	"github.com/conclave-rooms/conclave/internal/server"
)

// balancer passes connections on to a node, as they are.
type balancer struct {
	address string
	node    atomic.Pointer[string] // its address
}

func newBalancer(t *testing.T) *balancer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	b := &balancer{address: listener.Addr().String()}
	go func() {
		for {
			device, err := listener.Accept()
			if err != nil {
				return
			}
			go b.pass(device)
		}
	}()
	return b
}

func (b *balancer) pass(device net.Conn) {
	defer func() { _ = device.Close() }()
	to, err := net.Dial("tcp", *b.node.Load())
	if err != nil {
		return
	}
	defer func() { _ = to.Close() }()
	go func() {
		_, _ = io.Copy(to, device)
		_ = to.Close()
	}()
	_, _ = io.Copy(device, to)
}

// People on networks that pass only HTTPS reach a balancer's address, and with it any
// node. The TURN server of that node passes their media on to the node that has the room.
func TestMediaPassesThePortOfHTTPSOfAnotherNode(t *testing.T) {
	t.Parallel()
	host := redisHost(t)
	tell(t, host, "SELECT 12", "FLUSHDB")
	where, data := dbtest.Config(t, db.PostgreSQL), t.TempDir()
	cert, key, trust := certify(t)
	front := newBalancer(t)
	nodeOn := func(name string) *running {
		r := startAs(t, server.Options{}, func(c *config.Serve) {
			front.node.Store(new(c.Listen))
			c.PublicURL, c.TLSCert, c.TLSKey = "https://"+front.address, cert, key
			c.DatabaseURL, c.Data.Data, c.NodeName, c.RedisURL = where.URL, data, name, "redis://"+host+"/12"
		})
		r.client = trusting(trust)
		return r
	}
	holder := nodeOn("holder")
	room := holder.room(t, nil)
	eve := holder.token(t, room, "Eve", "host")
	mediatest.Join(t, mediaclient.Options{URL: eve.ServerURL, Token: eve.Token, Passphrase: eve.E2EEPassphrase, Trust: trust})
	entrance := nodeOn("entrance") // where the balancer leads from now on
	holder.client.CloseIdleConnections()
	entrance.key = holder.key
	entrance.token(t, room, "Dan", "host") // secrets that the log must not have
	meetThroughRelays(t, entrance, room, mediaclient.OnlyTURNOverTLS, trust)
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
