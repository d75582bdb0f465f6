package media

import "errors"

// ErrNotFound is returned when the media server does not know the room,
// participant or track.
var ErrNotFound = errors.New("media: not found")

// ErrRefused is returned when the media server understood and said no:
// unmuting somebody else is the one case, because nobody but a person may
// open their own microphone.
var ErrRefused = errors.New("media: refused")
