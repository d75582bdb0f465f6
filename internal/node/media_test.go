package node

import (
	"context"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
)

// A node whose media server does not answer leaves people to another node whose media
// server does, and stays in service when there is none.
func TestMediaReady(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := &nodeList{t: t, d: d, now: time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)}
		one := s.starts("one", "a")
		expect := func(when string, k *Keeper, want Others, replace bool) {
			t.Helper()
			got, err := k.MediaReady(t.Context(), false)
			if err != nil || got != want || got.Replace() != replace {
				t.Errorf("%s, %s knows of %+v (%v), replace is %v", when, k.Self.Name, got, err, got.Replace())
			}
		}
		expect("alone", one, Others{}, true)
		two := s.starts("two", "b")
		expect("beside a node that is well", one, Others{Live: 1, Media: 1, RightTime: 1}, true)
		expect("without any media server", two, Others{Live: 1}, false)
		expect("without any media server", one, Others{Live: 1}, false)
		if _, err := two.MediaReady(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		expect("once the other's is back", one, Others{Live: 1, Media: 1, RightTime: 1}, true)

		// The other node notices by itself, although nothing calls its MediaReady.
		s.now = s.now.Add(renewEvery)
		two.MediaAnswers = func(context.Context) bool { return false }
		s.keep(two)
		expect("after the other's ended", one, Others{Live: 1}, false)
		s.now = s.now.Add(renewEvery)
		two.MediaAnswers = func(context.Context) bool { return true }
		s.keep(two)
		expect("after the other's came back", one, Others{Live: 1, Media: 1, RightTime: 1}, true)
		if _, err := two.SetDraining(t.Context(), "two", true); err != nil {
			t.Fatal(err)
		}
		expect("beside a node that is drained", one, Others{Live: 1}, false)
		s.now = s.now.Add(lostAfter + time.Millisecond)
		expect("beside a node that is lost", one, Others{}, true)
	})
}
