-- +goose Up

-- For how many milliseconds a seat's device was connected with only its signalling before
-- its present connection, without coming in, and since when the present one has been so.
ALTER TABLE seat ADD COLUMN arriving_for BIGINT NOT NULL DEFAULT 0;
ALTER TABLE seat ADD COLUMN arriving_at BIGINT;

-- +goose Down
ALTER TABLE seat DROP COLUMN arriving_at;
ALTER TABLE seat DROP COLUMN arriving_for;
