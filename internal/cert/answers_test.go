package cert

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/crypto/acme/autocert"

	"github.com/conclave-rooms/conclave/internal/cert/certtest"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
)

// A stranger who asks a thousand times in a second causes ten readings, and everybody gets
// an answer that was there when they asked.
func TestThoseWhoAskAtTheSameTimeShareAReading(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var a answers
		var asking sync.WaitGroup
		stored, readings := atomic.Int64{}, atomic.Int64{}
		read := func(context.Context) (map[string]string, error) {
			readings.Add(1)
			known := stored.Load()
			time.Sleep(time.Millisecond) // in the time of the bubble
			return map[string]string{"known": fmt.Sprintf("%06d", known)}, nil
		}
		const asked = 1000
		for i := range asked {
			time.Sleep(time.Millisecond) // as above
			stored.Store(int64(i))
			asking.Go(func() {
				got, err := a.ask(t.Context(), read)
				if want := fmt.Sprintf("%06d", i); err != nil || got["known"] < want {
					t.Errorf("the reading knows what was stored until %s, want %s or later (%v)", got["known"], want, err)
				}
			})
		}
		asking.Wait()
		time.Sleep(betweenReadings) // then nothing runs any more
		if n := readings.Load(); n < 10 || n > 12 {
			t.Errorf("%d readings, want ten in the second", n)
		}
	})
}

// A caller who gives up does not end the reading for the others. A failed reading fails
// only those who wait for it.
func TestAReadingDoesNotDependOnWhoAskedFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var a answers
		broken := errors.New("the database does not answer")
		fail := true
		read := func(ctx context.Context) (map[string]string, error) {
			time.Sleep(time.Second) // in the time of the bubble
			if fail {
				return nil, broken
			}
			return map[string]string{"a": "b"}, ctx.Err()
		}
		if _, err := a.ask(t.Context(), read); !errors.Is(err, broken) {
			t.Errorf("got %v, want the error of the database", err)
		}
		fail = false
		ctx, leave := context.WithCancel(t.Context())
		var asking sync.WaitGroup
		asking.Go(func() {
			if _, err := a.ask(ctx, read); !errors.Is(err, context.Canceled) {
				t.Errorf("who gives up gets %v, want that they have", err)
			}
		})
		synctest.Wait()
		asking.Go(func() {
			if got, err := a.ask(t.Context(), read); err != nil || got["a"] != "b" {
				t.Errorf("who stays gets %v, %v; want the answer", got, err)
			}
		})
		synctest.Wait()
		leave()
		asking.Wait()
		time.Sleep(betweenReadings) // as above
	})
}

// An answer to a challenge is not read for each who asks: it comes from the next reading.
func TestAnAnswerComesFromTheNextReading(t *testing.T) {
	t.Parallel()
	next := &reading{done: make(chan struct{})} // finds nothing
	close(next.done)
	s := newSite(t, certtest.Options{}, name).node(t, dbtest.Open(t, dbtest.Config(t, db.SQLite))).store
	for key, comes := range map[string]bool{name: false, "acme_account+key": false, name + "+token": true, "x+http-01": true} {
		if err := s.Put(t.Context(), key, []byte("a value")); err != nil {
			t.Fatal(err)
		}
		s.answers.next, s.answers.busy = next, true
		if _, err := s.Get(t.Context(), key); errors.Is(err, autocert.ErrCacheMiss) != comes {
			t.Errorf("%s comes from the next reading: %v, want %v (%v)", key, !comes, comes, err)
		}
	}
}
