-- +goose Up

-- Tells calendars which of two states of a meeting is the later one.
ALTER TABLE scheduled_meeting ADD COLUMN sequence BIGINT NOT NULL DEFAULT 0;
CREATE INDEX scheduled_meeting_created_by ON scheduled_meeting (created_by, id) WHERE deleted_at IS NULL;

-- Connected calendars. ------------------------------------------------------------

CREATE TABLE calendar_connection (
  id            TEXT PRIMARY KEY,
  account_id    TEXT NOT NULL REFERENCES account (id),
  provider      TEXT NOT NULL, -- caldav, google or microsoft
  target        TEXT NOT NULL, -- the calendar's address at the provider; '' where an account has one calendar there
  name          TEXT NOT NULL, -- shown to the person
  credentials   TEXT NOT NULL, -- sealed
  status        TEXT NOT NULL, -- connected, revoked, unreachable or leaving
  status_at     BIGINT NOT NULL,
  failures      BIGINT NOT NULL, -- in a row
  failing_since BIGINT,
  paused_until  BIGINT,          -- no request before it
  error         TEXT,            -- why the last one failed
  asked         BIGINT NOT NULL, -- how many times a fill was requested
  filled        BIGINT NOT NULL, -- how many of those requests are done
  created_at    BIGINT NOT NULL
);
CREATE UNIQUE INDEX calendar_connection_target ON calendar_connection (account_id, provider, target);

-- One row per meeting and calendar. There are no foreign keys to them, because a
-- row outlives its meeting until the entry is removed from the calendar.
CREATE TABLE calendar_mirror (
  id            TEXT PRIMARY KEY, -- also the id of its job
  connection_id TEXT NOT NULL,
  meeting_id    TEXT NOT NULL,
  workspace_id  TEXT NOT NULL,
  wanted        BIGINT NOT NULL, -- counts the changes to be written
  done          BIGINT NOT NULL, -- the last of those changes that was written or given up
  sequence      BIGINT,          -- of the meeting when it was last written; NULL: never written
  event_id      TEXT,            -- the provider's id of the entry
  version       TEXT,            -- its ETag
  failures      BIGINT NOT NULL, -- in a row
  failing_since BIGINT,
  error         TEXT
);
CREATE UNIQUE INDEX calendar_mirror_meeting ON calendar_mirror (meeting_id, connection_id);
CREATE INDEX calendar_mirror_connection ON calendar_mirror (connection_id, id);

-- The secret address under which a person's meetings can be subscribed to.
CREATE TABLE calendar_feed (
  account_id  TEXT PRIMARY KEY REFERENCES account (id),
  secret_hash TEXT NOT NULL UNIQUE,
  secret      TEXT NOT NULL, -- sealed, to be shown again
  created_at  BIGINT NOT NULL
);

-- +goose Down
DROP TABLE calendar_feed;
DROP TABLE calendar_mirror;
DROP TABLE calendar_connection;
DROP INDEX scheduled_meeting_created_by;
ALTER TABLE scheduled_meeting DROP COLUMN sequence;
