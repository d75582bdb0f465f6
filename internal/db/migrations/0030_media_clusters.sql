-- +goose Up

-- Which media cluster a node uses (package node); '' where nobody has to know. Nodes of
-- the version before do not fill it.
ALTER TABLE node ADD COLUMN media_cluster TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE node DROP COLUMN media_cluster;
