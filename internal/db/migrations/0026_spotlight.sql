-- +goose Up

ALTER TABLE seat ADD COLUMN spotlit_at BIGINT; -- since when a host shows them large to everybody

-- +goose Down
ALTER TABLE seat DROP COLUMN spotlit_at;
