-- +goose Up

-- The size of the index of a recording (package recording). An index that was stored
-- before counts as empty until another replaces it. An older node that replaces an index
-- during an upgrade leaves the size of the earlier one, which is wrong by up to 1 MiB.
ALTER TABLE recording ADD COLUMN index_bytes BIGINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE recording DROP COLUMN index_bytes;
