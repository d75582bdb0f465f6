-- +goose Up

-- How often in a row a seat's device was put out because its media connection
-- did not come about, and when it last was.
ALTER TABLE seat ADD COLUMN late INTEGER NOT NULL DEFAULT 0;
ALTER TABLE seat ADD COLUMN late_at BIGINT;

-- +goose Down
ALTER TABLE seat DROP COLUMN late_at;
ALTER TABLE seat DROP COLUMN late;
