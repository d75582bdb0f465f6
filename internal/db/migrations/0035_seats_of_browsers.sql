-- +goose Up

-- Guests who come back are found by their browser.
CREATE INDEX seat_alias_by_alias ON seat_alias (room_id, alias);

-- +goose Down
DROP INDEX seat_alias_by_alias;
