-- +goose Up

-- The network from which a seat was taken, while the seat waits or is unused. It
-- is a keyed hash (docs/reference/retention.md), used to count one network's seats
-- in a room. Empty for seats that were taken with a token or a join link, and once
-- a seat no longer counts.
ALTER TABLE seat ADD COLUMN network TEXT NOT NULL DEFAULT '';
CREATE INDEX seat_network ON seat (room_id, network) WHERE status IN ('new', 'waiting', 'early');

-- +goose Down
DROP INDEX seat_network;
ALTER TABLE seat DROP COLUMN network;
