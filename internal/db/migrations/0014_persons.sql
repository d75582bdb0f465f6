-- +goose Up

-- Indexes the seats by person, which is the identity up to the dot, so that all
-- seats of one person can be found. rtrim removes the letters after the dot, and
-- then the dot.
ALTER TABLE seat ADD COLUMN person TEXT NOT NULL DEFAULT '';
UPDATE seat SET person = CASE WHEN identity LIKE '%.%'
  THEN rtrim(rtrim(identity, '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-'), '.') ELSE identity END;
CREATE INDEX seat_person ON seat (person, room_id);

-- Indexes the seats that are in, may come back, or were let through recently.
CREATE INDEX seat_living ON seat (room_id, admitted_at) WHERE status IN ('new', 'in', 'lost');

-- +goose Down
DROP INDEX seat_living;
DROP INDEX seat_person;
ALTER TABLE seat DROP COLUMN person;
