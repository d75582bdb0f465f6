-- +goose Up

-- What a node says about the clock of its machine (package node): right, wrong, or
-- draining, which is wrong and left new people to others. Nodes of the version before do
-- not say, and count as right.
ALTER TABLE node ADD COLUMN clock TEXT NOT NULL DEFAULT 'right';

-- +goose Down
ALTER TABLE node DROP COLUMN clock;
