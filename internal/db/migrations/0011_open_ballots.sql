-- +goose Up

-- The open ballot box of an anonymous poll, from its opening to its closing, in
-- one row: rows of their own would tell by their places and versions which
-- ballot came with which voter. It has a table to itself, because a table is
-- what PostgreSQL can destroy the old versions of (db.Shred).
CREATE TABLE poll_ballots (
  poll_id TEXT PRIMARY KEY REFERENCES poll (id) ON DELETE CASCADE,
  voters  TEXT NOT NULL, -- JSON: hashes of who has voted since the poll was last opened, sorted
  ballots TEXT NOT NULL  -- JSON: what was picked, by the hash of the receipt
);
INSERT INTO poll_ballots (poll_id, voters, ballots)
  SELECT b.poll_id, b.voters, b.ballots FROM poll_box b JOIN poll p ON p.id = b.poll_id WHERE p.status = 'open';

-- What stays of the box as long as its poll does. The table is made anew, so
-- that no version of a row with ballots stays in the old one.
CREATE TABLE poll_voters (
  poll_id TEXT PRIMARY KEY REFERENCES poll (id) ON DELETE CASCADE,
  secret  TEXT NOT NULL, -- keys the hashes of voters and receipts; sealed
  counted TEXT NOT NULL  -- JSON: hashes of those whose votes closings have counted, sorted
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
