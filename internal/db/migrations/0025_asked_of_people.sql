-- +goose Up

ALTER TABLE seat ADD COLUMN camera_stopped_at BIGINT; -- when a host last stopped their camera
ALTER TABLE seat ADD COLUMN asked_to_unmute_at BIGINT; -- when a host last asked them to unmute

-- +goose Down
ALTER TABLE seat DROP COLUMN asked_to_unmute_at;
ALTER TABLE seat DROP COLUMN camera_stopped_at;
