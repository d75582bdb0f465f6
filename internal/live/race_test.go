package live_test

import (
	"context"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/media"
	"github.com/conclave-rooms/conclave/internal/media/fake"
	"github.com/conclave-rooms/conclave/internal/schema"
	"github.com/conclave-rooms/conclave/internal/server"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// slow is a media server that runs a function while it answers.
type slow struct {
	*fake.Server

	meanwhile func()
}

func (s *slow) Rooms(ctx context.Context, names ...string) ([]media.Room, error) {
	if f := s.meanwhile; f != nil {
		s.meanwhile = nil
		f()
	}
	return s.Server.Rooms(ctx, names...)
}

// A person comes in after a Sync has read the seats and before it takes the
// snapshot. The snapshot shows a person without a seat, who must not be
// disconnected for this, alone in the room or with others.
func TestAPersonWhoJoinsDuringASyncStays(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	m := &slow{Server: fake.New(time.Now)}
	s, p, room := servertest.Bare(t, db.Config{Dir: t.TempDir()}, server.Options{Media: m})
	comes := func(name string) func() {
		token, err := s.Joins.CreateToken(ctx, p, room.ID, schema.Filled(api.TokenCreate{Name: name}))
		if err != nil {
			t.Fatal(err)
		}
		return func() {
			upstream, _, err := s.Joins.LetThrough(ctx, token.Token)
			if err == nil {
				_, err = m.Connect(upstream)
			}
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	for in, name := range []string{"Ada", "Ben"} {
		m.meanwhile = comes(name)
		if _, _, _, err := s.Live.Sync(ctx, room.ID); err != nil {
			t.Fatal(err)
		}
		people, err := s.Live.Participants(ctx, p, room.ID)
		if err != nil || len(people) != in+1 {
			t.Fatalf("after %s joined during a Sync, %d people are in (%v), want %d", name, len(people), err, in+1)
		}
	}
}
