-- +goose Up

-- When a device was added to its group. What it said against the group before that counts
-- for a while longer.
ALTER TABLE group_device ADD COLUMN added_at BIGINT;

-- Whose message a device could not take when it refused a group; '' when that is not known.
ALTER TABLE group_device ADD COLUMN refused_author TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE group_device DROP COLUMN refused_author;
ALTER TABLE group_device DROP COLUMN added_at;
