package dbtest

import (
	"net/url"
	"testing"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/roadtest"
)

// Road is a network between the service and PostgreSQL that can fail without a
// word.
type Road struct {
	*roadtest.Road

	// Straight is the same database without the road.
	Straight db.Config
}

// NewRoad gives a fresh PostgreSQL database behind a road.
func NewRoad(t *testing.T) (*Road, db.Config) {
	t.Helper()
	c := Config(t, db.PostgreSQL)
	u, err := url.Parse(c.URL)
	if err != nil {
		t.Fatal(err)
	}
	r := &Road{Road: roadtest.New(t, u.Host), Straight: c}
	u.Host = r.Address
	c.URL = u.String()
	return r, c
}
