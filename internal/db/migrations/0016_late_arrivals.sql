-- +goose Up

-- How many times in a row a seat's device was removed because it made no media
-- connection, and when it was last removed.
ALTER TABLE seat ADD COLUMN late INTEGER NOT NULL DEFAULT 0;
ALTER TABLE seat ADD COLUMN late_at BIGINT;

-- +goose Down
ALTER TABLE seat DROP COLUMN late_at;
ALTER TABLE seat DROP COLUMN late;
