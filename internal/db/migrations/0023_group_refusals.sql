-- +goose Up

-- What devices say of a group that they cannot be in, and what follows from it.
ALTER TABLE group_device ADD COLUMN refused_group TEXT NOT NULL DEFAULT ''; -- a group that the device cannot be in
ALTER TABLE group_device ADD COLUMN barred TEXT NOT NULL DEFAULT '';        -- 'founding' or 'joining' while others are there; '': from nothing
ALTER TABLE group_commit ADD COLUMN author TEXT NOT NULL DEFAULT '';        -- the identity of the device that made it

-- +goose Down
ALTER TABLE group_commit DROP COLUMN author;
ALTER TABLE group_device DROP COLUMN barred;
ALTER TABLE group_device DROP COLUMN refused_group;
