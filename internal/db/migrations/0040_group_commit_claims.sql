-- +goose Up

-- What the author of a commit says of it, for the devices to compare.
ALTER TABLE group_commit ADD COLUMN epoch_check TEXT NOT NULL DEFAULT ''; -- a digest of the secrets of the next epoch, base64url
ALTER TABLE group_commit ADD COLUMN link TEXT NOT NULL DEFAULT '';        -- a digest of the link secret, base64url; '': none
ALTER TABLE group_commit ADD COLUMN adds TEXT NOT NULL DEFAULT '[]';      -- JSON: identities, with digests of their key packages
ALTER TABLE group_commit ADD COLUMN removes TEXT NOT NULL DEFAULT '[]';   -- JSON: identities

-- +goose Down
ALTER TABLE group_commit DROP COLUMN removes;
ALTER TABLE group_commit DROP COLUMN adds;
ALTER TABLE group_commit DROP COLUMN link;
ALTER TABLE group_commit DROP COLUMN epoch_check;
