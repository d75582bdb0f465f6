package seat

import "time"

// Meeting is a meeting in a room, from the first person to the last.
type Meeting struct {
	ID          string
	RoomID      string
	WorkspaceID string
	StartedAt   time.Time
	EmptiedAt   time.Time // since when nobody is in; zero while somebody is
	HostJoined  bool      // one of the room's own hosts has been in
}
