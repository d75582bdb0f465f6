-- +goose Up

-- A person's grant is now compared with what the media server reports, and no
-- longer with what was last sent to it.
ALTER TABLE seat DROP COLUMN media_grant;

-- +goose Down
ALTER TABLE seat ADD COLUMN media_grant TEXT NOT NULL DEFAULT '';
