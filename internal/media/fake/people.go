package fake

import (
	"fmt"
	"maps"
	"slices"

	"github.com/conclave-rooms/conclave/internal/media"
)

// Join lets somebody in with a grant, as if they had come with its token, and
// gives their session id. Whoever is in with the same identity is put out.
// The room has to be there: the media server makes none by itself.
func (s *Server) Join(g media.Grant) (string, error) { return s.join(g, false) }

// Arrive lets somebody in with a token of MintToken's, who makes half of a
// connection and no more.
func (s *Server) Arrive(token string) (string, error) {
	g, err := s.Open(token)
	if err != nil {
		return "", err
	}
	return s.join(g, true)
}

func (s *Server) join(g media.Grant, arriving bool) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.find(g.Room)
	if err != nil {
		return "", err
	}
	if _, ok := r.people[g.Identity]; ok {
		s.drop(g.Room, g.Identity, false)
	}
	attributes := maps.Clone(g.Attributes)
	if attributes == nil {
		attributes = map[string]string{}
	}
	p := &person{grant: g, Participant: media.Participant{
		Identity: g.Identity, SessionID: s.next("PA_"), Name: g.Name, JoinedAt: s.now(), Arriving: arriving, Attributes: attributes,
	}}
	r.people[g.Identity] = p
	if arriving {
		return p.SessionID, nil
	}
	s.hint(media.Hint{Kind: media.HintJoined, Room: g.Room, Identity: g.Identity, SessionID: p.SessionID})
	return p.SessionID, nil
}

// Connect lets somebody in with a token of MintToken's.
func (s *Server) Connect(token string) (string, error) {
	g, err := s.Open(token)
	if err != nil {
		return "", err
	}
	return s.Join(g)
}

// Grant is what somebody may do now.
func (s *Server) Grant(room, identity string) (media.Grant, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, err := s.person(room, identity)
	if err != nil {
		return media.Grant{}, err
	}
	return p.grant, nil
}

// Leave is somebody saying goodbye.
func (s *Server) Leave(room, identity string) error { return s.out(room, identity, true) }

// Vanish is somebody whose connection died, at the moment the media server notices.
func (s *Server) Vanish(room, identity string) error { return s.out(room, identity, false) }

func (s *Server) out(room, identity string, deliberate bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.person(room, identity); err != nil {
		return err
	}
	s.drop(room, identity, deliberate)
	return nil
}

// Publish starts a track and gives its id, if the person may.
func (s *Server) Publish(room, identity string, source media.Source, muted bool) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, err := s.person(room, identity)
	if err != nil {
		return "", err
	}
	if !slices.Contains(p.grant.PublishSources, source) {
		return "", fmt.Errorf("%w: %s may not publish %s", media.ErrRefused, identity, source)
	}
	track := media.Track{ID: s.next("TR_"), Source: source, Muted: muted}
	p.Tracks = append(p.Tracks, track)
	s.hint(media.Hint{Kind: media.HintPublished, Room: room, Identity: identity, SessionID: p.SessionID})
	return track.ID, nil
}

// Unpublish ends a track.
func (s *Server) Unpublish(room, identity, trackID string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, err := s.person(room, identity)
	if err != nil {
		return err
	}
	p.Tracks = slices.DeleteFunc(p.Tracks, func(t media.Track) bool { return t.ID == trackID })
	s.hint(media.Hint{Kind: media.HintOther, Room: room, Identity: identity, SessionID: p.SessionID})
	return nil
}

// SetMuted is somebody muting or unmuting a track of their own.
func (s *Server) SetMuted(room, identity, trackID string, muted bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, err := s.person(room, identity)
	if err != nil {
		return err
	}
	return p.mute(trackID, muted)
}

// SetOwnAttributes is somebody changing attributes of their own, if they may.
// The media server gives no hint of it.
func (s *Server) SetOwnAttributes(room, identity string, attributes map[string]string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, err := s.person(room, identity)
	if err != nil {
		return err
	}
	if !p.grant.Rename {
		return fmt.Errorf("%w: %s may not change attributes", media.ErrRefused, identity)
	}
	p.merge(attributes)
	return nil
}

// Restart forgets every room and everybody in them, without a word: the same
// names made again have another generation.
func (s *Server) Restart() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rooms = map[string]*room{}
}

// Down makes every question fail with err, until Down(nil).
func (s *Server) Down(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = err
}

// LoseHints swallows hints from now on, or no longer.
func (s *Server) LoseHints(lose bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loseHints = lose
}
