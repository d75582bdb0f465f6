-- +goose Up

-- When the last group of a place ended, and how many groups have left out a device. After
-- an end, those that were left out most often make the next group.
ALTER TABLE group_place ADD COLUMN ended_at BIGINT;
ALTER TABLE group_device ADD COLUMN passed INTEGER NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE group_device DROP COLUMN passed;
ALTER TABLE group_place DROP COLUMN ended_at;
