package blob

import (
	"context"
	"fmt"
	"io"
	"time"
)

// patience limits how long a reader waits for the next bytes from a bucket, but not how
// long it reads altogether, because its caller may be slow.
type patience struct {
	ctx   context.Context //nolint:containedctx // of the requests to the bucket
	end   context.CancelFunc
	limit time.Duration
	timer *time.Timer // nil with files, which answer at once
}

// errSilent is why a reader gave up its bucket.
var errSilent = fmt.Errorf("blob: the server sends nothing: %w", context.DeadlineExceeded)

// patient makes the context of a reader's requests. With files it is ctx.
func (s *Store) patient(ctx context.Context) (context.Context, patience) {
	if s.upload == nil {
		return ctx, patience{ctx: ctx, end: func() {}, limit: 0, timer: nil}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(s.upload.answerWithin, func() { cancel(errSilent) })
	end := func() {
		timer.Stop()
		cancel(nil)
	}
	return ctx, patience{ctx: ctx, end: end, limit: s.upload.answerWithin, timer: timer}
}

// during waits for one answer. When it takes too long, it fails.
func (p patience) during(ask func() error) error {
	if p.timer == nil {
		return ask()
	}
	p.timer.Reset(p.limit)
	err := answered(ask())
	p.timer.Stop()
	if err != nil && err != io.EOF && context.Cause(p.ctx) == errSilent { //nolint:errorlint // both are always themselves
		return fmt.Errorf("%w: %w: %w", ErrNoAnswer, errSilent, err)
	}
	return err
}
