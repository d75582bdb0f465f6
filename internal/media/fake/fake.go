package fake

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/conclave-rooms/conclave/internal/media"
)

// Server is a media server in memory. Its zero value is not usable: see New.
type Server struct {
	now   func() time.Time
	hints *media.HintQueue

	mu        sync.Mutex
	rooms     map[string]*room
	serial    int // numbers rooms, sessions and tracks, so that every id is unique
	down      error
	loseHints bool
}

type room struct {
	generation string
	people     map[string]*person
}

type person struct {
	media.Participant
	grant media.Grant
}

var _ media.Server = (*Server)(nil)

// New makes an empty media server that takes the time from now.
func New(now func() time.Time) *Server {
	return &Server{now: now, hints: media.NewHintQueue(), rooms: map[string]*room{}}
}

// next makes a new id.
func (s *Server) next(prefix string) string {
	s.serial++
	return prefix + strconv.Itoa(s.serial)
}

func (s *Server) hint(h media.Hint) {
	if !s.loseHints {
		s.hints.Put(h)
	}
}

// lock begins a call: it takes the lock, and fails when the server is down.
// The caller unlocks in either case.
func (s *Server) lock(ctx context.Context) error {
	s.mu.Lock()
	if s.down != nil {
		return s.down
	}
	return context.Cause(ctx)
}

func (s *Server) find(name string) (*room, error) {
	r, ok := s.rooms[name]
	if !ok {
		return nil, fmt.Errorf("%w: no media room %q", media.ErrNotFound, name)
	}
	return r, nil
}

func (s *Server) person(name, identity string) (*person, error) {
	r, err := s.find(name)
	if err != nil {
		return nil, err
	}
	p, ok := r.people[identity]
	if !ok {
		return nil, fmt.Errorf("%w: nobody called %q in %q", media.ErrNotFound, identity, name)
	}
	return p, nil
}

// drop removes a connection and sends the hint. For a participant who was still
// arriving, LiveKit only reports that the connection was given up, not by which
// side.
func (s *Server) drop(name, identity string, deliberate bool) {
	p := s.rooms[name].people[identity]
	delete(s.rooms[name].people, identity)
	if p.Arriving {
		s.hint(media.Hint{Kind: media.HintOther, Room: name, Identity: identity, SessionID: p.SessionID})
		return
	}
	s.hint(media.Hint{
		Kind: media.HintLeft, Room: name, Identity: identity, SessionID: p.SessionID, Deliberate: deliberate, JoinedAt: p.JoinedAt,
	})
}

// EnsureRoom makes the room, or finds it.
func (s *Server) EnsureRoom(ctx context.Context, name string) (media.Room, error) {
	err := s.lock(ctx)
	defer s.mu.Unlock()
	if err != nil {
		return media.Room{}, err
	}
	return media.Room{Name: name, Generation: s.ensure(name).generation}, nil
}

func (s *Server) ensure(name string) *room {
	r, ok := s.rooms[name]
	if !ok {
		r = &room{generation: s.next("RM_"), people: map[string]*person{}}
		s.rooms[name] = r
		s.hint(media.Hint{Kind: media.HintOther, Room: name})
	}
	return r
}

// CloseRoom disconnects everyone and forgets the room.
func (s *Server) CloseRoom(ctx context.Context, name string) error {
	err := s.lock(ctx)
	defer s.mu.Unlock()
	if err != nil {
		return err
	}
	r, ok := s.rooms[name]
	if !ok {
		return nil
	}
	for _, identity := range slices.Sorted(maps.Keys(r.people)) {
		s.drop(name, identity, false)
	}
	delete(s.rooms, name)
	s.hint(media.Hint{Kind: media.HintOther, Room: name})
	return nil
}

// Rooms lists rooms by name.
func (s *Server) Rooms(ctx context.Context, names ...string) ([]media.Room, error) {
	err := s.lock(ctx)
	defer s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	var out []media.Room
	for _, name := range slices.Sorted(maps.Keys(s.rooms)) {
		if len(names) == 0 || slices.Contains(names, name) {
			out = append(out, media.Room{Name: name, Generation: s.rooms[name].generation})
		}
	}
	return out, nil
}

// Participants lists who is in, by identity.
func (s *Server) Participants(ctx context.Context, name string) ([]media.Participant, error) {
	err := s.lock(ctx)
	defer s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	r, err := s.find(name)
	if err != nil {
		return nil, err
	}
	var out []media.Participant
	for _, identity := range slices.Sorted(maps.Keys(r.people)) {
		grant := r.people[identity].grant
		p := r.people[identity].Participant
		p.Grant = media.Grant{PublishSources: slices.Clone(grant.PublishSources), PublishData: grant.PublishData, OwnAttributes: grant.OwnAttributes}
		p.Attributes, p.Tracks = maps.Clone(p.Attributes), slices.Clone(p.Tracks)
		out = append(out, p)
	}
	return out, nil
}

// Remove disconnects a connection.
func (s *Server) Remove(ctx context.Context, name, identity, session string) error {
	err := s.lock(ctx)
	defer s.mu.Unlock()
	if err != nil {
		return err
	}
	p, err := s.person(name, identity)
	if err != nil {
		return err
	}
	if session != "" && p.SessionID != session {
		return media.ErrNotFound
	}
	s.drop(name, identity, false)
	return nil
}

// MuteTrack mutes a track. It refuses to unmute, as LiveKit is configured to.
func (s *Server) MuteTrack(ctx context.Context, name, identity, trackID string, muted bool) error {
	err := s.lock(ctx)
	defer s.mu.Unlock()
	if err != nil {
		return err
	}
	p, err := s.person(name, identity)
	if err != nil {
		return err
	}
	if !muted {
		return fmt.Errorf("%w: unmuting somebody else", media.ErrRefused)
	}
	return p.mute(trackID, muted)
}

func (p *person) mute(trackID string, muted bool) error {
	i := slices.IndexFunc(p.Tracks, func(t media.Track) bool { return t.ID == trackID })
	if i < 0 {
		return fmt.Errorf("%w: no track %q", media.ErrNotFound, trackID)
	}
	p.Tracks[i].Muted = muted
	return nil
}

// UpdateGrant changes a connection's name and what it may do.
func (s *Server) UpdateGrant(ctx context.Context, g media.Grant) error {
	err := s.lock(ctx)
	defer s.mu.Unlock()
	if err != nil {
		return err
	}
	p, err := s.person(g.Room, g.Identity)
	if err != nil {
		return err
	}
	p.grant.PublishSources, p.grant.PublishData, p.grant.OwnAttributes = g.PublishSources, g.PublishData, g.OwnAttributes
	if g.Name != "" {
		p.Name, p.grant.Name = g.Name, g.Name
	}
	p.Tracks = slices.DeleteFunc(p.Tracks, func(t media.Track) bool {
		return !slices.Contains(g.PublishSources, t.Source)
	})
	return nil
}

// SetAttributes merges attributes.
func (s *Server) SetAttributes(ctx context.Context, name, identity string, attributes map[string]string) error {
	err := s.lock(ctx)
	defer s.mu.Unlock()
	if err != nil {
		return err
	}
	p, err := s.person(name, identity)
	if err != nil {
		return err
	}
	p.merge(attributes)
	return nil
}

func (p *person) merge(attributes map[string]string) {
	for k, v := range attributes {
		if v == "" {
			delete(p.Attributes, k)
		} else {
			p.Attributes[k] = v
		}
	}
}

const tokenPrefix = "fake."

// UpstreamToken makes a token with which the connection makes the room.
func (s *Server) UpstreamToken(_ context.Context, g media.Grant) (string, error) {
	g.MakesRoom = true
	return s.MintToken(g)
}

// MintToken encodes the grant; Connect decodes it.
func (s *Server) MintToken(g media.Grant) (string, error) {
	if g.Room == "" || g.Identity == "" || g.TTL <= 0 {
		return "", errors.New("mint media token: room, identity and a time to live are needed")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if g.MakesRoom && s.down != nil {
		return "", s.down
	}
	text, err := json.Marshal(g)
	if err != nil {
		return "", fmt.Errorf("mint media token: %w", err)
	}
	return tokenPrefix + base64.RawURLEncoding.EncodeToString(text), nil
}

// Open reads a token that MintToken made.
func (s *Server) Open(token string) (media.Grant, error) {
	encoded, ok := strings.CutPrefix(token, tokenPrefix)
	if !ok {
		return media.Grant{}, fmt.Errorf("%w: not a token of this server", media.ErrRefused)
	}
	text, err := base64.RawURLEncoding.DecodeString(encoded)
	if err != nil {
		return media.Grant{}, fmt.Errorf("read token: %w", err)
	}
	var g media.Grant
	if err := json.Unmarshal(text, &g); err != nil {
		return media.Grant{}, fmt.Errorf("read token: %w", err)
	}
	return g, nil
}

// Upstream is an address that cannot exist (RFC 2606): there is no signalling
// here for the gate to reach.
func (s *Server) Upstream() string { return "ws://media.invalid" }

// Hints is the stream of hints.
func (s *Server) Hints() <-chan media.Hint { return s.hints.C() }

// Ready says whether the server answers.
func (s *Server) Ready(ctx context.Context) error {
	err := s.lock(ctx)
	defer s.mu.Unlock()
	return err
}
