-- +goose Up

-- Another name of the person on a seat, for people whose identity changes when
-- they come back: the browser of a guest (hashed together with the room, so that
-- it cannot be compared between rooms), or the user_id behind a join link.
CREATE TABLE seat_alias (
  room_id  TEXT NOT NULL REFERENCES room (id),
  identity TEXT NOT NULL,
  alias    TEXT NOT NULL,
  PRIMARY KEY (room_id, identity)
);

-- Polls. ------------------------------------------------------------------------

CREATE TABLE poll (
  id           TEXT PRIMARY KEY,
  room_id      TEXT NOT NULL REFERENCES room (id),
  workspace_id TEXT NOT NULL,
  question     TEXT NOT NULL,
  kind         TEXT NOT NULL, -- single or multiple
  anonymous    BOOLEAN NOT NULL,
  results      TEXT NOT NULL, -- live, after_vote or after_close
  status       TEXT NOT NULL, -- open or closed
  created_by   TEXT NOT NULL, -- API, or a person's name
  created_at   BIGINT NOT NULL,
  closed_at    BIGINT
);
CREATE INDEX poll_room ON poll (room_id, created_at, id);

CREATE TABLE poll_option (
  id       TEXT PRIMARY KEY,
  poll_id  TEXT NOT NULL REFERENCES poll (id) ON DELETE CASCADE,
  position BIGINT NOT NULL, -- from 0
  label    TEXT NOT NULL,
  counted  BIGINT NOT NULL, -- anonymous votes that were counted by closings
  UNIQUE (poll_id, position)
);

-- Who voted for what, in polls that are not anonymous.
CREATE TABLE poll_vote (
  poll_id TEXT NOT NULL REFERENCES poll (id) ON DELETE CASCADE,
  voter   TEXT NOT NULL,
  name    TEXT NOT NULL,
  picked  BIGINT NOT NULL, -- bit n is the option at position n
  PRIMARY KEY (poll_id, voter)
);

-- The ballot box of an anonymous poll, in one row: the places and versions of
-- separate rows would show which ballot came with which voter.
CREATE TABLE poll_box (
  poll_id TEXT PRIMARY KEY REFERENCES poll (id) ON DELETE CASCADE,
  secret  TEXT NOT NULL, -- key of the hashes below, sealed
  voters  TEXT NOT NULL, -- JSON: hashes of the people who voted since the poll was last opened, sorted
  counted TEXT NOT NULL, -- JSON: hashes of the people whose votes were counted by closings, sorted
  ballots TEXT NOT NULL  -- JSON: the picked options by the hash of the receipt; a closing empties it
);

-- poll_revision counts the changes of a room's polls, so that each change is read
-- once for everybody who is shown them.
CREATE TABLE poll_revision (
  room_id  TEXT PRIMARY KEY REFERENCES room (id),
  revision BIGINT NOT NULL
);

-- +goose Down
DROP TABLE poll_revision;
DROP TABLE poll_box;
DROP TABLE poll_vote;
DROP TABLE poll_option;
DROP TABLE poll;
DROP TABLE seat_alias;
