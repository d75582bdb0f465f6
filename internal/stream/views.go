package stream

import "sync"

// views keeps the parts that are the same for everybody who follows a room on this
// node. A change wakes all streams of the room. Without views, each of a hundred
// devices would then read the other ninety-nine from the database.
type views struct {
	mu    sync.Mutex
	rooms map[string]*sharedView
}

// follow returns the shared view of a room, and the function that releases it.
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

// sharedView is the state of a room for everybody who follows it.
type sharedView struct {
	followers int // guarded by views.mu

	newest[view]              // for everybody in the room
	line         newest[part] // who knocks, for hosts: it may be long and change often, while no host follows

	more sync.Mutex
	by   map[string]*newest[ShowTo] // the feeds of the features above, by their names
}

// fed returns the room's value for the feed of a feature above.
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

// newest is a value at the latest revision that a stream asked for.
type newest[T any] struct {
	mu       sync.Mutex
	known    bool
	revision int64
	value    T
}

// at returns the value at a revision, or at a later one that another stream has
// read meanwhile, for which this stream is woken too. When several streams ask at
// once, one of them calls read.
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
