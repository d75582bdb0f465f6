package client

import (
	"context"
	"net/http"

	"github.com/conclave-rooms/conclave/api"
)

// ListParticipants lists the people who are in the meeting now.
func (c Client) ListParticipants(ctx context.Context, roomID string) ([]api.Participant, error) {
	return whole[api.Participant](ctx, c, at("rooms", roomID, "participants"))
}

// MuteParticipant mutes somebody's microphone. Only they can unmute it.
func (c Client) MuteParticipant(ctx context.Context, roomID, identity string) (api.ParticipantMuted, error) {
	return write[api.ParticipantMuted](ctx, c, http.MethodPost, at("rooms", roomID, "participants", identity, "mute"), nil)
}

// MakeCohost makes somebody a co-host until the meeting ends.
func (c Client) MakeCohost(ctx context.Context, roomID, identity string) (api.ParticipantCohost, error) {
	return write[api.ParticipantCohost](ctx, c, http.MethodPost, at("rooms", roomID, "participants", identity, "cohost"), nil)
}

// RemoveCohost takes somebody's co-host powers back.
func (c Client) RemoveCohost(ctx context.Context, roomID, identity string) (api.ParticipantCohost, error) {
	return write[api.ParticipantCohost](ctx, c, http.MethodDelete, at("rooms", roomID, "participants", identity, "cohost"), nil)
}

// InviteToStage lets somebody in a webinar's audience speak.
func (c Client) InviteToStage(ctx context.Context, roomID, identity string) (api.ParticipantOnStage, error) {
	return write[api.ParticipantOnStage](ctx, c, http.MethodPost, at("rooms", roomID, "participants", identity, "stage"), nil)
}

// MoveToAudience sends somebody from the stage back to the audience.
func (c Client) MoveToAudience(ctx context.Context, roomID, identity string) (api.ParticipantOnStage, error) {
	return write[api.ParticipantOnStage](ctx, c, http.MethodDelete, at("rooms", roomID, "participants", identity, "stage"), nil)
}

// RemoveParticipant removes somebody from the meeting. Lock the room as well to stop them
// from coming back.
func (c Client) RemoveParticipant(ctx context.Context, roomID, identity string) (api.ParticipantRemoved, error) {
	return write[api.ParticipantRemoved](ctx, c, http.MethodDelete, at("rooms", roomID, "participants", identity), nil)
}

// ListWaiting lists the people in the waiting room, those who came first at the beginning.
func (c Client) ListWaiting(ctx context.Context, roomID string) ([]api.WaitingParticipant, error) {
	return whole[api.WaitingParticipant](ctx, c, at("rooms", roomID, "waiting"))
}

// DecideWaiting admits somebody in the waiting room, or turns them away.
func (c Client) DecideWaiting(ctx context.Context, roomID, identity string, body api.WaitingDecision) (api.WaitingDecided, error) {
	return write[api.WaitingDecided](ctx, c, http.MethodPost, at("rooms", roomID, "waiting", identity), body)
}
