-- +goose Up

-- The first camera track was handled, as entry_handled says of the first microphone track. TRUE
-- for seats from versions before 0043, so that an upgrade turns off no camera in a running meeting.
ALTER TABLE seat ADD COLUMN camera_handled BOOLEAN NOT NULL DEFAULT TRUE;

-- +goose Down
ALTER TABLE seat DROP COLUMN camera_handled;
