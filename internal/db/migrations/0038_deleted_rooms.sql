-- +goose Up

-- Rooms that were deleted by earlier versions kept these.
UPDATE live_room SET passphrase = '', passphrase_until = 0
  WHERE room_id IN (SELECT id FROM room WHERE deleted_at IS NOT NULL) AND passphrase <> '';
DELETE FROM poll_revision WHERE room_id IN (SELECT id FROM room WHERE deleted_at IS NOT NULL);

-- +goose Down
-- What is gone is not needed.
