package poll_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/actor"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/join"
	"github.com/conclave-rooms/conclave/internal/media/fake"
	"github.com/conclave-rooms/conclave/internal/schema"
	"github.com/conclave-rooms/conclave/internal/seat"
	"github.com/conclave-rooms/conclave/internal/server"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
	"github.com/conclave-rooms/conclave/internal/stream"
)

// After every change in a meeting, the board is shown to each device. That asks the
// database once about a device that came since the board was read, and not about others.
func TestShowingTheBoardAsksTheDatabaseOnceForEachNewcomer(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		ctx := t.Context()
		var asked atomic.Int64
		m := fake.New(time.Now)
		s, p, room := servertest.Bare(t, where, server.Options{Media: m, Asked: func(string) { asked.Add(1) }})
		if _, err := s.Polls.Create(ctx, actor.ByKey(p, room.ID), schema.Filled(api.PollCreate{Question: "Tea?", Options: []string{"yes", "no"}})); err != nil {
			t.Fatal(err)
		}
		come := func(first, many int) {
			t.Helper()
			for i := first; i < first+many; i++ {
				held, err := s.Joins.Join(ctx, join.JoinRequest{
					Visit: join.Visit{Code: room.Code, Browser: api.Set(fmt.Sprintf("the browser of guest %d", i))}, Name: api.Set(fmt.Sprintf("Guest %d", i)),
				}, join.Proofs{})
				if err != nil {
					t.Fatal(err)
				}
				upstream, _, err := s.Joins.LetThrough(ctx, *held.Token)
				if err == nil {
					_, err = m.Connect(upstream)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if _, _, _, err := s.Live.Sync(ctx, room.ID); err != nil {
				t.Fatal(err)
			}
			s.Live.Quiesce()
		}
		var show stream.ShowTo
		read := func(f func(ctx context.Context, tx *db.Tx) error) {
			t.Helper()
			if err := s.DB().Read(ctx, func(tx *db.Tx) error { return f(ctx, tx) }); err != nil {
				t.Fatal(err)
			}
		}
		shows := func(when string, people int, want int64) {
			t.Helper()
			var in []seat.Seat
			read(func(ctx context.Context, tx *db.Tx) (err error) {
				in, err = seat.Present(ctx, tx, room.ID)
				return err
			})
			if len(in) != people {
				t.Fatalf("%s: %d people are in, want %d", when, len(in), people)
			}
			before := asked.Load()
			for _, held := range in {
				if _, err := show(ctx, held); err != nil {
					t.Fatal(err)
				}
			}
			if got := asked.Load() - before; got != want {
				t.Errorf("%s: showing the board to %d devices asks the database %d times, want %d", when, people, got, want)
			}
		}
		come(0, 5)
		read(func(ctx context.Context, tx *db.Tx) (err error) {
			show, err = s.Polls.Board().Read(ctx, tx, room.ID)
			return err
		})
		shows("to people who were in", 5, 0)
		come(5, 2)
		shows("after two more came", 7, 2)
		shows("after another change", 7, 0)
	})
}
