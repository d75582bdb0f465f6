package gate

import (
	"net/netip"
	"sync"
	"time"
)

// Suspects remembers, on one node and in memory, who came in when. It keeps
// people out who repeatedly come in shortly before the media server crashes.
// The rules are in suspects.go. A nil *Suspects suspects nobody.
type Suspects struct {
	now    func() time.Time
	mu     sync.Mutex
	ledger *ledger
}

// NewSuspects makes an empty memory.
func NewSuspects(now func() time.Time) *Suspects { return &Suspects{now: now, ledger: newLedger()} }

// Suspect is somebody who came in, or announced a track, shortly before the
// media server crashed.
type Suspect struct {
	Identity string
	Room     string
	Address  netip.Addr
	Ends     int       // how many crashes this person preceded
	Until    time.Time // until when they are kept out; zero: they are not
	person   person
}

// MediaEnded notes that the media server crashed, and returns those who may
// have caused it.
func (s *Suspects) MediaEnded() []Suspect {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ledger.mediaEnded(s.now())
}

// Wait is how long somebody has to wait before they may come in; zero when they
// may come in now.
func (s *Suspects) Wait(identity, person, room string, from netip.Addr) time.Duration {
	if s == nil {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ledger.wait(s.now(), device{identity, room}, person, from)
}

func (s *Suspects) entered(d Decision) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ledger.entered(s.now(), device{d.Identity, d.Room}, d.Person, d.Address)
}

func (s *Suspects) announced(d Decision) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ledger.announced(s.now(), device{d.Identity, d.Room})
}

func (s *Suspects) left(d Decision) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ledger.left(s.now(), device{d.Identity, d.Room})
}
