-- +goose Up

-- Recordings: encrypted parts, and who may open them. ---------------------------

CREATE TABLE recording (
  id            TEXT PRIMARY KEY,
  workspace_id  TEXT NOT NULL REFERENCES workspace (id),
  room_id       TEXT NOT NULL REFERENCES room (id), -- the row of a deleted room stays
  breakout_id   TEXT NOT NULL,   -- '': the main room
  meeting_id    TEXT NOT NULL,   -- the meeting that was recorded
  title         TEXT NOT NULL,
  status        TEXT NOT NULL,   -- recording, processing, ready or failed
  visibility    TEXT NOT NULL,   -- room, workspace or private
  protection    TEXT NOT NULL,   -- workspace or end_to_end: the room's setting when it began
  mime_type     TEXT NOT NULL,
  parts         BIGINT NOT NULL, -- stored parts
  bytes         BIGINT NOT NULL, -- of the stored parts
  duration_ms   BIGINT NOT NULL, -- where the last stored part ends
  expected      BIGINT,          -- number of parts the device announced; NULL before that
  sealed_key    TEXT,            -- protection workspace; NULL once it is deleted
  upload_hash   TEXT NOT NULL,   -- hash of the upload secret
  recorder      TEXT NOT NULL,   -- identity of the device that records
  recorder_name TEXT NOT NULL,
  made_by       TEXT REFERENCES account (id), -- NULL: a host without an account
  started_at    BIGINT NOT NULL,
  ended_at      BIGINT,          -- NULL while it is recorded
  noticed_at    BIGINT,          -- when the service noticed the end; ended_at may lie before
  heard_at      BIGINT NOT NULL, -- when the device last sent something
  index_piece   TEXT,            -- key of the stored index; NULL while there is none
  deleted_at    BIGINT
);
CREATE INDEX recording_list ON recording (workspace_id, id) WHERE deleted_at IS NULL;
CREATE INDEX recording_room ON recording (room_id, id) WHERE deleted_at IS NULL;
CREATE INDEX recording_made_by ON recording (made_by) WHERE made_by IS NOT NULL;
CREATE INDEX recording_unfinished ON recording (status) WHERE status IN ('recording', 'processing');
CREATE INDEX recording_deleted ON recording (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE UNIQUE INDEX recording_running ON recording (room_id, breakout_id) WHERE status = 'recording' AND deleted_at IS NULL;

CREATE TABLE recording_part (
  recording_id TEXT NOT NULL REFERENCES recording (id),
  number       BIGINT NOT NULL,  -- from 0
  piece        TEXT NOT NULL,    -- key of the stored bytes; each try to send the part has its own
  bytes        BIGINT NOT NULL,
  sha256       TEXT NOT NULL,    -- of the stored ciphertext, hex
  ends_ms      BIGINT NOT NULL,  -- where its sound and picture end, from the beginning of the recording
  stored_at    BIGINT NOT NULL,
  PRIMARY KEY (recording_id, number)
);

-- Devices of members that can be given the key of an end_to_end recording. -------

CREATE TABLE recording_device (
  id           TEXT PRIMARY KEY,
  account_id   TEXT NOT NULL REFERENCES account (id),
  name         TEXT NOT NULL,    -- such as "Chrome on Linux"
  public_key   TEXT NOT NULL,    -- P-256, uncompressed, base64url
  created_at   BIGINT NOT NULL,
  last_used_at BIGINT NOT NULL,
  revoked_at   BIGINT
);
CREATE INDEX recording_device_account ON recording_device (account_id) WHERE revoked_at IS NULL;

CREATE TABLE recording_wrap (
  recording_id TEXT NOT NULL REFERENCES recording (id),
  device_id    TEXT NOT NULL REFERENCES recording_device (id),
  enc          TEXT NOT NULL,    -- HPKE encapsulated key, base64url
  ciphertext   TEXT NOT NULL,    -- the recording's key, sealed to the device, base64url
  made_at      BIGINT NOT NULL,
  made_by      TEXT REFERENCES account (id), -- account that wrapped it; NULL: a host without an account
  PRIMARY KEY (recording_id, device_id)
);
CREATE INDEX recording_wrap_device ON recording_wrap (device_id);

-- +goose Down
DROP TABLE recording_wrap;
DROP TABLE recording_device;
DROP TABLE recording_part;
DROP TABLE recording;
