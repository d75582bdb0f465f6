-- +goose Up

-- What hosts did to a person in this meeting.
ALTER TABLE seat ADD COLUMN cohost BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE seat ADD COLUMN on_stage BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE seat ADD COLUMN muted_at BIGINT; -- when a host last muted them
ALTER TABLE seat ADD COLUMN left_at BIGINT;  -- when they last left

-- +goose Down
ALTER TABLE seat DROP COLUMN left_at;
ALTER TABLE seat DROP COLUMN muted_at;
ALTER TABLE seat DROP COLUMN on_stage;
ALTER TABLE seat DROP COLUMN cohost;
