-- +goose Up

-- When the last group of a place ended, and how many groups have ended while a device
-- waited to be added. After an end, those who have waited longest make the next group.
ALTER TABLE group_place ADD COLUMN ended_at BIGINT;
ALTER TABLE group_device ADD COLUMN passed INTEGER NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE group_device DROP COLUMN passed;
ALTER TABLE group_place DROP COLUMN ended_at;
