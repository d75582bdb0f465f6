package live_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/actor"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/media/fake"
	"github.com/conclave-rooms/conclave/internal/schema"
	"github.com/conclave-rooms/conclave/internal/seat"
	"github.com/conclave-rooms/conclave/internal/server"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// Every two seconds a node looks which media rooms there are. That asks the database as
// often for a meeting with many breakouts as for one with a single breakout.
func TestManyBreakoutsDoNotAskTheDatabaseMoreOften(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		ctx := t.Context()
		var asked atomic.Int64
		m := fake.New(time.Now)
		s, p, room := servertest.Bare(t, where, server.Options{Media: m, Asked: func(string) { asked.Add(1) }})
		create := schema.Filled(api.BreakoutCreate{Rooms: api.CountOrList[string]{Count: 50}})
		session, err := s.Breakouts.Start(ctx, actor.ByKey(p, room.ID), create)
		if err != nil {
			t.Fatal(err)
		}
		s.Live.Settle() // only the look at the media rooms asks the database from now on
		look := func() int64 {
			before := asked.Load()
			s.Live.Tick(ctx)
			return asked.Load() - before
		}
		ensure := func(rooms []api.BreakoutRoom) {
			t.Helper()
			for _, one := range rooms {
				if _, err := m.EnsureRoom(ctx, seat.MediaRoom(room.ID, one.ID)); err != nil {
					t.Fatal(err)
				}
			}
		}
		ensure(session.Rooms[:1])
		one := look()
		ensure(session.Rooms)
		if many := look(); one == 0 || many != one {
			t.Errorf("a look at 50 media rooms asks the database %d times, at one %d times; want as many", many, one)
		}
		if left, err := m.Rooms(ctx); err != nil || len(left) != 50 {
			t.Errorf("%d media rooms are left (%v), want all 50", len(left), err)
		}
	})
}
