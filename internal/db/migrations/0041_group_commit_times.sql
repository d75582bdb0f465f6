-- +goose Up

-- When a commit was made. It is kept for a while, however many come after it.
ALTER TABLE group_commit ADD COLUMN made_at BIGINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE group_commit DROP COLUMN made_at;
