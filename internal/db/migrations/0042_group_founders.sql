-- +goose Up

-- The device that made the group. The person to whom it belongs counts as its founder also when
-- the device was added to it again, or has left; "" when a version before 0042 stored the group.
ALTER TABLE group_place ADD COLUMN founder TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE group_place DROP COLUMN founder;
