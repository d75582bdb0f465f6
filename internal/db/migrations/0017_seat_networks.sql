-- +goose Up

-- From which network a seat was taken, while it waits or has not been used: a
-- keyed hash (docs/reference/retention.md), by which one network's seats in a
-- room are counted. Empty for whoever came with a token or a link, and once
-- the seat no longer counts.
ALTER TABLE seat ADD COLUMN network TEXT NOT NULL DEFAULT '';
CREATE INDEX seat_network ON seat (room_id, network) WHERE status IN ('new', 'waiting', 'early');

-- +goose Down
DROP INDEX seat_network;
ALTER TABLE seat DROP COLUMN network;
