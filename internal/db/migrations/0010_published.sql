-- +goose Up

-- Facts that the running service publishes for commands that run beside it.
CREATE TABLE published (
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL
);

-- +goose Down
DROP TABLE published;
