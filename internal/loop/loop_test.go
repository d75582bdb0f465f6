package loop

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

var errWork = errors.New("no luck")

func TestWorkIsRepeatedUntilTheContextEnds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		loop func(context.Context, time.Duration, func(context.Context) error, func(error))
		want []time.Duration // when the work is done, in two and a half hours
	}{
		"every": {Every, []time.Duration{0, time.Hour, 2 * time.Hour}},
		"later": {Later, []time.Duration{time.Hour, 2 * time.Hour}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 150*time.Minute)
				defer cancel()
				began := time.Now()
				var done []time.Duration
				c.loop(ctx, time.Hour, func(context.Context) error {
					done = append(done, time.Since(began))
					return nil
				}, func(err error) { t.Errorf("failed with %v", err) })
				if !slices.Equal(done, c.want) {
					t.Errorf("the work was done after %v, want %v", done, c.want)
				}
				if took := time.Since(began); took != 150*time.Minute {
					t.Errorf("the loop ended after %s, want it to end with its context", took)
				}
			})
		})
	}
}

// A failure does not end the loop. An error after the end of the context is not
// a failure, because the work was interrupted.
func TestFailuresAreReportedUntilTheContextEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		tries, told := 0, 0
		Every(ctx, time.Hour, func(ctx context.Context) error {
			if tries++; tries == 3 {
				cancel()
				return ctx.Err()
			}
			return errWork
		}, func(err error) {
			told++
			if !errors.Is(err, errWork) {
				t.Errorf("failed with %v, want %v", err, errWork)
			}
		})
		if tries != 3 || told != 2 {
			t.Errorf("%d tries and %d failures, want 3 and 2", tries, told)
		}
	})
}
