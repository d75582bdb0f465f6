package client

import (
	"context"
	"iter"
	"net/http"

	"github.com/conclave-rooms/conclave/api"
)

// RoomQuery says which rooms to list. The zero value means all.
type RoomQuery struct {
	StartingAfter string // id of a room: only rooms made before it
	PageSize      int    // rooms in each request, 1 to 100; 0 means 100
}

// ListRooms lists rooms, newest first.
func (c Client) ListRooms(ctx context.Context, q RoomQuery) iter.Seq2[api.Room, error] {
	return pages(ctx, c, at("rooms"), from(q.StartingAfter, q.PageSize), func(r api.Room) string { return r.ID })
}

// CreateRoom makes a room.
func (c Client) CreateRoom(ctx context.Context, body api.RoomCreate) (api.Room, error) {
	return write[api.Room](ctx, c, http.MethodPost, at("rooms"), body)
}

// GetRoom retrieves a room.
func (c Client) GetRoom(ctx context.Context, roomID string) (api.Room, error) {
	return get[api.Room](ctx, c, at("rooms", roomID))
}

// UpdateRoom changes the fields of a room that body sets.
func (c Client) UpdateRoom(ctx context.Context, roomID string, body api.RoomUpdate) (api.Room, error) {
	return write[api.Room](ctx, c, http.MethodPatch, at("rooms", roomID), body)
}

// DeleteRoom deletes a room. Its meeting ends, and its link stops working.
func (c Client) DeleteRoom(ctx context.Context, roomID string) (api.Room, error) {
	return write[api.Room](ctx, c, http.MethodDelete, at("rooms", roomID), nil)
}

// CreateToken makes a media token for one person, for an interface of your own. The whole
// answer is a secret of that person.
func (c Client) CreateToken(ctx context.Context, roomID string, body api.TokenCreate) (api.RoomToken, error) {
	return write[api.RoomToken](ctx, c, http.MethodPost, at("rooms", roomID, "tokens"), body)
}

// CreateJoinLink makes a link for one person, to the service's own interface.
func (c Client) CreateJoinLink(ctx context.Context, roomID string, body api.JoinLinkCreate) (api.JoinLink, error) {
	return write[api.JoinLink](ctx, c, http.MethodPost, at("rooms", roomID, "join-links"), body)
}

// EndMeeting ends the meeting in a room for everyone. The room and its link remain.
func (c Client) EndMeeting(ctx context.Context, roomID string) (api.RoomEnded, error) {
	return write[api.RoomEnded](ctx, c, http.MethodPost, at("rooms", roomID, "end"), nil)
}
