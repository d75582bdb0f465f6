package poll

import (
	"context"
	"time"
)

// shredTopic is the topic that tells every node that ballots were destroyed.
const shredTopic = "polls/shred"

// Shredding fails while a reader of the log or an old transaction still needs
// the old rows. The wait before the next try doubles after each failure.
const (
	shredRetry    = time.Second
	shredRetryMax = time.Minute
	shredEvery    = time.Hour // at least
)

// Run removes destroyed ballots from the files of the database until ctx ends.
// It does so after every closing or deletion that destroyed some, and also at the
// start and once an hour, in case a node was killed before it could.
func (s *Service) Run(ctx context.Context) {
	destroyed, cancel := s.Hub.Subscribe(shredTopic)
	defer cancel()
	for ctx.Err() == nil {
		s.shred(ctx)
		select {
		case <-ctx.Done():
		case <-destroyed:
		case <-time.After(shredEvery):
		}
	}
}

// shred tries until it succeeds. It logs every failure as a warning, because
// until it succeeds the files may still contain ballots of closed polls.
func (s *Service) shred(ctx context.Context) {
	for wait := shredRetry; ; wait = min(2*wait, shredRetryMax) {
		err := s.DB.Shred(ctx, ballotTable)
		if err == nil {
			s.Logger.DebugContext(ctx, "destroyed ballots are in no file of the database any more")
			return
		}
		if ctx.Err() != nil {
			return
		}
		s.Logger.WarnContext(ctx, "ballots of closed anonymous polls may still be in the files of the database; trying again", "wait", wait, "error", err)
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}
