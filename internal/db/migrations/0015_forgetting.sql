-- +goose Up

-- Indexes for finding old rows to delete without reading the others.
CREATE INDEX join_link_expiry ON join_link (expires_at);
CREATE INDEX live_meeting_ended ON live_meeting (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX room_deleted ON room (id) WHERE deleted_at IS NOT NULL;

-- +goose Down
DROP INDEX room_deleted;
DROP INDEX live_meeting_ended;
DROP INDEX join_link_expiry;
