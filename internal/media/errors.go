package media

import "errors"

// ErrNotFound is returned when the media server does not know the room,
// participant or track.
var ErrNotFound = errors.New("media: not found")
