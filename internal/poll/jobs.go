package poll

import (
	"context"
	"time"
)

// shredTopic tells every node that ballots were destroyed.
const shredTopic = "polls/shred"

// How long the next try to shred waits when somebody is in the way: a reader of
// the log, or an old transaction. After each failure it waits twice as long.
const (
	shredAgain   = time.Second
	shredAgainAt = time.Minute // at most
)

// Run makes destroyed ballots disappear from the files of the database as well,
// until ctx ends: after every closing or deletion that destroyed some, and once
// at the start, for those after which the service was killed.
func (s *Service) Run(ctx context.Context) {
	destroyed, cancel := s.Hub.Subscribe(shredTopic)
	defer cancel()
	for ctx.Err() == nil {
		s.shred(ctx)
		select {
		case <-ctx.Done():
		case <-destroyed:
		}
	}
}

// shred tries until it is done. The operator is told of every failure: until
// then whoever reads the files may find ballots of closed polls.
func (s *Service) shred(ctx context.Context) {
	for wait := shredAgain; ; wait = min(2*wait, shredAgainAt) {
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
