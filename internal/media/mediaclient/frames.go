package mediaclient

import (
	_ "embed" // the frames
	"encoding/binary"
	"fmt"
	"time"

	"github.com/livekit/protocol/livekit"
	"github.com/pion/webrtc/v4"

	"github.com/conclave-rooms/conclave/internal/media"
)

//go:embed frames/stripe.vp8
var stripe []byte

//go:embed frames/tone.opus
var tone []byte

// kind is how a source is coded.
type kind struct {
	codec    webrtc.RTPCodecCapability
	source   livekit.TrackSource
	clear    func([]byte) int
	frames   []byte
	duration time.Duration // of one frame
}

func kindOf(source media.Source) (kind, error) {
	sound := kind{
		codec: webrtc.RTPCodecCapability{MimeType: webrtc.MimeTypeOpus, ClockRate: 48000, Channels: 2},
		clear: clearOpus, frames: tone, duration: 20 * time.Millisecond,
	}
	picture := kind{
		codec: webrtc.RTPCodecCapability{MimeType: webrtc.MimeTypeVP8, ClockRate: 90000},
		clear: clearVP8, frames: stripe, duration: time.Second / 15,
	}
	switch source {
	case media.Microphone:
		sound.source = livekit.TrackSource_MICROPHONE
		return sound, nil
	case media.ScreenShareAudio:
		sound.source = livekit.TrackSource_SCREEN_SHARE_AUDIO
		return sound, nil
	case media.Camera:
		picture.source = livekit.TrackSource_CAMERA
		return picture, nil
	case media.ScreenShare:
		picture.source = livekit.TrackSource_SCREEN_SHARE
		return picture, nil
	default:
		return kind{}, fmt.Errorf("no frames for source %q", source)
	}
}

func sourceOf(source livekit.TrackSource) media.Source {
	switch source {
	case livekit.TrackSource_MICROPHONE:
		return media.Microphone
	case livekit.TrackSource_SCREEN_SHARE_AUDIO:
		return media.ScreenShareAudio
	case livekit.TrackSource_CAMERA:
		return media.Camera
	case livekit.TrackSource_SCREEN_SHARE:
		return media.ScreenShare
	default:
		return ""
	}
}

// loop repeats frames endlessly. Each round of pictures begins with a key
// frame, so that people who come later see something within a second.
type loop struct {
	frames [][]byte
	at     int
}

// newLoop reads a file of frames, each preceded by its length in two bytes.
func newLoop(file []byte) *loop {
	l := &loop{}
	for len(file) > 0 {
		n := 2 + int(binary.BigEndian.Uint16(file))
		l.frames = append(l.frames, file[2:n])
		file = file[n:]
	}
	return l
}

func (l *loop) next() []byte {
	frame := l.frames[l.at%len(l.frames)]
	l.at++
	return frame
}
