-- +goose Up

-- A meeting has one media room for each breakout, in addition to the main one.
-- Each has its own passphrase. After a breakout is closed, its row stays until the
-- media server no longer has the media room.
CREATE TABLE breakout_media (
  breakout_id TEXT PRIMARY KEY,
  room_id     TEXT NOT NULL REFERENCES room (id),
  passphrase  TEXT NOT NULL, -- sealed
  closed_at   BIGINT
);
CREATE INDEX breakout_media_room ON breakout_media (room_id);
CREATE INDEX breakout_media_closed ON breakout_media (closed_at) WHERE closed_at IS NOT NULL;

ALTER TABLE seat ADD COLUMN breakout_id TEXT; -- the breakout the seat's device belongs in; NULL: the main room
ALTER TABLE seat ADD COLUMN placed_at BIGINT; -- since when

-- Sessions of breakouts.
CREATE TABLE breakout_session (
  id               TEXT PRIMARY KEY,
  room_id          TEXT NOT NULL REFERENCES room (id),
  workspace_id     TEXT NOT NULL,
  status           TEXT NOT NULL, -- open, closing, ended
  auto_join        BOOLEAN NOT NULL,
  allow_return     BOOLEAN NOT NULL,
  self_select      BOOLEAN NOT NULL,
  duration_seconds BIGINT,
  started_by       TEXT NOT NULL, -- api, or a participant id
  started_at       BIGINT NOT NULL,
  ends_at          BIGINT,          -- NULL: until somebody ends it
  deadline         BIGINT NOT NULL, -- ends_at, or the longest time a session may last
  closed_at        BIGINT
);
CREATE UNIQUE INDEX breakout_session_open ON breakout_session (room_id) WHERE closed_at IS NULL;
CREATE INDEX breakout_session_deadline ON breakout_session (deadline) WHERE closed_at IS NULL;
CREATE INDEX breakout_session_history ON breakout_session (room_id, closed_at, id) WHERE closed_at IS NOT NULL;

CREATE TABLE breakout (
  id         TEXT PRIMARY KEY,
  session_id TEXT NOT NULL REFERENCES breakout_session (id),
  position   BIGINT NOT NULL,
  name       TEXT NOT NULL
);
CREATE INDEX breakout_session_rooms ON breakout (session_id, position);

-- The people of a session: everybody who was sent to a breakout or to the main
-- room.
CREATE TABLE breakout_person (
  session_id  TEXT NOT NULL REFERENCES breakout_session (id),
  person      TEXT NOT NULL, -- participant id
  name        TEXT NOT NULL,
  breakout_id TEXT,             -- NULL: sent to the main room
  inside      BOOLEAN NOT NULL, -- whether their devices belong in the breakout now; if not, they were asked, or have returned
  can_return  BOOLEAN NOT NULL,
  PRIMARY KEY (session_id, person)
);

-- The last announcement of a session.
CREATE TABLE breakout_announcement (
  session_id TEXT PRIMARY KEY REFERENCES breakout_session (id),
  id         TEXT NOT NULL,
  message    TEXT NOT NULL,
  sender     TEXT, -- display name of the host; NULL: the API
  sent_at    BIGINT NOT NULL
);

-- +goose Down
DROP TABLE breakout_announcement;
DROP TABLE breakout_person;
DROP TABLE breakout;
DROP TABLE breakout_session;
ALTER TABLE seat DROP COLUMN placed_at;
ALTER TABLE seat DROP COLUMN breakout_id;
DROP TABLE breakout_media;
