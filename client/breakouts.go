package client

import (
	"context"
	"net/http"

	"github.com/conclave-rooms/conclave/api"
)

// GetBreakouts retrieves a room's breakout session, and the ten sessions that ended
// last.
func (c Client) GetBreakouts(ctx context.Context, roomID string) (api.Breakouts, error) {
	return get[api.Breakouts](ctx, c, at("rooms", roomID, "breakouts"))
}

// StartBreakouts splits the meeting into breakout rooms.
func (c Client) StartBreakouts(ctx context.Context, roomID string, body api.BreakoutCreate) (api.BreakoutSession, error) {
	return write[api.BreakoutSession](ctx, c, http.MethodPost, at("rooms", roomID, "breakouts"), body)
}

// AssignBreakout places somebody in a breakout room, or sends them to the main room.
func (c Client) AssignBreakout(ctx context.Context, roomID string, body api.BreakoutAssign) (api.BreakoutSession, error) {
	return write[api.BreakoutSession](ctx, c, http.MethodPost, at("rooms", roomID, "breakouts", "assignments"), body)
}

// AnnounceBreakouts shows a message in the meeting and in every breakout room.
func (c Client) AnnounceBreakouts(ctx context.Context, roomID string, body api.BreakoutAnnounce) (api.BreakoutAnnouncement, error) {
	return write[api.BreakoutAnnouncement](ctx, c, http.MethodPost, at("rooms", roomID, "breakouts", "announce"), body)
}

// EndBreakouts closes the breakout rooms, at once or after a countdown.
func (c Client) EndBreakouts(ctx context.Context, roomID string, body api.BreakoutEnd) (api.BreakoutsEnded, error) {
	return write[api.BreakoutsEnded](ctx, c, http.MethodPost, at("rooms", roomID, "breakouts", "end"), body)
}

// AddBreakoutRoom adds a breakout room to the session.
func (c Client) AddBreakoutRoom(ctx context.Context, roomID string, body api.BreakoutRoomCreate) (api.BreakoutSession, error) {
	return write[api.BreakoutSession](ctx, c, http.MethodPost, at("rooms", roomID, "breakouts", "rooms"), body)
}

// RenameBreakoutRoom renames a breakout room.
func (c Client) RenameBreakoutRoom(ctx context.Context, roomID, breakoutID string, body api.BreakoutRoomUpdate) (api.BreakoutSession, error) {
	return write[api.BreakoutSession](ctx, c, http.MethodPatch, at("rooms", roomID, "breakouts", "rooms", breakoutID), body)
}

// RemoveBreakoutRoom removes a breakout room. The people in it return to the main room.
func (c Client) RemoveBreakoutRoom(ctx context.Context, roomID, breakoutID string) (api.BreakoutSession, error) {
	return write[api.BreakoutSession](ctx, c, http.MethodDelete, at("rooms", roomID, "breakouts", "rooms", breakoutID), nil)
}
