package live

import (
	"maps"
	"time"

	"github.com/conclave-rooms/conclave/internal/seat"
)

// Goodbye notes that the client of an identity says that it leaves a media room.
// The gate hears that before the media server does. It is kept for a while, not
// for one Sync only: the device may still be connected to that media room, or to
// the one that it comes from.
func (s *Service) Goodbye(mediaRoom, identity string) {
	s.mu.Lock()
	if s.goodbyes == nil {
		s.goodbyes = map[string]map[string]time.Time{}
	}
	if s.goodbyes[mediaRoom] == nil {
		s.goodbyes[mediaRoom] = map[string]time.Time{}
	}
	s.goodbyes[mediaRoom][identity] = s.Now()
	s.mu.Unlock()
	roomID, _ := seat.SplitMediaRoom(mediaRoom)
	s.RequestSync(roomID)
}

// goodbyesTo is when identities said goodbye to a media room.
func (s *Service) goodbyesTo(mediaRoom string) map[string]time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.goodbyes[mediaRoom])
}

// forgetGoodbyes drops goodbyes that no longer count.
func (s *Service) forgetGoodbyes() {
	before := s.Now().Add(-goodbyeKept)
	s.mu.Lock()
	defer s.mu.Unlock()
	for mediaRoom, said := range s.goodbyes {
		maps.DeleteFunc(said, func(_ string, at time.Time) bool { return !at.After(before) })
		if len(said) == 0 {
			delete(s.goodbyes, mediaRoom)
		}
	}
}
