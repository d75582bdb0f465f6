-- +goose Up

-- People in the waiting room: they have a seat, but are not in the meeting yet.
ALTER TABLE seat ADD COLUMN admitted BOOLEAN NOT NULL DEFAULT FALSE; -- whether a host let them in; holds until the meeting ends
ALTER TABLE seat ADD COLUMN denials BIGINT NOT NULL DEFAULT 0;       -- how often a host turned them away
ALTER TABLE seat ADD COLUMN waiting_since BIGINT;
ALTER TABLE seat ADD COLUMN away_at BIGINT; -- since when no device of theirs is connected while they wait
ALTER TABLE live_meeting ADD COLUMN host_joined BOOLEAN NOT NULL DEFAULT FALSE;
CREATE INDEX seat_waiting ON seat (room_id, waiting_since) WHERE status IN ('waiting', 'early');

-- +goose Down
DROP INDEX seat_waiting;
ALTER TABLE live_meeting DROP COLUMN host_joined;
ALTER TABLE seat DROP COLUMN away_at;
ALTER TABLE seat DROP COLUMN waiting_since;
ALTER TABLE seat DROP COLUMN denials;
ALTER TABLE seat DROP COLUMN admitted;
