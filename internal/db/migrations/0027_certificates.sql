-- +goose Up

-- What the service has from a certificate authority: the key of its account,
-- certificates with their keys, and the answers to challenges. All sealed.
CREATE TABLE acme_value (
  directory  TEXT NOT NULL,
  name       TEXT NOT NULL,
  value      TEXT NOT NULL,
  expires_at BIGINT, -- NULL: never
  PRIMARY KEY (directory, name)
);

-- The node that may order certificates.
CREATE TABLE acme_lease (
  directory TEXT PRIMARY KEY,
  holder    TEXT NOT NULL,   -- '': nobody, until the time for the next try
  until_at  BIGINT NOT NULL,
  failures  INTEGER NOT NULL -- orders that failed, one after the other
);

-- +goose Down
DROP TABLE acme_lease;
DROP TABLE acme_value;
