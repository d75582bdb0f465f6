-- +goose Up

-- For the list of events of one type, which may be rare.
CREATE INDEX event_type ON event (workspace_id, type, created_at, id);

-- Every question about the seats of one room begins with the room, so that it
-- reads the same number of rows however many other rooms there are.
DROP INDEX seat_status;
DROP INDEX seat_living;
DROP INDEX seat_waiting;
CREATE INDEX seat_room ON seat (room_id, status, admitted_at);
CREATE INDEX seat_rights ON seat (room_id) WHERE admitted OR cohost OR on_stage;

-- For what is due in all rooms: seats that were given and not used, people who
-- have waited for too long or are away, and old seats.
CREATE INDEX seat_unused ON seat (admitted_at, room_id) WHERE status = 'new';
CREATE INDEX seat_waiting ON seat (waiting_since) WHERE status IN ('waiting', 'early');
CREATE INDEX seat_away ON seat (away_at) WHERE status IN ('waiting', 'early');
CREATE INDEX seat_old ON seat (admitted_at) WHERE status IN ('new', 'left', 'removed', 'over', 'denied', 'expired');

-- +goose Down
DROP INDEX seat_old;
DROP INDEX seat_away;
DROP INDEX seat_waiting;
DROP INDEX seat_unused;
DROP INDEX seat_rights;
DROP INDEX seat_room;
CREATE INDEX seat_waiting ON seat (room_id, waiting_since) WHERE status IN ('waiting', 'early');
CREATE INDEX seat_living ON seat (room_id, admitted_at) WHERE status IN ('new', 'in', 'lost');
CREATE INDEX seat_status ON seat (status, admitted_at);
DROP INDEX event_type;
