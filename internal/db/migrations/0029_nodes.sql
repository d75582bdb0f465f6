-- +goose Up

-- The processes that serve this data (package node).
CREATE TABLE node (
  name        TEXT PRIMARY KEY,
  run         TEXT NOT NULL,    -- tells a process from another one of the same name
  version     TEXT NOT NULL,
  listen      TEXT NOT NULL,
  media       TEXT NOT NULL,
  connections INTEGER NOT NULL, -- of people who came in through it
  people      INTEGER NOT NULL, -- on its media server
  draining    BOOLEAN NOT NULL, -- an operator wants it to take no more people
  stopping    BOOLEAN NOT NULL,
  started_at  BIGINT NOT NULL,
  seen_at     BIGINT NOT NULL
);

-- +goose Down
DROP TABLE node;
