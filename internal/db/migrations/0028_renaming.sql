-- +goose Up

ALTER TABLE seat ADD COLUMN own_name BOOLEAN NOT NULL DEFAULT FALSE; -- whether they chose the name themselves when they came
ALTER TABLE seat ADD COLUMN renamed_at BIGINT; -- when they last changed their name
UPDATE seat SET own_name = TRUE WHERE kind = 'guest';

-- +goose Down
ALTER TABLE seat DROP COLUMN renamed_at;
ALTER TABLE seat DROP COLUMN own_name;
