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

// forget makes the next stream of each room read everything from the database.
func (v *views) forget() {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, shared := range v.rooms {
		shared.forget()
	}
}

// sharedView is the state of a room for everybody who follows it.
type sharedView struct {
	followers int // guarded by views.mu

	newest[view] // for everybody in the room
	common       together[inside]
	line         newest[part] // who knocks, for hosts: it may be long and change often, while no host follows

	more sync.Mutex
	by   map[string]*newest[ShowTo] // the boards of the features above, by their names
}

// board returns the room's value for the board of a feature above.
func (s *sharedView) board(name string) *newest[ShowTo] {
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

// forget makes the next stream read everything from the database.
func (s *sharedView) forget() {
	s.newest.forget()
	s.line.forget()
	s.more.Lock()
	defer s.more.Unlock()
	for _, board := range s.by {
		board.forget()
	}
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
// once, one of them calls read, with the value before.
func (l *newest[T]) at(revision int64, read func(before T) (T, error)) (T, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known && l.revision >= revision {
		return l.value, nil
	}
	v, err := read(l.value)
	if err == nil {
		l.known, l.revision, l.value = true, revision, v
	}
	return v, err
}

// forget makes the next stream read the value, at whatever revision.
func (l *newest[T]) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.known = false
}

// together is a value that several streams want to know at the same moment. Unlike
// newest, it knows no revision: reading that is part of the work.
type together[T any] struct {
	mu      sync.Mutex
	next    *reading[T] // the one that has not begun yet
	reading sync.Mutex  // held while one of them reads
}

// reading is a reading of a value, for all who wait for it.
type reading[T any] struct {
	done  chan struct{} // closed when it is over
	value T
	err   error
}

// now returns the value of a reading that began after the call, so that it has
// everything that the caller was woken for. One of those who wait calls read.
func (t *together[T]) now(read func() (T, error)) (T, error) {
	t.mu.Lock()
	r := t.next
	if r != nil {
		t.mu.Unlock()
		<-r.done
		return r.value, r.err
	}
	r = &reading[T]{done: make(chan struct{})}
	t.next = r
	t.mu.Unlock()

	t.reading.Lock()
	defer t.reading.Unlock()
	t.mu.Lock()
	t.next = nil
	t.mu.Unlock()
	defer close(r.done)
	r.value, r.err = read()
	return r.value, r.err
}
