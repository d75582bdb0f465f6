package fake

import (
	"fmt"
	"maps"
	"slices"

	"github.com/conclave-rooms/conclave/internal/media"
)

// Join connects a person with a grant, as with its token, and returns the
// session id. It ends an earlier connection with the same identity. Unless the grant
// makes the room, it must exist.
func (s *Server) Join(g media.Grant) (string, error) { return s.join(g, false) }

// Arrive connects a person with a token of MintToken on the publishing half of
// a connection only.
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
	if g.MakesRoom && s.down == nil {
		s.ensure(g.Room)
	}
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

// Connect connects a person with a token of MintToken.
func (s *Server) Connect(token string) (string, error) {
	g, err := s.Open(token)
	if err != nil {
		return "", err
	}
	return s.Join(g)
}

// Grant is what a connection may do now.
func (s *Server) Grant(room, identity string) (media.Grant, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, err := s.person(room, identity)
	if err != nil {
		return media.Grant{}, err
	}
	return p.grant, nil
}

// Leave ends a connection as if the client said goodbye.
func (s *Server) Leave(room, identity string) error { return s.out(room, identity, true) }

// Vanish ends a connection as if the media server had just noticed that the
// client is gone.
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

// Publish starts a track and returns its id, if the person may publish it.
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

// SetMuted mutes or unmutes one of the person's own tracks.
func (s *Server) SetMuted(room, identity, trackID string, muted bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, err := s.person(room, identity)
	if err != nil {
		return err
	}
	return p.mute(trackID, muted)
}

// SetOwnAttributes changes the person's own attributes, if they may. The media
// server sends no hint of it.
func (s *Server) SetOwnAttributes(room, identity string, attributes map[string]string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, err := s.person(room, identity)
	if err != nil {
		return err
	}
	if !p.grant.OwnAttributes {
		return fmt.Errorf("%w: %s may not change attributes", media.ErrRefused, identity)
	}
	p.merge(attributes)
	return nil
}

// Restart forgets all rooms and participants without a hint. Rooms made again
// under the same names have another generation.
func (s *Server) Restart() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rooms = map[string]*room{}
}

// Down makes every call fail with err, until Down(nil).
func (s *Server) Down(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = err
}

// LoseHints turns the loss of hints on or off.
func (s *Server) LoseHints(lose bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loseHints = lose
}
