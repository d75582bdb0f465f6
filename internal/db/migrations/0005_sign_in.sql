-- +goose Up

-- Signing in. ------------------------------------------------------------------

ALTER TABLE account ADD COLUMN password TEXT; -- argon2id in PHC form; NULL until an invitation is accepted

-- An invitation lets the holder of its link choose the account's password. An
-- account has at most one: a newer one replaces it, and using it removes it.
CREATE TABLE invitation (
  account_id  TEXT PRIMARY KEY REFERENCES account (id),
  secret_hash TEXT NOT NULL UNIQUE, -- SHA-256 of the secret, hex
  created_at  BIGINT NOT NULL,
  expires_at  BIGINT NOT NULL
);

CREATE TABLE account_session (
  token_hash TEXT PRIMARY KEY, -- SHA-256 of the cookie's value, hex
  account_id TEXT NOT NULL REFERENCES account (id),
  created_at BIGINT NOT NULL,
  seen_at    BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX account_session_account ON account_session (account_id);
CREATE INDEX account_session_expires ON account_session (expires_at);

-- +goose Down
DROP TABLE account_session;
DROP TABLE invitation;
ALTER TABLE account DROP COLUMN password;
