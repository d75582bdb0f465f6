package bench

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/notify"
)

// BenchmarkNotify measures what it costs to tell other nodes of a change. 32
// writers commit one after the other, each a row of its own, with a wake-up and
// without one in turns. Meanwhile a second node waits for the wake-ups of one
// writer: the time is from the return of that writer's commit until the node is
// awake. It says how many commits with a wake-up return in a second, and the share
// of the rate without wake-ups that this is.
func BenchmarkNotify(b *testing.B) {
	for _, engine := range []db.Engine{db.SQLite, db.PostgreSQL} {
		b.Run(string(engine), func(b *testing.B) {
			w := newWakers(b, engine)
			const turns = 6
			var loud, quiet time.Duration
			for range turns {
				quiet += w.commit(b, false)
				loud += w.commit(b, true)
			}
			commits := float64(turns * writers * commitsEach)
			b.ReportMetric(commits/loud.Seconds(), "commits/s")
			b.ReportMetric(quiet.Seconds()/loud.Seconds(), "x-silent")
			b.ReportMetric(millis(percentile(w.took, 0.5)), "wake-p50-ms")
			b.ReportMetric(millis(percentile(w.took, 0.99)), "wake-p99-ms")
		})
	}
}

const (
	writers     = 32
	commitsEach = 200
	watched     = "bench/0" // the topic that the second node waits for
)

// wakers are a database with a row for each writer, and two nodes.
type wakers struct {
	d         *db.DB
	near, far *notify.Hub
	wake      <-chan struct{}
	took      []time.Duration
}

func newWakers(b *testing.B, engine db.Engine) *wakers {
	b.Helper()
	d := dbtest.Open(b, dbtest.Config(b, engine))
	w := &wakers{d: d, near: notify.New(d, slog.New(slog.DiscardHandler))}
	w.far = w.near
	if engine == db.PostgreSQL {
		w.far = notify.New(d, slog.New(slog.DiscardHandler))
	}
	wake, cancel := w.far.Subscribe(watched)
	b.Cleanup(cancel)
	w.wake = wake
	for _, h := range []*notify.Hub{w.near, w.far} {
		ctx, stop := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() { defer close(done); h.Run(ctx) }()
		b.Cleanup(func() { stop(); <-done })
		if w.far == w.near {
			break
		}
	}
	if engine == db.PostgreSQL {
		<-wake // connecting wakes everybody
	}
	err := d.Write(b.Context(), func(tx *db.Tx) error {
		if _, err := tx.Exec(b.Context(), "CREATE TABLE bench_writer (id BIGINT PRIMARY KEY, n BIGINT NOT NULL)"); err != nil {
			return err
		}
		for i := range writers {
			if _, err := tx.Exec(b.Context(), "INSERT INTO bench_writer (id, n) VALUES ($1, 0)", i); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return w
}

// commit returns how long all writers take for their commits. The first writer of
// those that wake waits until the second node is awake, so its wake-ups are never
// gathered into one.
func (w *wakers) commit(b *testing.B, loud bool) time.Duration {
	b.Helper()
	began := time.Now()
	var all sync.WaitGroup
	for i := range writers {
		all.Go(func() {
			for range commitsEach {
				if err := w.write(b.Context(), i, loud); err != nil {
					b.Error(err)
					return
				}
				if loud && i == 0 {
					committed := time.Now()
					select {
					case <-w.wake:
						w.took = append(w.took, time.Since(committed))
					case <-time.After(10 * time.Second):
						b.Error("a wake-up did not arrive within 10 seconds")
						return
					}
				}
			}
		})
	}
	all.Wait()
	return time.Since(began)
}

func (w *wakers) write(ctx context.Context, i int, loud bool) error {
	return w.d.WriteLoosely(ctx, func(tx *db.Tx) error {
		if loud {
			w.near.Notify(tx, "bench/"+string(rune('0'+i)))
		}
		_, err := tx.Exec(ctx, "UPDATE bench_writer SET n = n + 1 WHERE id = $1", i)
		return err
	})
}
