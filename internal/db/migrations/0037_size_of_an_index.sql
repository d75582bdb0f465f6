-- +goose Up

-- The size of the index of a recording (package recording). An index that was stored
-- before counts as empty until another replaces it.
ALTER TABLE recording ADD COLUMN index_bytes BIGINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE recording DROP COLUMN index_bytes;
