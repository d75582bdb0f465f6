package media

import "errors"

// ErrNotFound is returned when the media server does not know the room,
// participant or track.
var ErrNotFound = errors.New("media: not found")

// ErrRefused is returned when the media server understood and refused. The one
// case is unmuting somebody else: only people themselves may open their
// microphones.
var ErrRefused = errors.New("media: refused")
