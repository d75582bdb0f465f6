-- +goose Up

-- How many requests a subject (a key, an address, a room) made recently. Used
-- when several nodes share a database; a single node counts in memory.
CREATE TABLE rate_limit (
  subject TEXT PRIMARY KEY,
  state   TEXT NOT NULL, -- the sliding window: counts of requests by slice of time, as JSON
  until   BIGINT NOT NULL
);
CREATE INDEX rate_limit_until ON rate_limit (until);

-- Requests that carried an Idempotency-Key, and their answers.
CREATE TABLE idempotency (
  subject     TEXT NOT NULL, -- the API key's id
  key         TEXT NOT NULL,
  fingerprint TEXT NOT NULL, -- SHA-256 of the request, hex
  lease       TEXT NOT NULL, -- names the request that works on it, the only one that may finish it
  lease_until BIGINT NOT NULL,
  answer      TEXT,          -- sealed; null while the first request runs
  expires_at  BIGINT NOT NULL,
  PRIMARY KEY (subject, key)
);
CREATE INDEX idempotency_expires ON idempotency (expires_at);

-- +goose Down
DROP TABLE idempotency;
DROP TABLE rate_limit;
