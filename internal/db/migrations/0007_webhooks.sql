-- +goose Up

-- Jobs: work that is done after its transaction is committed. --------------------

-- A job waits (slot IS NULL) until it is due, and is held (slot is set) while a
-- node works on it. No two jobs of a lane have the same slot, so that a lane
-- with four slots has at most four jobs under way, on all nodes together.
CREATE TABLE job (
  id          TEXT PRIMARY KEY,
  queue       TEXT NOT NULL,   -- which handler does it, such as webhook
  lane        TEXT NOT NULL,   -- jobs of a lane share its slots; such as an endpoint's id
  run_at      BIGINT NOT NULL, -- when it is due
  slot        BIGINT,
  lease       TEXT,            -- a new value whenever a node takes the job
  lease_until BIGINT           -- when the job is free again unless the node renews the lease
);
CREATE INDEX job_waiting ON job (queue, lane, run_at, id) WHERE slot IS NULL;
CREATE UNIQUE INDEX job_slot ON job (queue, lane, slot) WHERE slot IS NOT NULL;

-- Webhooks. ------------------------------------------------------------------------

CREATE TABLE webhook_endpoint (
  id                    TEXT PRIMARY KEY,
  workspace_id          TEXT NOT NULL REFERENCES workspace (id),
  url                   TEXT NOT NULL,
  description           TEXT,
  events                TEXT NOT NULL, -- types, separated by spaces, or *
  enabled               BOOLEAN NOT NULL,
  disabled_reason       TEXT,          -- why the service disabled it by itself
  secret                TEXT NOT NULL, -- sealed
  previous_secret       TEXT,          -- sealed; also signs, until it expires
  previous_secret_until BIGINT,
  failing_since         BIGINT,        -- since when every attempt has failed; NULL: the last one succeeded
  created_at            BIGINT NOT NULL
);
CREATE INDEX webhook_endpoint_workspace ON webhook_endpoint (workspace_id, created_at, id);

-- One row per event and endpoint. There are no foreign keys to them, because the
-- check would lock the endpoint's row in the transaction of every event.
CREATE TABLE webhook_delivery (
  id            TEXT PRIMARY KEY,
  endpoint_id   TEXT NOT NULL,
  event_id      TEXT NOT NULL,
  event_type    TEXT NOT NULL,
  status        TEXT NOT NULL,   -- pending, retrying, succeeded, failed
  attempts      BIGINT NOT NULL,
  step          BIGINT NOT NULL, -- attempts since it was last queued; decides the next delay
  response_code BIGINT,
  error         TEXT,
  created_at    BIGINT NOT NULL
);
CREATE UNIQUE INDEX webhook_delivery_event ON webhook_delivery (endpoint_id, event_id);
CREATE INDEX webhook_delivery_endpoint ON webhook_delivery (endpoint_id, created_at, id);

CREATE INDEX event_created ON event (created_at, id); -- for deleting old events

-- +goose Down
DROP INDEX event_created;
DROP TABLE webhook_delivery;
DROP TABLE webhook_endpoint;
DROP TABLE job;
