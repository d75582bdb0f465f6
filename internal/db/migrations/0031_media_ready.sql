-- +goose Up

-- Whether a node's media server answers (package node). Nodes of the version before do
-- not say, and count as if it did.
ALTER TABLE node ADD COLUMN media_ready BOOLEAN NOT NULL DEFAULT TRUE;

-- +goose Down
ALTER TABLE node DROP COLUMN media_ready;
