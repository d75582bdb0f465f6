package db_test

import (
	"slices"
	"testing"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
)

// An upgrade keeps the content of open ballot boxes; of closed ones it keeps
// only who has voted.
func TestAnUpgradeKeepsOpenBallotBoxes(t *testing.T) {
	t.Parallel()
	eachBefore(t, "0011_open_ballots.sql", func(t *testing.T, s *schema) {
		s.fill("open") // the status of a poll, its id, and everything in its box
		s.fill("closed")
		s.next()
		s.wants(`SELECT poll_id || ' ' || secret || ' ' || counted AS found FROM poll_voters`, "closed closed closed", "open open open")
		s.wants(`SELECT poll_id || ' ' || voters || ' ' || ballots AS found FROM poll_ballots`, "open open open")
	})
}

// Older seats are found by their person after an upgrade.
func TestAnUpgradeNotesThePersonOfEachSeat(t *testing.T) {
	t.Parallel()
	eachBefore(t, "0014_persons.sql", func(t *testing.T, s *schema) {
		for _, identity := range []string{"api_A-b_9.x7q2m1zz", "user_0197-ab.00000000", "nobody"} {
			s.fill(identity)
		}
		s.next()
		s.wants(`SELECT person AS found FROM seat`, "api_A-b_9", "nobody", "user_0197-ab")
	})
}

// Guests chose their names; those of accounts are their accounts'.
func TestAnUpgradeNotesThatGuestsChoseTheirNames(t *testing.T) {
	t.Parallel()
	eachBefore(t, "0028_renaming.sql", func(t *testing.T, s *schema) {
		s.fill("guest")
		s.fill("account")
		s.next()
		s.wants(`SELECT kind AS found FROM seat WHERE own_name`, "guest")
	})
}

// What earlier versions left of rooms that were deleted is gone; rooms that are there keep
// theirs.
func TestAnUpgradeForgetsDeletedRooms(t *testing.T) {
	t.Parallel()
	eachBefore(t, "0038_deleted_rooms.sql", func(t *testing.T, s *schema) {
		s.fill("kept") // first: the numbers in the first rows are 0 already
		s.fill("deleted")
		s.exec(`UPDATE room SET deleted_at = NULL WHERE id = 'kept'`)
		s.next()
		s.wants(`SELECT room_id || ' ' || passphrase AS found FROM live_room`, "deleted ", "kept kept")
		s.wants(`SELECT room_id AS found FROM live_room WHERE passphrase_until = 0 AND passphrase = ''`, "deleted")
		s.wants(`SELECT room_id AS found FROM poll_revision`, "kept")
	})
}

// eachBefore runs a test on databases of both engines as they were before a migration.
func eachBefore(t *testing.T, migration string, test func(t *testing.T, s *schema)) {
	for _, engine := range []db.Engine{db.SQLite, db.PostgreSQL} {
		t.Run(string(engine), func(t *testing.T) {
			t.Parallel()
			s := newSchema(t, engine, dbtest.Empty(t, engine))
			for s.upcoming() != migration {
				s.next()
			}
			test(t, s)
		})
	}
}

// upcoming is the name of the next migration.
func (s *schema) upcoming() string {
	s.t.Helper()
	name, err := s.steps.Upcoming(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	return name
}

// wants checks the values that a query returns.
func (s *schema) wants(query string, want ...string) {
	s.t.Helper()
	var got []string
	for _, row := range s.query(query) {
		got = append(got, row["found"])
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		s.t.Errorf("%s: got %q, want %q", query, got, want)
	}
}
