-- +goose Up

-- Recoveries that are under way: a job of the same id queues the missed events,
-- a batch at a time.
CREATE TABLE webhook_recovery (
  id           TEXT PRIMARY KEY,
  endpoint_id  TEXT NOT NULL,
  workspace_id TEXT NOT NULL,
  after_at     BIGINT NOT NULL, -- the search goes on after the event with this time and id
  after_id     TEXT NOT NULL,
  until_at     BIGINT,          -- the last event to look at; NULL: all that there are
  until_id     TEXT
);
CREATE INDEX webhook_recovery_endpoint ON webhook_recovery (endpoint_id, after_at, after_id);

-- +goose Down
DROP TABLE webhook_recovery;
