package client

import (
	"context"
	"net/http"

	"github.com/conclave-rooms/conclave/api"
)

// ListPolls lists the polls that were asked in a room in the last 24 hours, newest first.
func (c Client) ListPolls(ctx context.Context, roomID string) ([]api.Poll, error) {
	return whole[api.Poll](ctx, c, at("rooms", roomID, "polls"))
}

// CreatePoll asks everyone in the meeting a question.
func (c Client) CreatePoll(ctx context.Context, roomID string, body api.PollCreate) (api.Poll, error) {
	return write[api.Poll](ctx, c, http.MethodPost, at("rooms", roomID, "polls"), body)
}

// UpdatePoll closes a poll, or opens it again.
func (c Client) UpdatePoll(ctx context.Context, pollID string, body api.PollUpdate) (api.Poll, error) {
	return write[api.Poll](ctx, c, http.MethodPatch, at("polls", pollID), body)
}

// DeletePoll deletes a poll and its votes.
func (c Client) DeletePoll(ctx context.Context, pollID string) (api.PollDeleted, error) {
	return write[api.PollDeleted](ctx, c, http.MethodDelete, at("polls", pollID), nil)
}
