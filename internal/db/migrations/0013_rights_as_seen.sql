-- +goose Up

-- What somebody may do is compared with what the media server shows, and no
-- longer with what it was told.
ALTER TABLE seat DROP COLUMN media_grant;

-- +goose Down
ALTER TABLE seat ADD COLUMN media_grant TEXT NOT NULL DEFAULT '';
