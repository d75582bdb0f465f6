-- +goose Up

-- The open ballot box of an anonymous poll, from its opening to its closing, in
-- one row: the places and versions of separate rows would show which ballot came
-- with which voter. It has its own table, because PostgreSQL can destroy the old
-- versions of rows only for a whole table (db.Shred).
CREATE TABLE poll_ballots (
  poll_id TEXT PRIMARY KEY REFERENCES poll (id) ON DELETE CASCADE,
  voters  TEXT NOT NULL, -- JSON: hashes of the people who voted since the poll was last opened, sorted
  ballots TEXT NOT NULL  -- JSON: the picked options by the hash of the receipt
);
INSERT INTO poll_ballots (poll_id, voters, ballots)
  SELECT b.poll_id, b.voters, b.ballots FROM poll_box b JOIN poll p ON p.id = b.poll_id WHERE p.status = 'open';

-- The part of a box that stays as long as its poll. The table is created again, so
-- that no old version of a row with ballots remains.
CREATE TABLE poll_voters (
  poll_id TEXT PRIMARY KEY REFERENCES poll (id) ON DELETE CASCADE,
  secret  TEXT NOT NULL, -- key of the hashes of voters and receipts, sealed
  counted TEXT NOT NULL  -- JSON: hashes of the people whose votes were counted by closings, sorted
);
INSERT INTO poll_voters (poll_id, secret, counted) SELECT poll_id, secret, counted FROM poll_box;
DROP TABLE poll_box;

-- +goose Down
CREATE TABLE poll_box (
  poll_id TEXT PRIMARY KEY REFERENCES poll (id) ON DELETE CASCADE,
  secret  TEXT NOT NULL,
  voters  TEXT NOT NULL,
  counted TEXT NOT NULL,
  ballots TEXT NOT NULL
);
INSERT INTO poll_box (poll_id, secret, voters, counted, ballots)
  SELECT v.poll_id, v.secret, COALESCE(b.voters, '[]'), v.counted, COALESCE(b.ballots, '{}')
  FROM poll_voters v LEFT JOIN poll_ballots b ON b.poll_id = v.poll_id;
DROP TABLE poll_voters;
DROP TABLE poll_ballots;
