-- +goose Up

-- Whether a node compares meetings with the media server at present (package node). Nodes
-- of the version before do not say, and count as if they did.
ALTER TABLE node ADD COLUMN comparing BOOLEAN NOT NULL DEFAULT TRUE;

-- +goose Down
ALTER TABLE node DROP COLUMN comparing;
