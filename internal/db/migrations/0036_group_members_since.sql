-- +goose Up

-- When a device was added to its group. What it said against the group before that counts
-- for a while longer.
ALTER TABLE group_device ADD COLUMN added_at BIGINT;

-- +goose Down
ALTER TABLE group_device DROP COLUMN added_at;
