-- +goose Up

-- Whose a seat is: its identity up to the dot, by which all seats of one person
-- are found without reading those of everybody else. rtrim takes the letters
-- after the dot, and then the dot.
ALTER TABLE seat ADD COLUMN person TEXT NOT NULL DEFAULT '';
UPDATE seat SET person = CASE WHEN identity LIKE '%.%'
  THEN rtrim(rtrim(identity, '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-'), '.') ELSE identity END;
CREATE INDEX seat_person ON seat (person, room_id);

-- Who is in, may come back, or was let through lately.
CREATE INDEX seat_living ON seat (room_id, admitted_at) WHERE status IN ('new', 'in', 'lost');

-- +goose Down
DROP INDEX seat_living;
DROP INDEX seat_person;
ALTER TABLE seat DROP COLUMN person;
