-- +goose Up

-- Accounts, workspaces, members and API keys. --------------------------------

CREATE TABLE account (
  id         TEXT PRIMARY KEY,
  email      TEXT NOT NULL UNIQUE, -- lower case
  name       TEXT NOT NULL,
  created_at BIGINT NOT NULL
);

CREATE TABLE workspace (
  id          TEXT PRIMARY KEY,
  name        TEXT NOT NULL,
  personal_of TEXT UNIQUE REFERENCES account (id), -- set in the personal workspace of an account
  created_at  BIGINT NOT NULL
);

CREATE TABLE workspace_role (
  id           TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspace (id),
  name         TEXT NOT NULL,
  manage_keys  BOOLEAN NOT NULL,
  manage_rooms BOOLEAN NOT NULL,
  created_at   BIGINT NOT NULL,
  UNIQUE (workspace_id, name)
);

CREATE TABLE member (
  workspace_id TEXT NOT NULL REFERENCES workspace (id),
  account_id   TEXT NOT NULL REFERENCES account (id),
  role         TEXT NOT NULL, -- owner, admin, member, or the id of a workspace_role
  created_at   BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, account_id)
);
CREATE INDEX member_account ON member (account_id);

CREATE TABLE api_key (
  id           TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspace (id),
  prefix       TEXT NOT NULL UNIQUE, -- svc_live_ or svc_test_ and the eight look-up characters
  secret_hash  TEXT NOT NULL,        -- SHA-256 of the whole key, hex
  name         TEXT NOT NULL,
  environment  TEXT NOT NULL,
  scopes       TEXT NOT NULL,        -- separated by spaces
  created_by   TEXT NOT NULL REFERENCES account (id),
  created_at   BIGINT NOT NULL,
  expires_at   BIGINT,
  revoked_at   BIGINT,
  last_used_at BIGINT
);
CREATE INDEX api_key_workspace ON api_key (workspace_id, created_at, id);

-- The log of events, each written in the transaction of its change. -----------

CREATE TABLE event (
  id           TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  type         TEXT NOT NULL,
  created_at   BIGINT NOT NULL,
  data         TEXT NOT NULL
);
CREATE INDEX event_workspace ON event (workspace_id, created_at, id);

-- Rooms. ---------------------------------------------------------------------

CREATE TABLE room (
  id           TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspace (id),
  code         TEXT NOT NULL UNIQUE,
  name         TEXT NOT NULL,
  description  TEXT,
  locked       BOOLEAN NOT NULL,
  settings     TEXT NOT NULL, -- the settings object, as JSON
  created_by   TEXT NOT NULL REFERENCES account (id),
  created_at   BIGINT NOT NULL,
  updated_at   BIGINT NOT NULL,
  deleted_at   BIGINT
);
CREATE INDEX room_workspace ON room (workspace_id, created_at, id);

-- The running meeting of a room. ----------------------------------------------

-- live_room is what meetings remember about their room, also between meetings:
-- the passphrase, how long tokens with it are valid, and a revision that grows
-- with every change.
CREATE TABLE live_room (
  room_id          TEXT PRIMARY KEY REFERENCES room (id),
  passphrase       TEXT NOT NULL, -- sealed
  passphrase_until BIGINT NOT NULL,
  revision         BIGINT NOT NULL
);

CREATE TABLE live_meeting (
  id           TEXT PRIMARY KEY,
  room_id      TEXT NOT NULL REFERENCES room (id),
  workspace_id TEXT NOT NULL,
  started_at   BIGINT NOT NULL,
  emptied_at   BIGINT, -- since when the meeting is empty
  ended_at     BIGINT,
  end_reason   TEXT
);
CREATE UNIQUE INDEX live_meeting_running ON live_meeting (room_id) WHERE ended_at IS NULL;

CREATE TABLE seat (
  room_id        TEXT NOT NULL REFERENCES room (id),
  identity       TEXT NOT NULL,
  workspace_id   TEXT NOT NULL,
  meeting_id     TEXT,          -- the meeting the seat is in, or was in last
  kind           TEXT NOT NULL, -- token, link or guest
  link_id        TEXT,
  name           TEXT NOT NULL,
  role           TEXT NOT NULL,
  avatar         TEXT NOT NULL,
  status         TEXT NOT NULL, -- new, in, lost, left, removed, over
  ticket_hash    TEXT UNIQUE,   -- SHA-256 of the ticket, hex
  own_interface  BOOLEAN NOT NULL, -- the device uses our interface, which mutes itself on joining if the room asks for it
  entry_handled  BOOLEAN NOT NULL, -- the first microphone track was handled
  media_grant    TEXT NOT NULL, -- the grant that was last sent to the media server
  generation     TEXT NOT NULL, -- of the media room in which the seat was last seen
  missing_since  BIGINT,        -- since when the seat is missing on a restarted media server
  admitted_at    BIGINT NOT NULL, -- when the gate last let the seat through
  hand_raised_at BIGINT,
  joined_at      BIGINT,
  created_at     BIGINT NOT NULL,
  PRIMARY KEY (room_id, identity)
);
CREATE INDEX seat_status ON seat (status, admitted_at);
CREATE INDEX seat_link ON seat (link_id) WHERE link_id IS NOT NULL;

-- Ways in. ---------------------------------------------------------------------

CREATE TABLE join_link (
  id           TEXT PRIMARY KEY,
  room_id      TEXT NOT NULL REFERENCES room (id),
  workspace_id TEXT NOT NULL,
  secret_hash  TEXT NOT NULL UNIQUE, -- SHA-256 of the secret, hex
  name         TEXT NOT NULL,
  role         TEXT NOT NULL,
  user_id      TEXT,
  avatar       TEXT,
  redirect_url TEXT,
  created_at   BIGINT NOT NULL,
  expires_at   BIGINT NOT NULL
);
CREATE INDEX join_link_room ON join_link (room_id);

-- +goose Down
DROP TABLE join_link;
DROP TABLE seat;
DROP TABLE live_meeting;
DROP TABLE live_room;
DROP TABLE room;
DROP TABLE event;
DROP TABLE api_key;
DROP TABLE member;
DROP TABLE workspace_role;
DROP TABLE workspace;
DROP TABLE account;
