-- +goose Up

-- Whether the seat's device joined a strict room as one that can make its keys.
ALTER TABLE seat ADD COLUMN strict BOOLEAN NOT NULL DEFAULT FALSE;

-- The delivery service of strict rooms. None of it is secret: devices encrypt and
-- sign what they send each other. It is deleted when the meeting ends.

CREATE TABLE group_place (
  room_id     TEXT NOT NULL REFERENCES room (id),
  breakout_id TEXT NOT NULL,   -- '': the main room
  group_id    TEXT NOT NULL,   -- base64url; '': the place has no group
  epoch       BIGINT NOT NULL,
  founded_seq BIGINT NOT NULL, -- seq when the group was created
  seq         BIGINT NOT NULL, -- number of the newest message; it grows from one group to the next, too
  PRIMARY KEY (room_id, breakout_id)
);

CREATE TABLE group_device (
  room_id          TEXT NOT NULL,
  identity         TEXT NOT NULL,
  breakout_id      TEXT NOT NULL,    -- the place that the rest is about
  let_in_at        BIGINT,           -- when the gate let it into that media room; NULL: not since it was last there
  due_at           BIGINT,           -- until when let_in_at counts; NULL once that time is over
  added            BOOLEAN NOT NULL, -- to the group of the place
  added_seq        BIGINT NOT NULL,  -- the commit that added it
  key_package      TEXT NOT NULL,    -- base64url; '': it does not wait to be added
  key_package_hash TEXT NOT NULL,    -- SHA-256, base64url
  PRIMARY KEY (room_id, identity),
  FOREIGN KEY (room_id, identity) REFERENCES seat (room_id, identity) ON DELETE CASCADE
);
CREATE INDEX group_device_due ON group_device (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE group_commit (
  room_id     TEXT NOT NULL,
  breakout_id TEXT NOT NULL,
  seq         BIGINT NOT NULL,
  epoch       BIGINT NOT NULL, -- in which it was made; it leads to the next
  message     TEXT NOT NULL,   -- the commit, base64url
  welcome     TEXT NOT NULL,   -- base64url; '' when it adds nobody
  PRIMARY KEY (room_id, breakout_id, seq),
  FOREIGN KEY (room_id, breakout_id) REFERENCES group_place (room_id, breakout_id) ON DELETE CASCADE
);

-- +goose Down
DROP TABLE group_commit;
DROP TABLE group_device;
DROP TABLE group_place;
ALTER TABLE seat DROP COLUMN strict;
