package livekit

import (
	"context"
	"errors"
	"fmt"

	"github.com/livekit/protocol/auth"
	"github.com/livekit/protocol/livekit"

	"github.com/conclave-rooms/conclave/internal/media"
)

// UpstreamToken makes the room, or finds it, and makes the token.
func (s *Server) UpstreamToken(ctx context.Context, g media.Grant) (string, error) {
	if _, err := s.EnsureRoom(ctx, g.Room); err != nil {
		return "", err
	}
	return s.MintToken(g)
}

// MintToken makes a token for one room and one identity. It never permits administering
// rooms, and making one only with MakesRoom: then LiveKit makes the room for the
// connection as EnsureRoom would.
func (s *Server) MintToken(g media.Grant) (string, error) {
	if g.Room == "" || g.Identity == "" || g.TTL <= 0 {
		return "", errors.New("mint media token: room, identity and a time to live are needed")
	}
	grant := &auth.VideoGrant{RoomJoin: true, Room: g.Room}
	grant.SetCanSubscribe(true)
	grant.SetCanPublish(len(g.PublishSources) > 0)
	grant.SetCanPublishSources(trackSources(g.PublishSources))
	grant.SetCanPublishData(g.PublishData)
	grant.SetCanUpdateOwnMetadata(g.OwnAttributes)
	grant.RoomCreate = g.MakesRoom
	token, err := s.sign(auth.NewAccessToken(s.key, s.secret).
		SetIdentity(g.Identity).
		SetName(g.Name).
		SetAttributes(g.Attributes).
		SetVideoGrant(grant), g.TTL)
	if err != nil {
		return "", fmt.Errorf("mint media token: %w", err)
	}
	return token, nil
}

// UpdateGrant changes a connection's name and what it may do. LiveKit itself drops published
// tracks of sources that are no longer allowed and refuses new ones, including
// those whose publication had begun.
func (s *Server) UpdateGrant(ctx context.Context, g media.Grant) error {
	p, err := s.present(ctx, g.Room, g.Identity)
	if err != nil {
		return fmt.Errorf("update grant: %w", err)
	}
	permission := p.Permission
	if permission == nil {
		permission = &livekit.ParticipantPermission{CanSubscribe: true}
	}
	permission.CanPublish = len(g.PublishSources) > 0
	permission.CanPublishSources = trackSources(g.PublishSources)
	permission.CanPublishData = g.PublishData
	permission.CanUpdateMetadata = g.OwnAttributes
	return s.update(ctx, &livekit.UpdateParticipantRequest{Room: g.Room, Identity: g.Identity, Name: g.Name, Permission: permission})
}

// trackSources translates sources. LiveKit takes an empty list for all sources,
// so the caller must also forbid publishing then.
func trackSources(sources []media.Source) []livekit.TrackSource {
	out := make([]livekit.TrackSource, 0, len(sources))
	for _, s := range sources {
		switch s {
		case media.Microphone:
			out = append(out, livekit.TrackSource_MICROPHONE)
		case media.Camera:
			out = append(out, livekit.TrackSource_CAMERA)
		case media.ScreenShare:
			out = append(out, livekit.TrackSource_SCREEN_SHARE)
		case media.ScreenShareAudio:
			out = append(out, livekit.TrackSource_SCREEN_SHARE_AUDIO)
		}
	}
	return out
}

// grantOf translates LiveKit's permission of a participant.
func grantOf(p *livekit.ParticipantPermission) media.Grant {
	g := media.Grant{PublishData: p.GetCanPublishData(), OwnAttributes: p.GetCanUpdateMetadata()}
	if !p.GetCanPublish() {
		return g
	}
	sources := p.GetCanPublishSources()
	if len(sources) == 0 { // LiveKit means all of them
		sources = trackSources([]media.Source{media.Microphone, media.Camera, media.ScreenShare, media.ScreenShareAudio})
	}
	for _, s := range sources {
		g.PublishSources = append(g.PublishSources, source(s))
	}
	return g
}

// source translates back. A source unknown to the service becomes the empty
// one, so that the track is still counted.
func source(s livekit.TrackSource) media.Source {
	switch s {
	case livekit.TrackSource_MICROPHONE:
		return media.Microphone
	case livekit.TrackSource_CAMERA:
		return media.Camera
	case livekit.TrackSource_SCREEN_SHARE:
		return media.ScreenShare
	case livekit.TrackSource_SCREEN_SHARE_AUDIO:
		return media.ScreenShareAudio
	default:
		return ""
	}
}
