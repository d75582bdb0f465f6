package livekit

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/livekit/protocol/livekit"

	"github.com/conclave-rooms/conclave/internal/media"
)

// Participants lists connections that have arrived or are arriving. A device
// has arrived when its main media connection is up (LiveKit's ACTIVE), which is
// also when HintJoined is sent. On the main connection a device hears others:
// newer clients have only this one, others have two and it is the subscribing
// one. (For clients of signalling protocol 2 and older it is the publishing
// one; the gate refuses those.) A device that is arriving may already have
// published on its other connection.
func (s *Server) Participants(ctx context.Context, room string) ([]media.Participant, error) {
	if err := s.exists(ctx, room); err != nil {
		return nil, fmt.Errorf("list participants: %w", err)
	}
	admin, err := s.asAdmin(ctx, room)
	if err != nil {
		return nil, err
	}
	res, err := s.rooms.ListParticipants(admin, &livekit.ListParticipantsRequest{Room: room})
	if err != nil {
		return nil, fmt.Errorf("list participants: %w", s.orGone(ctx, room, err))
	}
	people := make([]media.Participant, 0, len(res.Participants))
	for _, p := range res.Participants {
		if p.State != livekit.ParticipantInfo_DISCONNECTED {
			people = append(people, participant(p))
		}
	}
	return people, nil
}

// orGone explains a failed call: if the room is gone, the error says that.
func (s *Server) orGone(ctx context.Context, room string, err error) error {
	if gone := s.exists(ctx, room); gone != nil {
		return gone
	}
	return translate(err)
}

func participant(p *livekit.ParticipantInfo) media.Participant {
	tracks := make([]media.Track, 0, len(p.Tracks))
	for _, t := range p.Tracks {
		tracks = append(tracks, media.Track{ID: t.Sid, Source: carried(t), Muted: t.Muted})
	}
	return media.Participant{
		Identity:   p.Identity,
		SessionID:  p.Sid,
		Name:       p.Name,
		JoinedAt:   joinedAt(p),
		Arriving:   p.State != livekit.ParticipantInfo_ACTIVE,
		Attributes: p.Attributes,
		Tracks:     tracks,
		Grant:      grantOf(p.Permission),
	}
}

// carried is the source of a track. A client may announce any, and LiveKit does not
// compare it with what arrives. Others hear every sound, whatever its source is. So a
// sound is a microphone unless it is that of a screen, and no picture is a sound.
func carried(t *livekit.TrackInfo) media.Source {
	announced, sound := source(t.GetSource()), t.GetType() == livekit.TrackType_AUDIO
	if kind, _, known := strings.Cut(t.GetMimeType(), "/"); known { // of what arrives
		sound = strings.EqualFold(kind, "audio")
	}
	switch {
	case sound && announced != media.ScreenShareAudio:
		return media.Microphone
	case !sound && (announced == media.Microphone || announced == media.ScreenShareAudio):
		return media.Camera
	default:
		return announced
	}
}

func joinedAt(p *livekit.ParticipantInfo) time.Time {
	if p.GetJoinedAtMs() == 0 {
		return time.Unix(p.GetJoinedAt(), 0)
	}
	return time.UnixMilli(p.GetJoinedAtMs())
}

// present finds a participant in a room, arrived or still arriving.
func (s *Server) present(ctx context.Context, room, identity string) (*livekit.ParticipantInfo, error) {
	if err := s.exists(ctx, room); err != nil {
		return nil, err
	}
	admin, err := s.asAdmin(ctx, room)
	if err != nil {
		return nil, err
	}
	p, err := s.rooms.GetParticipant(admin, &livekit.RoomParticipantIdentity{Room: room, Identity: identity})
	if err != nil {
		return nil, s.orGone(ctx, room, err)
	}
	return p, nil
}

// removeTimeout bounds a removal. LiveKit's nodes repeat a message that nobody
// answers after three seconds (rpc.DefaultPSRPCConfig). When the device left by
// itself at the moment of the removal, the repetition would reach the connection with
// which it came back.
const removeTimeout = 2 * time.Second

// Remove disconnects a connection. Its token stays valid: the gate refuses it.
// LiveKit removes by identity only, so the session is compared just before.
func (s *Server) Remove(ctx context.Context, room, identity, session string) error {
	p, err := s.present(ctx, room, identity)
	if err != nil {
		return fmt.Errorf("remove participant: %w", err)
	}
	if session != "" && p.Sid != session {
		return fmt.Errorf("remove participant: %w: no session %q", media.ErrNotFound, session)
	}
	admin, err := s.asAdmin(ctx, room)
	if err != nil {
		return err
	}
	admin, cancel := context.WithTimeout(admin, removeTimeout)
	defer cancel()
	_, err = s.rooms.RemoveParticipant(admin, &livekit.RoomParticipantIdentity{Room: room, Identity: identity})
	if err != nil {
		return fmt.Errorf("remove participant: %w", s.orGone(ctx, room, err))
	}
	return nil
}

// MuteTrack mutes a track. It refuses to unmute.
func (s *Server) MuteTrack(ctx context.Context, room, identity, trackID string, muted bool) error {
	if _, err := s.present(ctx, room, identity); err != nil {
		return fmt.Errorf("mute track: %w", err)
	}
	admin, err := s.asAdmin(ctx, room)
	if err != nil {
		return err
	}
	res, err := s.rooms.MutePublishedTrack(admin, &livekit.MuteRoomTrackRequest{
		Room: room, Identity: identity, TrackSid: trackID, Muted: muted,
	})
	if err != nil {
		return fmt.Errorf("mute track: %w", s.orGone(ctx, room, err))
	}
	if res.Track == nil {
		return fmt.Errorf("mute track: %w: no track %q", media.ErrNotFound, trackID)
	}
	return nil
}

// SetAttributes merges attributes.
func (s *Server) SetAttributes(ctx context.Context, room, identity string, attributes map[string]string) error {
	if _, err := s.present(ctx, room, identity); err != nil {
		return fmt.Errorf("set attributes: %w", err)
	}
	return s.update(ctx, &livekit.UpdateParticipantRequest{Room: room, Identity: identity, Attributes: attributes})
}

func (s *Server) update(ctx context.Context, req *livekit.UpdateParticipantRequest) error {
	admin, err := s.asAdmin(ctx, req.Room)
	if err != nil {
		return err
	}
	if _, err := s.rooms.UpdateParticipant(admin, req); err != nil {
		return fmt.Errorf("update participant: %w", s.orGone(ctx, req.Room, err))
	}
	return nil
}
