-- +goose Up

-- What the service says of itself to commands that work beside it.
CREATE TABLE published (
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL
);

-- +goose Down
DROP TABLE published;
