package live

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

// sharedView is a room's view at its latest revision that anybody asked for.
type sharedView struct {
	followers int // guarded by views.mu

	mu       sync.Mutex
	known    bool
	revision int64
	view     view
}

// at gives the view at a revision, or at a later one that somebody has read
// meanwhile: whoever asks is woken for that one too. read reads it; of those
// who ask at once, one does.
func (s *sharedView) at(revision int64, read func() (view, error)) (view, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known && s.revision >= revision {
		return s.view, nil
	}
	v, err := read()
	if err == nil {
		s.known, s.revision, s.view = true, revision, v
	}
	return v, err
}
