package gate

import (
	"net/netip"
	"sync"
	"time"
)

// Suspects remembers, on one node and in memory, who came in when, and keeps
// those out who come shortly before the media server ends, again and again. The
// rules are in suspects.go. A nil *Suspects suspects nobody.
type Suspects struct {
	now    func() time.Time
	mu     sync.Mutex
	ledger *ledger
}

// NewSuspects makes a memory in which nobody is.
func NewSuspects(now func() time.Time) *Suspects { return &Suspects{now: now, ledger: newLedger()} }

// Suspect is somebody who came in, or announced a track, shortly before the
// media server ended.
type Suspect struct {
	Identity string
	Room     string
	Address  netip.Addr
	Ends     int       // how many ends this person preceded
	Until    time.Time // until when they are kept out; zero: they are not
	person   person
}

// MediaEnded notes that the media server ended by itself, and gives those who
// may have been the reason.
func (s *Suspects) MediaEnded() []Suspect {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ledger.mediaEnded(s.now())
}

// Wait is how long somebody has to wait before they may come in; zero when they
// may now.
func (s *Suspects) Wait(identity, person, room string, from netip.Addr) time.Duration {
	if s == nil {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ledger.wait(s.now(), who{identity, room}, person, from)
}

func (s *Suspects) entered(d Decision) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ledger.entered(s.now(), who{d.Identity, d.Room}, d.Person, d.Address)
}

func (s *Suspects) announced(d Decision) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ledger.announced(s.now(), who{d.Identity, d.Room})
}

func (s *Suspects) left(d Decision) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ledger.left(s.now(), who{d.Identity, d.Room})
}
