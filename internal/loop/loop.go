// Package loop repeats work at an interval until its context ends, such as
// deleting old rows once an hour.
//
// It guarantees nothing: after a failure, or when the process is killed, the
// work waits for its next time. Work that must not be lost is a job (package
// job).
package loop

import (
	"context"
	"time"
)

// Every does the work at once and then once in each interval, until ctx ends.
// It passes every error to failed, except an error after ctx has ended, because
// then the work was interrupted.
func Every(ctx context.Context, interval time.Duration, work func(context.Context) error, failed func(error)) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		do(ctx, work, failed)
		if !next(ctx, tick) {
			return
		}
	}
}

// Later is like Every, but first waits for one interval.
func Later(ctx context.Context, interval time.Duration, work func(context.Context) error, failed func(error)) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for next(ctx, tick) {
		do(ctx, work, failed)
	}
}

func do(ctx context.Context, work func(context.Context) error, failed func(error)) {
	if err := work(ctx); err != nil && ctx.Err() == nil {
		failed(err)
	}
}

// next waits for the next time; it returns false when ctx ends first.
func next(ctx context.Context, tick *time.Ticker) bool {
	select {
	case <-ctx.Done():
		return false
	case <-tick.C:
		return true
	}
}
