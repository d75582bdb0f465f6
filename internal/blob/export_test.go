package blob

import "time"

// Hurry makes a store wait for its server only for a moment.
func (s *Store) Hurry() {
	s.upload.answerWithin, s.upload.sendWithin = 500*time.Millisecond, 500*time.Millisecond
}
