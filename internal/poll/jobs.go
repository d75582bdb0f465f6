package poll

import (
	"context"
	"time"
)

// shredTopic tells every node that ballots were destroyed.
const shredTopic = "polls/shred"

// shredAgain is how long the next try waits when somebody still reads from the
// log of the database.
const shredAgain = time.Second

// Run makes destroyed ballots disappear from the log of the database as well,
// until ctx ends: after every closing of an anonymous poll, and once at the
// start, for the closing after which the service was killed.
func (s *Service) Run(ctx context.Context) {
	destroyed, cancel := s.Hub.Subscribe(shredTopic)
	defer cancel()
	for {
		if err := s.DB.Shred(ctx); err != nil && ctx.Err() == nil {
			s.Logger.DebugContext(ctx, "the log of the database could not be emptied; trying again", "error", err)
			select {
			case <-ctx.Done():
				return
			case <-time.After(shredAgain):
				continue
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-destroyed:
		}
	}
}
