package mediaclient

import (
	"context"
	"fmt"
	"time"

	"github.com/livekit/protocol/livekit"
	"github.com/livekit/protocol/logger"
	lksdk "github.com/livekit/server-sdk-go/v2"
	"github.com/livekit/server-sdk-go/v2/e2ee"
	"github.com/pion/webrtc/v4"
	pion "github.com/pion/webrtc/v4/pkg/media"

	"github.com/conclave-rooms/conclave/internal/media"
)

// Stock is a person with LiveKit's own Go library and no code of ours: its
// signalling, its key derivation, its encryption of frames. It only speaks and
// listens. Participant does everything else, because the library announces
// video in a way that causes a data race in LiveKit's server, which the race
// detector would report.
type Stock struct {
	room  *lksdk.Room
	keys  *e2ee.ExternalKeyProvider
	tally *tally
	gone  chan string
}

// ConnectStock connects a person with what the API returned for them.
func ConnectStock(ctx context.Context, o Options) (*Stock, error) {
	s := &Stock{keys: e2ee.NewExternalKeyProvider(), tally: newTally(), gone: make(chan string, 1)}
	if err := s.keys.SetKeyFromPassphrase(o.Passphrase, 0); err != nil {
		return nil, fmt.Errorf("set the key: %w", err)
	}
	s.room = lksdk.NewRoom(&lksdk.RoomCallback{
		OnDisconnectedWithReason: func(lksdk.DisconnectionReason) { s.over(s.room.DisconnectReason().String()) },
		ParticipantCallback: lksdk.ParticipantCallback{
			OnTrackSubscribed: func(t *webrtc.TrackRemote, pub *lksdk.RemoteTrackPublication, from *lksdk.RemoteParticipant) {
				go s.listen(t, stream{identity: from.Identity(), source: sourceOf(pub.Source())})
			},
		},
	})
	s.room.SetLogger(logger.GetDiscardLogger())
	err := s.room.JoinWithContextAndToken(ctx, o.URL, o.Token, lksdk.WithAutoSubscribe(true), lksdk.WithLogger(logger.GetDiscardLogger()),
		lksdk.WithConnectTimeout(10*time.Second))
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	return s, nil
}

// Speak starts to send an encrypted microphone.
func (s *Stock) Speak() error {
	sound, err := kindOf(media.Microphone)
	if err != nil {
		return err
	}
	encryptor, err := e2ee.NewGCMFrameEncryptor(s.keys, lksdk.EncryptGCMAudioSampleCustomCipher)
	if err != nil {
		return fmt.Errorf("make the encryptor: %w", err)
	}
	track, err := lksdk.NewLocalTrack(sound.codec, lksdk.WithFrameEncryptor(encryptor))
	if err != nil {
		return fmt.Errorf("make the track: %w", err)
	}
	if err := track.StartWrite(&samples{frames: newLoop(sound.frames), every: sound.duration}, func() {}); err != nil {
		return fmt.Errorf("start the track: %w", err)
	}
	_, err = s.room.LocalParticipant.PublishTrack(track, &lksdk.TrackPublicationOptions{
		Name: "microphone", Source: livekit.TrackSource_MICROPHONE, Encryption: livekit.Encryption_GCM,
	})
	if err != nil {
		return fmt.Errorf("publish: %w", err)
	}
	return nil
}

// samples gives the frames of a loop to the library.
type samples struct {
	lksdk.BaseSampleProvider

	frames *loop
	every  time.Duration
}

// NextSample returns the next frame.
func (s *samples) NextSample(context.Context) (pion.Sample, error) {
	return pion.Sample{Data: s.frames.next(), Duration: s.every}, nil
}

func (s *Stock) listen(track *webrtc.TrackRemote, who stream) {
	if who.source != media.Microphone {
		return
	}
	decryptor := e2ee.NewGCMFrameDecryptor(s.keys, lksdk.DecryptGCMAudioSampleCustomCipher, s.room.SifTrailer())
	frames := e2ee.NewTrackDecryptorWithOptions(track, decryptor, reorder)
	for {
		sample, err := frames.ReadSample()
		if err != nil {
			return // the track has ended, or another key encrypted it
		}
		if sample != nil {
			s.tally.open(who)
		}
	}
}

// WaitFrames waits for n more frames of a person's microphone that could be
// decrypted.
func (s *Stock) WaitFrames(ctx context.Context, identity string, n int) error {
	return s.tally.wait(ctx, s.tally.decrypted, stream{identity, media.Microphone}, n)
}

// Identity is the connection identity.
func (s *Stock) Identity() string { return s.room.LocalParticipant.Identity() }

// over notes why the connection is over, once.
func (s *Stock) over(why string) {
	select {
	case s.gone <- why:
	default:
	}
}

// Gone receives the reason (PARTICIPANT_REMOVED, ...) when the connection is over.
func (s *Stock) Gone() <-chan string { return s.gone }

// Disconnect says goodbye.
func (s *Stock) Disconnect() { s.room.Disconnect() }
