-- +goose Up

-- The first number of the last group that a device made, so that the founder of a group is
-- known as such when it was added to it again.
ALTER TABLE group_device ADD COLUMN founded_seq BIGINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE group_device DROP COLUMN founded_seq;
