-- +goose Up

-- Scheduled meetings: the workspace's calendar. ---------------------------------

CREATE TABLE scheduled_meeting (
  id               TEXT PRIMARY KEY,
  workspace_id     TEXT NOT NULL REFERENCES workspace (id),
  title            TEXT NOT NULL,
  description      TEXT,
  starts_at        BIGINT NOT NULL, -- of a series: of the first occurrence
  ends_at          BIGINT NOT NULL,
  room_id          TEXT REFERENCES room (id),
  recurrence       TEXT NOT NULL, -- none, daily, weekdays, weekly, biweekly or monthly
  recurrence_until BIGINT,        -- NULL: the series does not end
  timezone         TEXT,          -- NULL: UTC
  created_by       TEXT NOT NULL REFERENCES account (id),
  created_at       BIGINT NOT NULL,
  updated_at       BIGINT NOT NULL,
  deleted_at       BIGINT,        -- when it was cancelled
  revision         BIGINT NOT NULL -- value of schedule_revision when the times of this series last changed; 0: it never was a series
);
CREATE INDEX scheduled_meeting_once ON scheduled_meeting (workspace_id, starts_at, id) WHERE recurrence = 'none' AND deleted_at IS NULL;
CREATE INDEX scheduled_meeting_moved ON scheduled_meeting (workspace_id, revision) WHERE revision > 0;
CREATE INDEX scheduled_meeting_room ON scheduled_meeting (room_id) WHERE room_id IS NOT NULL;
CREATE INDEX scheduled_meeting_deleted ON scheduled_meeting (deleted_at) WHERE deleted_at IS NOT NULL;

-- schedule_revision counts the changes of the times of a workspace's series, so
-- that a node can tell whether the series it keeps in memory are current.
CREATE TABLE schedule_revision (
  workspace_id TEXT PRIMARY KEY REFERENCES workspace (id),
  revision     BIGINT NOT NULL
);

-- +goose Down
DROP TABLE schedule_revision;
DROP TABLE scheduled_meeting;
