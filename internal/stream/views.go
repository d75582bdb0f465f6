package stream

import "sync"

// views keeps, of every room that somebody follows on this node, what all who
// follow it are told alike. When something changes, everybody is woken and
// looks; without this, each of a hundred devices would read the other
// ninety-nine from the database.
type views struct {
	mu    sync.Mutex
	rooms map[string]*sharedView
}

// follow gives the shared view of a room, and the function that gives it back.
func (v *views) follow(roomID string) (shared *sharedView, release func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.rooms == nil {
		v.rooms = map[string]*sharedView{}
	}
	shared = v.rooms[roomID]
	if shared == nil {
		shared = &sharedView{}
		v.rooms[roomID] = shared
	}
	shared.followers++
	return shared, func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		shared.followers--
		if shared.followers == 0 {
			delete(v.rooms, roomID)
		}
	}
}

// sharedView is what is known of a room for all who follow it.
type sharedView struct {
	followers int // guarded by views.mu

	newest[view]              // what everybody in it is told
	line         newest[part] // who knocks, for hosts: it may be long and change often, while no host follows

	more sync.Mutex
	by   map[string]*newest[ShowTo] // what the features above tell, by their names
}

// fed gives the place of what a feature above tells of the room.
func (s *sharedView) fed(name string) *newest[ShowTo] {
	s.more.Lock()
	defer s.more.Unlock()
	if s.by == nil {
		s.by = map[string]*newest[ShowTo]{}
	}
	if s.by[name] == nil {
		s.by[name] = &newest[ShowTo]{}
	}
	return s.by[name]
}

// newest is a value at the latest revision that anybody asked for.
type newest[T any] struct {
	mu       sync.Mutex
	known    bool
	revision int64
	value    T
}

// at gives the value at a revision, or at a later one that somebody has read
// meanwhile: a stream is woken for that one too. Of those who ask at once, one
// calls read.
func (l *newest[T]) at(revision int64, read func() (T, error)) (T, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known && l.revision >= revision {
		return l.value, nil
	}
	v, err := read()
	if err == nil {
		l.known, l.revision, l.value = true, revision, v
	}
	return v, err
}
